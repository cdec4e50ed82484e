/** What a model is told where its client cannot show a question: in words, for it to act on. Pure. */
import { asksIn, type OpenAsk } from "../pages/types.ts";
import type { JsonObject } from "../jsonrpc/messages.ts";
import { InvalidDefinition, type JsonSchema, type OpenQuestion, type Round, type Tool } from "@photon/core";
import type { Catalog, Definitions } from "../catalog.ts";
import type { Settings } from "../settings.ts";

/** The tools that continue a call that was handed over. */
export const CONTINUE = "photon_continue";
export const ANSWER = "photon_answer";

/** What a model continues a run in the store by: the run, and the length of its log when the model was told of it. */
export const encodeRunRef = (run: string, length: number): string => `${run}.${length}`;

/** The same, read. */
export function parseRunRef(name: string): { readonly run: string; readonly length: number } | undefined {
  const [, run, length] = /^(.+)\.(\d{1,9})$/s.exec(name) ?? [];
  return run === undefined ? undefined : { run, length: Number(length) };
}

/** What a model continues a run by that is in one of several processes. */
export const encodeOwnedRef = (run: string, process: string): string => `${run}@${process}`;

/** The process in such a name, and the run. */
export function parseOwnedRef(name: string): { readonly run: string; readonly process: string | undefined } {
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

/** For a run that does not exist, or belongs to another principal. */
export const NO_CALL = "No call waits under that run. It may be over; call the tool again from the start.";

export const textResult = (text: string): JsonObject => ({ content: [{ type: "text", text }] });

export const errorResult = (text: string): JsonObject => ({ ...textResult(text), isError: true });

/** Why a question, or its answer, must not pass through the words of a model, as a phrase; nothing, where it may. */
export function notRelayableReason(question: OpenAsk): string | undefined {
  const isDangerous = question.ask === "confirm" && question.dangerous === true;
  if (isDangerous) return "a yes to what is dangerous never passes through a model";
  const isForPage = question.ask === "secret" || question.ask === "file";
  return isForPage ? `a ${question.ask} never passes through a model` : undefined;
}

const RESERVED_NAMES: ReadonlySet<string> = new Set([CONTINUE, ANSWER]);

/** Whether calls are handed over: those of one of the tools, or of all of them. */
export function isHandoverEnabled(
  tools: readonly Tool<never>[],
  { whenUnsupported }: Pick<Settings, "whenUnsupported">,
): boolean {
  return tools.some((tool) => (tool.whenUnsupported ?? whenUnsupported) !== "fail");
}

/** The same definitions; throws where a tool has the name of one that continues calls. */
export function rejectReservedNames(
  definitions: Definitions,
  settings: Pick<Settings, "whenUnsupported">,
): Definitions {
  if (definitions.tools === undefined) return definitions;
  // Read once: it may be a generator.
  const tools = [...definitions.tools];
  const taken = tools.find(({ name }) => isContinueTool(name));
  if (taken === undefined || !isHandoverEnabled(tools, settings)) return { ...definitions, tools };
  throw new InvalidDefinition(
    `The name ${JSON.stringify(taken.name)} is taken: where whenUnsupported is "page" or "relay", a tool of the server's own is called so. Call yours something else.`,
  );
}

/** Whether `photon_continue` continues calls whose clients take no more rounds of questions, at this server. */
export function continuesCalls({
  catalog,
  settings,
}: {
  readonly catalog: Catalog;
  readonly settings: Settings;
}): boolean {
  return Number.isFinite(settings.limits.roundsPerCall) && catalog.tools.find(CONTINUE) === undefined;
}

/** Whether a call is of one of those tools: it takes no place, and may free one. */
export const isContinueTool = (name: unknown): boolean =>
  typeof name === "string" && RESERVED_NAMES.has(name);

/** What a handover text is made of: the questions, the mode, and the reference with which the model continues the call. */
interface Asked {
  readonly way: "page" | "relay";
  readonly tool: string;
  readonly round: Round;
  readonly name: string;
}

/** What a model is told of questions that its client cannot show. `urlOf` has a page for each. */
export async function handoverText(
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
    case "rating":
      return `(a whole number from 1 to ${ask.max})`;
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
    case "rating":
      return "<whole number>";
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
