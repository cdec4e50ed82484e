/**
 * Answers to questions of all kinds: their digest, their check before the body gets one, and the prefill of the next attempt.
 *
 * An answer arrives as plain data. The body gets the value of its kind: a `Secret`, the bytes of a file, the output of a schema.
 */
import { type Ask, askKinds, descriptorOf } from "./asks/ask.ts";
import { checkAgainstSchema, hasSchemaType } from "./asks/flat-schema.ts";
import { parseBlocks } from "./content.ts";
import type { Question, Root, SampleAnswer } from "./effects.ts";
import type { JsonSchema } from "./schema/schema.ts";
import type { Verdict } from "./schema/validator.ts";
import { digest, isPlainObject } from "./util/json.ts";

/** Checks the answer to a question, and returns the value that the body gets, or the problem. */
export async function checkAnswer(question: Question, value: unknown): Promise<Verdict> {
  return validateAnswer(question, value);
}

/** `checkAnswer`, without a promise if the validator is compiled already. */
export function validateAnswer(question: Question, value: unknown): Verdict | Promise<Verdict> {
  if (question.emit === "sample") return checkSampleAnswer(value);
  if (question.emit === "roots") return checkRoots(value);
  const kind = descriptorOf(question);
  return kind.checkAnswer?.(question, value) ?? checkAgainstSchema(kind.answerSchema(question), value);
}

/** Parses an answer that a flag, a file, a line of stdin or a model gave as text, by the kind of the ask. */
export function readAnswer(ask: Exclude<Ask, { ask: "url" | "file" }>, given: unknown): unknown {
  const kind = descriptorOf(ask);
  return kind.parseAnswer === undefined ? given : kind.parseAnswer(ask, given);
}

/** A problem of an answer as the end of the sentence "The answer …". The problems of a form name its fields. */
export function asPredicate(question: Question, problem: string): string {
  return question.emit === "ask" && question.ask === "form" ? `has a mistake: ${problem}` : problem;
}

/** The question with the last answer as its default, if that has the right type: a text that is too long does, "many" for a number does not. */
export function prefill(question: Question, last: unknown): Question {
  if (question.emit !== "ask") return question;
  const kind = descriptorOf(question);
  if (kind.prefill !== undefined) return kind.prefill(question, last);
  const isFitting = "default" in kind.options && hasSchemaType(kind.answerSchema(question), last);
  // One property changes, to a value of the type that the schema asks for.
  return isFitting ? ({ ...question, default: last } as Ask) : question;
}

function checkSampleAnswer(value: unknown): Verdict<SampleAnswer> {
  if (!isPlainObject(value)) return { problem: "must be a message of the model" };
  const { role, model, content, stopReason } = value;
  if (role !== "assistant" && role !== "user") return { problem: "must have a role" };
  if (typeof model !== "string") return { problem: "must name its model" };
  const blocks = parseBlocks(content);
  if (blocks === undefined) return { problem: "must have content" };
  return {
    value: { role, model, content: blocks, ...(typeof stopReason === "string" ? { stopReason } : {}) },
  };
}

function checkRoots(value: unknown): Verdict<readonly Root[]> {
  if (!Array.isArray(value)) return { problem: "must be a list of roots" };
  const roots: Root[] = [];
  for (const one of value as readonly unknown[]) {
    if (!isPlainObject(one) || typeof one["uri"] !== "string")
      return { problem: "must be a list of roots with a uri" };
    roots.push({ uri: one["uri"], ...(typeof one["name"] === "string" ? { name: one["name"] } : {}) });
  }
  return { value: roots };
}

const MAX_DIGESTS = 1000;

/** By the text of the schema. A tool asks the same question in every call. */
const digests = new Map<string, string>();

/** A digest of which answers fit a question. Replay compares it, to detect that a tool asks another question. */
export function answersDigest(question: Question): string {
  const schema = answerSchema(question);
  const text = JSON.stringify(schema);
  const known = digests.get(text);
  if (known !== undefined) return known;
  const computed = digest(stripAnnotations(schema));
  if (digests.size >= MAX_DIGESTS) digests.clear();
  digests.set(text, computed);
  return computed;
}

function answerSchema(question: Question): JsonSchema {
  if (question.emit === "ask") return descriptorOf(question).answerSchema(question);
  return { type: question.emit === "roots" ? "array" : "object" };
}

/** Keywords that do not change which answers fit. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "examples",
  "enumNames",
  ...askKinds.flatMap((ask) => descriptorOf({ ask }).annotations ?? []),
]);

function stripAnnotations(schema: JsonSchema): JsonSchema {
  const { properties, ...rest } = schema;
  const checked = Object.entries(rest).filter(([keyword]) => !ANNOTATIONS.has(keyword));
  const bare = Object.fromEntries(checked.map(([keyword, value]) => [keyword, bareValue(value)]));
  if (properties === undefined) return bare;
  // A property may have the name of an annotation.
  const fields = Object.entries(properties).map(([name, field]) => [name, stripAnnotations(field)] as const);
  return { ...bare, properties: Object.fromEntries(fields) };
}

function bareValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bareValue);
  return isPlainObject(value) ? stripAnnotations(value) : value;
}
