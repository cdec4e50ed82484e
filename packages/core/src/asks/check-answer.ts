/**
 * Lets an answer through to the body, or says what is wrong with it.
 *
 * The value comes plain, as a person gave it. What goes through is what the
 * kind of question promises: a `Secret`, the bytes of a file, a form's output.
 * Defaults fill the optional fields of a form that were left empty, nothing else.
 */
import { type Content, parseContent } from "../content.ts";
import type { Question, Root, SampleAnswer } from "../effects.ts";
import { isPlainObject, deepCopy } from "../util/json.ts";
import { fromBase64, mapMaybeAsync } from "../util/platform.ts";
import { checkValue, findProblem, type Verdict } from "../schema/validator.ts";
import { Secret } from "../secrets.ts";
import { answerSchema } from "./answer-schema.ts";
import type { Ask, FileAnswer, FileAsk, FormAsk, FormSchema } from "../ask-types.ts";
import { yesOrNo } from "./read-answer-text.ts";
import { hasSchemaType } from "./validate-ask.ts";

/** How many fields a sentence names. */
const MAX_NAMED = 10;

export async function checkAnswer(question: Question, value: unknown): Promise<Verdict> {
  return validateAnswer(question, value);
}

/** The same; at once, where nothing has to be waited for. */
export function validateAnswer(question: Question, value: unknown): Verdict | Promise<Verdict> {
  if (question.emit === "sample") return readSampleAnswer(value);
  if (question.emit === "roots") return readRoots(value);
  switch (question.ask) {
    case "url":
      return { value: undefined };
    case "file":
      return readFile(question, value);
    case "form":
      return checkForm(question, value);
    case "secret":
      return mapMaybeAsync(checkOne(question, value), asSecret);
    case "confirm":
      return mapMaybeAsync(checkOne(question, value), (verdict) => inYesOrNo(verdict, value));
    case "text":
    case "number":
    case "select":
    case "multiselect":
      return checkOne(question, value);
    case "date":
      return mapMaybeAsync(checkOne(question, value), requireParseableDate);
    default:
      return question satisfies never;
  }
}

/**
 * What is wrong with an answer, as it ends a sentence about the answer: "The answer …". What is wrong with a form is a sentence about
 * one of its fields.
 */
export function asPredicate(question: Question, problem: string): string {
  return question.emit === "ask" && question.ask === "form" ? `has a mistake: ${problem}` : problem;
}

function checkOne(question: Question, value: unknown): Verdict | Promise<Verdict> {
  if (value === undefined) return { problem: "needs a value" };
  return mapMaybeAsync(findProblem(answerSchema(question), value), (problem) =>
    problem === undefined ? { value } : { problem },
  );
}

/** The text "yes" comes from a program, which is told to send `true`. Any other text that is neither comes from a person. */
function inYesOrNo(verdict: Verdict, value: unknown): Verdict {
  const isNeither = typeof value === "string" && typeof yesOrNo(value) !== "boolean";
  return isNeither ? { problem: "must be yes or no" } : verdict;
}

function asSecret(verdict: Verdict): Verdict {
  // The schema has just found it to be a text.
  return "problem" in verdict ? verdict : { value: new Secret(verdict.value as string) };
}

/** Some spellings of a moment cannot be compared: a leap second, an offset without minutes. */
function requireParseableDate(verdict: Verdict): Verdict {
  const isLost =
    "value" in verdict && typeof verdict.value === "string" && Number.isNaN(Date.parse(verdict.value));
  return isLost ? { problem: "must be a date and time like 2026-07-28T12:00:00Z" } : verdict;
}

/** Accepting a form without any content leaves all of its fields empty. */
async function checkForm({ schema }: FormAsk, value: unknown = {}): Promise<Verdict> {
  if (typeof value === "string")
    return { problem: `it must be JSON with these fields: ${outlineOf(schema)}` };
  if (!isPlainObject(value)) return { problem: "it must be an object with its fields" };
  const content: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.properties)) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    const optional = schema.required?.includes(name) !== true;
    const filled = given === undefined && optional ? deepCopy(field["default"]) : given;
    if (filled !== undefined) content[name] = filled;
  }
  const standard = schema["~standard"];
  return checkValue(
    { json: schema, ...(standard === undefined ? {} : { standard: { "~standard": standard } }) },
    content,
    { subject: "it" },
  );
}

/** A form as JSON with its values left out: `{"email":…}`. */
export function outlineOf({ properties }: FormSchema): string {
  const names = Object.keys(properties).map((name) => `${JSON.stringify(name)}:…`);
  return `{${names.slice(0, MAX_NAMED).join(",")}${names.length > MAX_NAMED ? ",…" : ""}}`;
}

