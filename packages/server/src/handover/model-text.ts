/** The texts that a model reads where its client cannot show a question. Pure. */
import {
  expectedAnswer,
  type FieldAsk,
  fieldSchema,
  isDangerous,
  type JsonSchema,
  type OpenQuestion,
  type Round,
  type Tool,
} from "@photon/core";
import type { DurableClientPort } from "../durable/durable-call.ts";
import type { JsonObject } from "../jsonrpc/messages.ts";
import { isForPage, type OpenAsk } from "../protocol/elicitation.ts";
import { toolListing } from "../protocol/listings.ts";
import { ANSWER, CONTINUE } from "./continue-tools.ts";

/** Also for the run of another principal. */
export const NO_CALL =
  "No call waits under that run: it is unknown, or has ended. Call the tool again from the start.";

export const IN_ANOTHER_CALL =
  "Another call works on that run: its client is asking the person, or its tool is running. Wait for the result of that call.";

export const IN_ANOTHER_PROCESS =
  "That call waits in another process of this server, and its tool is not durable: it cannot be continued from here. Call the tool again from the start.";

export const PROCESS_ENDED =
  "That call waited in another process of this server, and its tool is not durable. That process has ended, and the call with it. Call the tool again from the start.";

export const PAGE_ONLY: string = `Only the person can answer this question, on the page that they were given. Call the tool ${CONTINUE} when they say that they have answered.`;

export const ANSWERED_BEFORE: string = `That question has another answer already, and the first answer counts. Call the tool ${CONTINUE} with the same run to read how the call stands.`;

export const NO_ANSWER_YET = "There is no answer yet.";

export const textResult = (text: string): JsonObject => ({ content: [{ type: "text", text }] });

export const errorTextResult = (text: string): JsonObject => ({ ...textResult(text), isError: true });

/**
 * The result of a call that is handed over. Clients reject a result without `structuredContent` if the tool that they called has an
 * output schema, unless the result is an error. The two tools that continue calls have no output schema, whichever tool they continue.
 */
export function handoverResult(
  text: string,
  tool: Tool<never>,
  { features, continuesRun }: Pick<DurableClientPort, "features" | "continuesRun">,
): JsonObject {
  const hasOutputSchema = continuesRun !== true && "outputSchema" in toolListing(tool, features);
  return hasOutputSchema ? errorTextResult(text) : textResult(text);
}

/** Why a question, or its answer, must not pass through a model, as a phrase. */
export function notThroughModelReason(question: OpenAsk): string | undefined {
  if (isDangerous(question)) return "a yes to a dangerous question never passes through a model";
  return isForPage(question) ? `a ${question.ask} never passes through a model` : undefined;
}

/** The client accepts no more rounds of questions in this call: another call asks the next. */
export const continueText = (tool: string, run: string): string =>
  `${tool} has not ended: it has more questions for the person you work for than their client shows in one call. Their answers so far are kept. Call the tool ${CONTINUE} with ${JSON.stringify({ run })} now: it asks the rest.`;

const needsAnswer = (tool: string): string =>
  `${tool} needs an answer from the person you work for, and this client cannot ask for it.`;

/** Tells the model to give the person links to pages. */
export function pageText(
  tool: string,
  pages: readonly { readonly message: string; readonly url: string }[],
  run: string,
): string {
  return [
    `${needsAnswer(tool)} Give them the following exactly as it is, and do not open the links yourself:`,
    ...pages.map(({ message, url }) => `- ${message}\n  ${url}`),
    `Each link works once, in one browser. When they have answered, call the tool ${CONTINUE} with ${JSON.stringify({ run })}.`,
  ].join("\n");
}

/** Tells the model to ask the person, and how to pass on the answer. */
export function askPersonText(tool: string, round: Round, run: string): string {
  const questions = Object.values(round).map((question) => ({ question, ...describeAnswer(question) }));
  const [first] = questions;
  const isOne = questions.length === 1;
  const placeholder =
    isOne && first !== undefined
      ? first.placeholder
      : objectOf(questions.map(({ question, ...answer }) => [question.key, answer.placeholder]));
  return [
    `${needsAnswer(tool)} Ask them, word for word, and wait for what they say. Never answer in their place:`,
    ...questions.map(
      ({ question, phrase }) =>
        `- ${isOne ? "" : `${question.key}: `}${questionText(question)}${phrase === "" ? "" : ` (${phrase})`}`,
    ),
    `Then call the tool ${ANSWER} with ${objectOf([
      ["run", JSON.stringify(run)],
      ["answer", placeholder],
    ])}; with ${JSON.stringify({ run, action: "decline" })} if they do not want to answer.`,
  ].join("\n");
}

function questionText(question: OpenQuestion): string {
  if (question.emit !== "ask") return question.emit;
  const { message, description, hint } = question;
  const last = hint === undefined ? undefined : `The last answer ${hint}.`;
  return [message, description, last].filter((sentence) => sentence !== undefined).join(" ");
}

/** What an answer is, as a phrase for people; and as JSON with placeholders, which a model fills in. */
function describeAnswer(ask: OpenQuestion): { readonly phrase: string; readonly placeholder: string } {
  // Samples, roots, secrets and files are never asked through a model.
  if (ask.emit !== "ask" || isForPage(ask)) return { phrase: "", placeholder: "null" };
  if (ask.ask === "url") {
    const phrase = `send them to ${ask.url}; the answer is null once they have been there`;
    return { phrase, placeholder: "null" };
  }
  if (ask.ask === "form") {
    const fields = Object.entries(ask.schema.properties);
    return {
      phrase: `an object that fits ${JSON.stringify(ask.schema, withoutPatterns)}`,
      placeholder: objectOf(fields.map(([name, field]) => [name, placeholderFor(field)])),
    };
  }
  return { phrase: answerPhrase(ask), placeholder: placeholderFor(fieldSchema(ask)) };
}

function answerPhrase(ask: FieldAsk): string {
  const options = "options" in ask ? choices(ask.options) : undefined;
  const list = fieldSchema(ask).type === "array" ? `a list, of ${options}` : `one of ${options}`;
  return [...(options === undefined ? [] : [list]), ...expectedAnswer(ask)].join(", ") || "a text";
}

/** `patternMessage` says the same in words. A property named "pattern" is a schema, and stays. */
const withoutPatterns = (name: string, value: unknown): unknown =>
  name === "pattern" && typeof value === "string" ? undefined : value;

/** By format or type. */
const PLACEHOLDERS: ReadonlyMap<unknown, string> = new Map([
  ["number", "<number>"],
  ["integer", "<whole number>"],
  ["boolean", "<true or false>"],
  ["array", '["<value>", …]'],
  ["date", '"<YYYY-MM-DD>"'],
  ["date-time", '"<YYYY-MM-DDThh:mm:ssZ>"'],
]);

function placeholderFor(schema: JsonSchema): string {
  if (schema["oneOf"] !== undefined || schema["enum"] !== undefined) return '"<value>"';
  return PLACEHOLDERS.get(schema["format"]) ?? PLACEHOLDERS.get(schema.type) ?? '"<text>"';
}

const objectOf = (fields: readonly (readonly [name: string, placeholder: string])[]): string =>
  `{${fields.map(([name, placeholder]) => `${JSON.stringify(name)}:${placeholder}`).join(",")}}`;

const choices = (options: readonly { readonly value: string; readonly title: string }[]): string =>
  options.map(({ value, title }) => `${JSON.stringify(value)}: ${title}`).join(", ");
