/** Questions in words for a model, where its client cannot show them. Pure, and loaded with the first call that is handed over. */
import type { JsonSchema, OpenQuestion, Round } from "@photon/core";
import { asksIn, type OpenAsk } from "../pages/page.ts";
import { ANSWER, CONTINUE } from "./words.ts";

/** What is asked, and how; and by what name the model goes on with it. */
interface Asked {
  readonly way: "page" | "relay";
  readonly tool: string;
  readonly round: Round;
  readonly name: string;
}

/** What a model is told of questions that its client cannot show. `urlOf` has a page for each. */
export async function inWords(
  { way, tool, round, name }: Asked,
  urlOf: (question: OpenAsk) => Promise<string>,
  problem?: string,
): Promise<string> {
  if (way === "relay") return questionsInWords(tool, round, name, problem);
  const links = asksIn(round).map(async (question) => [question.message, await urlOf(question)] as const);
  return pagesInWords(tool, await Promise.all(links), name);
}

/** The person is needed on pages of their own: what each is for, and where it is. */
function pagesInWords(
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
function questionsInWords(tool: string, round: Round, run: string, problem?: string): string {
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
      return ask.patternMessage === undefined ? "(a text)" : `(a text; it ${ask.patternMessage})`;
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
      return `(an object that fits ${JSON.stringify(ask.schema, withoutPatterns)})`;
    case "url":
      return `(send them to ${ask.url}; the answer is null once they have been there)`;
    case "secret":
    case "file":
      return "";
    default:
      return ask satisfies never;
  }
}

/** People are told of a pattern in words; a property of that name is a schema. */
const withoutPatterns = (name: string, value: unknown): unknown =>
  name === "pattern" && typeof value === "string" ? undefined : value;

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
