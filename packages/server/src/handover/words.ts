/** What a model is told where its client cannot show a question: in words, for it to act on. Pure. */
import type { JsonSchema, OpenQuestion, Round } from "@photon/core";
import type { OpenAsk } from "../pages/page.ts";
import type { Wire } from "../rpc/message.ts";

/** The tools that go on with a call that was handed over. */
export const CONTINUE = "photon_continue";
export const ANSWER = "photon_answer";

/** What a model goes on by with a run that a store keeps: the run, and where it stood when the model was told. */
export const nameAt = (run: string, length: number): string => `${run}.${length}`;

/** The same, read. */
export function placeIn(name: string): { readonly run: string; readonly length: number } | undefined {
  const [, run, length] = /^(.+)\.(\d{1,9})$/s.exec(name) ?? [];
  return run === undefined ? undefined : { run, length: Number(length) };
}

/** What a model goes on by with a run that only one of several processes knows. */
export const nameOnly = (run: string, process: string): string => `${run}@${process}`;

/** The process in such a name, and the run. */
export function ownerIn(name: string): { readonly run: string; readonly process: string | undefined } {
  const at = name.lastIndexOf("@");
  return at < 0 ? { run: name, process: undefined } : { run: name.slice(0, at), process: name.slice(at + 1) };
}

/** Of a call that only another process knows. */
export const elsewhere = (isAlive: boolean): string =>
  isAlive
    ? "That call waits in another process of this server, which alone knows it: its tool is not durable. It cannot be gone on with from here; call the tool again from the start."
    : "That call was known to another process of this server only, since its tool is not durable. That process has ended, and the call with it; call the tool again from the start.";

/** Of a question that waits for its page. */
export const ONLY_THERE: string = `This is answered by the person themselves, on the page they were given, and nowhere else. Call the tool ${CONTINUE} when they say that they have.`;

/** Where there is nothing of that name for whoever calls. */
export const NO_CALL = "No call waits under that run. It may be over; call the tool again from the start.";

/** Where another call continues it at the moment. */
export const IN_ANOTHER_CALL = "Another call continues that call already. Wait for its result.";

export const said = (text: string): Wire => ({ content: [{ type: "text", text }] });

export const failed = (text: string): Wire => ({ ...said(text), isError: true });

/** Why a question, or its answer, must not pass through the words of a model, as a phrase; nothing, where it may. */
export function whyUnspeakable(question: OpenAsk): string | undefined {
  const isDangerous = question.ask === "confirm" && question.dangerous === true;
  if (isDangerous) return "a yes to what is dangerous never passes through a model";
  const isForPage = question.ask === "secret" || question.ask === "file";
  return isForPage ? `a ${question.ask} never passes through a model` : undefined;
}

/** The client takes no more rounds of questions in this call: another call asks the next. */
export function moreInWords(tool: string, run: string): string {
  return `${tool} has not ended: it has more questions for the person you work for than their client shows in one call. What they have answered is kept. Call the tool ${CONTINUE} with ${JSON.stringify({ run })} now, and they are asked the rest.`;
}

/** The person is needed on pages of their own: what each is for, and where it is. */
export function pagesInWords(
  tool: string,
  links: readonly (readonly [message: string, url: string])[],
  run: string,
): string {
  return [
    `${tool} needs an answer from the person you work for, which this client cannot ask for. Give them what follows exactly as it is, and do not open it yourself:`,
    ...links.map(([message, url]) => `- ${message}\n  ${url}`),
    `A link works once, in one browser. When they have answered, call the tool ${CONTINUE} with ${JSON.stringify({ run })}.`,
  ].join("\n");
}

/** The model is to pass the questions on. */
export function questionsInWords(tool: string, round: Round, run: string, problem?: string): string {
  const questions = Object.values(round);
  const isOne = questions.length === 1;
  const shapes = questions.map((question) => [question.key, shapeOf(question)] as const);
  const shape = isOne ? (shapes[0]?.[1] ?? "") : objectOf(shapes);
  return [
    ...(problem === undefined ? [] : [`That answer does not fit: it ${problem}.`]),
    `${tool} needs an answer from the person you work for, which this client cannot ask for. Ask them, word for word, and wait for what they say. Never answer in their place:`,
    ...questions.map((question) => `- ${isOne ? "" : `${question.key}: `}${questionInWords(question)}`),
    `Then call the tool ${ANSWER} with ${objectOf([
      ["run", JSON.stringify(run)],
      ["answer", shape],
    ])}; with ${JSON.stringify({ run, action: "decline" })} if they do not want to answer.`,
  ].join("\n");
}

function questionInWords(question: OpenQuestion): string {
  if (question.emit !== "ask") return question.emit;
  const { message, description, hint } = question;
  return [
    message,
    ...(description === undefined ? [] : [description]),
    ...(hint === undefined ? [] : [`The last answer ${hint}.`]),
    answerInWords(question),
  ].join(" ");
}

/** What an answer looks like. */
function answerInWords(ask: OpenAsk): string {
  switch (ask.ask) {
    case "text":
      return "(a text)";
    case "number":
      return `(a ${ask.integer === true ? "whole number" : "number"}${boundsOf(ask.min, ask.max)})`;
    case "confirm":
      return "(true or false)";
    case "select":
      return `(one of ${choices(ask.options)})`;
    case "multiselect":
      return `(a list, of ${choices(ask.options)})`;
    case "date":
      return ask.time === true ? "(a date and time, as 2026-01-31T12:00:00Z)" : "(a date, as 2026-01-31)";
    case "form":
      return `(an object that fits ${JSON.stringify(ask.schema)})`;
    case "url":
      return `(send them to ${ask.url}; the answer is null once they have been there)`;
    case "secret":
    case "file":
      return "";
    default:
      return ask satisfies never;
  }
}

/** The form of an answer, as JSON with placeholders: a model passes on what it is shown. */
function shapeOf(question: OpenQuestion): string {
  if (question.emit !== "ask") return "null";
  switch (question.ask) {
    case "text":
      return '"<text>"';
    case "number":
      return question.integer === true ? "<whole number>" : "<number>";
    case "confirm":
      return "<true or false>";
    case "select":
      return '"<value>"';
    case "multiselect":
      return '["<value>", …]';
    case "date":
      return question.time === true ? '"<YYYY-MM-DDThh:mm:ssZ>"' : '"<YYYY-MM-DD>"';
    case "form":
      return objectOf(
        Object.entries(question.schema.properties).map(([name, field]) => [name, fieldShape(field)]),
      );
    case "url":
    case "secret":
    case "file":
      return "null";
    default:
      return question satisfies never;
  }
}

function fieldShape(field: JsonSchema): string {
  switch (field.type) {
    case "number":
      return "<number>";
    case "integer":
      return "<whole number>";
    case "boolean":
      return "<true or false>";
    case "array":
      return '["<value>", …]';
    default:
      return field["oneOf"] === undefined && field["enum"] === undefined ? '"<text>"' : '"<value>"';
  }
}

const objectOf = (fields: readonly (readonly [name: string, shape: string])[]): string =>
  `{${fields.map(([name, shape]) => `${JSON.stringify(name)}:${shape}`).join(",")}}`;

const choices = (options: readonly { readonly value: string; readonly title: string }[]): string =>
  options.map(({ value, title }) => `${JSON.stringify(value)}: ${title}`).join(", ");

function boundsOf(min: number | undefined, max: number | undefined): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` from ${min}`;
  return max === undefined ? "" : ` up to ${max}`;
}