function readFile(ask: FileAsk, value: unknown): Verdict<FileAnswer> {
  if (value === undefined) return { problem: "needs a file" };
  if (!isPlainObject(value))
    return { problem: "must be a file: { name, type, path } or { name, type, bytes }" };
  const { name, type = "application/octet-stream", path, bytes, base64 } = value;
  if (typeof name !== "string" || name === "" || typeof type !== "string")
    return { problem: "must be a file with a name" };
  if (!isAccepted(ask.accept, name, type)) return { problem: `must be of type ${ask.accept?.join(", ")}` };
  if (typeof path === "string" && path !== "") return { value: { name, type, path } };
  const encoded = bytes ?? base64;
  const content =
    encoded instanceof Uint8Array ? encoded : typeof encoded === "string" ? fromBase64(encoded) : undefined;
  if (content === undefined) return { problem: "must be a file with a path or with bytes" };
  if (ask.maxBytes !== undefined && content.length > ask.maxBytes)
    return { problem: `must have at most ${ask.maxBytes} bytes` };
  return { value: { name, type, bytes: content } };
}

function isAccepted(accept: readonly string[] | undefined, name: string, type: string): boolean {
  if (accept === undefined) return true;
  return accept.some((one) => {
    const wanted = one.toLowerCase();
    if (wanted.startsWith(".")) return name.toLowerCase().endsWith(wanted);
    // A type may say more than its name: `text/plain;charset=utf-8`.
    const actual = type.toLowerCase().replace(/\s*;.*$/, "");
    return (
      wanted === "*/*" ||
      wanted === actual ||
      (wanted.endsWith("/*") && actual.startsWith(wanted.slice(0, -1)))
    );
  });
}

function readSampleAnswer(value: unknown): Verdict<SampleAnswer> {
  if (!isPlainObject(value)) return { problem: "must be a message of the model" };
  const { role, model, content, stopReason } = value;
  if (role !== "assistant" && role !== "user") return { problem: "must have a role" };
  if (typeof model !== "string") return { problem: "must name its model" };
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  const read = blocks.map(parseContent).filter((block): block is Content => block !== undefined);
  const [first] = read;
  if (first === undefined || read.length < blocks.length) return { problem: "must have content" };
  return {
    value: {
      role,
      model,
      content: Array.isArray(content) ? read : first,
      ...(typeof stopReason === "string" ? { stopReason } : {}),
    },
  };
}

function readRoots(value: unknown): Verdict<readonly Root[]> {
  if (!Array.isArray(value)) return { problem: "must be a list of roots" };
  const read: Root[] = [];
  for (const one of value as readonly unknown[]) {
    if (!isPlainObject(one) || typeof one["uri"] !== "string")
      return { problem: "must be a list of roots with a uri" };
    read.push({ uri: one["uri"], ...(typeof one["name"] === "string" ? { name: one["name"] } : {}) });
  }
  return { value: read };
}

/**
 * The same question with the last answer as its default, as far as a default can
 * hold it: a text that is too long is kept, "many" for a number is not.
 */
export function prefill(question: Question, last: unknown): Question {
  if (question.emit !== "ask") return question;
  switch (question.ask) {
    case "secret":
    case "file":
    case "url":
      return question;
    case "form":
      return suggestFields(question, last);
    case "text":
    case "number":
    case "confirm":
    case "select":
    case "multiselect":
    case "date":
      // Only the value of one property changes, to one of the type that the schema asks for.
      return hasSchemaType(answerSchema(question), last) ? ({ ...question, default: last } as Ask) : question;
    default:
      return question satisfies never;
  }
}

function suggestFields(question: FormAsk, last: unknown): FormAsk {
  if (!isPlainObject(last)) return question;
  const fitting = Object.entries(question.schema.properties).flatMap(([name, field]) => {
    const value = Object.hasOwn(last, name) ? last[name] : undefined;
    return hasSchemaType(field, value) ? [[name, { field, value }] as const] : [];
  });
  const properties = {
    ...question.schema.properties,
    ...Object.fromEntries(fitting.map(([name, { field, value }]) => [name, { ...field, default: value }])),
  };
  const suggested = { ...question, schema: { ...question.schema, properties } };
  if (question.default === undefined) return suggested;
  // What was entered counts for more than what was suggested before it.
  const entered = Object.fromEntries(fitting.map(([name, { value }]) => [name, value]));
  return { ...suggested, default: { ...question.default, ...entered } };
}
