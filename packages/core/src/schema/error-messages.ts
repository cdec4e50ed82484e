/**
 * Formats errors of ajv and issues of Standard Schema as sentences for people.
 *
 * A problem of the whole value is a predicate: "must be at most 30". A problem of a part begins with its name: "age must be…".
 */
import type { ErrorObject } from "ajv";
import { isDay } from "../util/time.ts";
import type { StandardIssue } from "./schema.ts";

/** Descriptions of the formats. Terminals and models get them before the answer, too. */
export const FORMATS: Readonly<Record<string, string>> = {
  email: "an email address",
  uri: "a web address",
  date: "a date like 2026-07-28",
  "date-time": "a date and time like 2026-07-28T12:00:00Z",
};

const DAYS: ReadonlySet<string> = new Set(["date", "date-time"]);

const TYPES: Readonly<Record<string, string>> = {
  integer: "a whole number",
  number: "a number",
  string: "text",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "empty",
};

/** Each error is compared with all others, and a long list may have one for every item. */
const MAX_ERRORS = 200;

/** The first few errors as one sentence; `subject` names the whole value. */
export function formatAjvErrors(all: readonly ErrorObject[], subject: string): string {
  const errors = all.slice(0, MAX_ERRORS);
  const sentences = new Set<string>();
  for (const error of errors) if (!isExplainedBy(error, errors)) sentences.add(formatError(error, subject));
  return joinSentences([...sentences]);
}

/** Keywords that fail as well when a string does not have its format. */
const IMPLIED_BY_FORMAT: ReadonlySet<string> = new Set(["pattern", "formatMinimum", "formatMaximum"]);

/** Whether another error explains the problem better. The errors of the branches of `oneOf` and `anyOf` do not help a person. */
function isExplainedBy(error: ErrorObject, errors: readonly ErrorObject[]): boolean {
  return errors.some((other) => {
    if (other === error) return false;
    if (other.keyword === "oneOf" || other.keyword === "anyOf")
      return error.schemaPath.startsWith(`${other.schemaPath}/`);
    return (
      IMPLIED_BY_FORMAT.has(error.keyword) &&
      other.keyword === "format" &&
      other.instancePath === error.instancePath
    );
  });
}

/** The first few issues as one sentence, in which the whole value is called "it". */
export function formatIssues(issues: readonly StandardIssue[]): string {
  return joinSentences(
    issues.map((issue) => {
      const { message, path } = issue;
      const place = path?.map((part) => String(typeof part === "object" ? part.key : part)).join(".") ?? "";
      if (quotesPattern(issue)) return `${place === "" ? "it" : place} ${WRONG_FORM}`;
      return place === "" ? `it is invalid: ${message}` : `${place}: ${message}`;
    }),
  );
}

/** A regular expression is not shown to people. */
const WRONG_FORM = "does not have the expected form";

/** The author's `patternMessage`, or a sentence with the description. */
function patternProblem(schema: ErrorObject["parentSchema"] = {}): string {
  const { patternMessage, description } = schema;
  if (typeof patternMessage === "string") return patternMessage;
  return typeof description === "string" ? `${WRONG_FORM} (${description.replace(/\.$/, "")})` : WRONG_FORM;
}

/** Whether the message of an issue quotes a regular expression, which zod, valibot and arktype also have as a field. */
function quotesPattern(issue: StandardIssue): boolean {
  const { message, pattern, requirement, rule } = issue as StandardIssue & Readonly<Record<string, unknown>>;
  return [pattern, requirement, rule].some(
    (one) => (typeof one === "string" || one instanceof RegExp) && message.includes(String(one)),
  );
}

function joinSentences(sentences: readonly string[]): string {
  const shown = sentences.slice(0, 5);
  const rest = sentences.length - shown.length;
  return shown.join("; ") + (rest > 0 ? `; and ${rest} more` : "");
}

function formatError(error: ErrorObject, subject: string): string {
  const place = pathOf(error.instancePath);
  if (error.keyword === "required") {
    return `${[...(place === "" ? [] : [place]), param(error, "missingProperty")].join(".")} is required`;
  }
  const predicate = PREDICATES[error.keyword]?.(param(error, "limit"), error);
  return `${place === "" ? subject : place} ${predicate ?? error.message ?? "does not fit"}`.trimStart();
}

/** The predicate for a value that fails a keyword. `limit` is the value of the keyword. */
const PREDICATES: { readonly [keyword: string]: (limit: string, error: ErrorObject) => string } = {
  type: (_, error) => `must be ${typeNames(param(error, "type"))}`,
  minimum: (limit) => `must be at least ${limit}`,
  maximum: (limit) => `must be at most ${limit}`,
  exclusiveMinimum: (limit) => `must be more than ${limit}`,
  exclusiveMaximum: (limit) => `must be less than ${limit}`,
  multipleOf: (_, error) => `must be a multiple of ${param(error, "multipleOf")}`,
  minLength: (limit) => `must have at least ${withNoun(limit, "character")}`,
  maxLength: (limit) => `must have at most ${withNoun(limit, "character")}`,
  minItems: (limit, error) => `must have at least ${withNoun(limit, itemOf(error))}`,
  maxItems: (limit, error) => `must have at most ${withNoun(limit, itemOf(error))}`,
  formatMinimum: (limit) => `must be ${limit} or later`,
  formatMaximum: (limit) => `must be ${limit} or earlier`,
  uniqueItems: () => "must not contain the same value twice",
  pattern: (_, error) => patternProblem(error.parentSchema),
  format: (_, error) => formatProblem(param(error, "format"), error.data),
  enum: oneOf,
  const: oneOf,
  oneOf,
  anyOf: oneOf,
  additionalProperties: (_, error) => `has no property called ${param(error, "additionalProperty")}`,
};

function oneOf(_: string, error: ErrorObject): string {
  return `must be one of ${allowedValues(error)}`;
}

function formatProblem(format: string, value: unknown): string {
  const [day] = /^\d{4}-\d\d-\d\d(?=$|[T ])/i.exec(String(value)) ?? [];
  if (DAYS.has(format) && day !== undefined && !isDay(day))
    return `must be a day that exists: there is no ${day}`;
  return `must be ${FORMATS[format] ?? `a valid ${format}`}`;
}

function param(error: ErrorObject, name: string): string {
  // ajv types `params` loosely; those of the keywords here are strings, numbers or lists of strings.
  const params = error.params as Readonly<Record<string, unknown>>;
  return String(params[name]);
}

function typeNames(types: string): string {
  return types
    .split(",")
    .map((type) => TYPES[type] ?? type)
    .join(" or ");
}

function itemOf({ parentSchema }: ErrorObject): string {
  const items: unknown = parentSchema?.["items"];
  const isChoice = typeof items === "object" && items !== null && ("enum" in items || "anyOf" in items);
  return isChoice ? "choice" : "item";
}

function withNoun(amount: string, noun: string): string {
  return `${amount} ${noun}${amount === "1" ? "" : "s"}`;
}

/** The values of `enum`, or the constants of `oneOf` and `anyOf`. */
function allowedValues(error: ErrorObject): string {
  const schema: unknown = error.schema;
  const values = Array.isArray(schema)
    ? schema.map((one: unknown): unknown =>
        typeof one === "object" && one !== null && "const" in one ? one.const : one,
      )
    : [schema];
  if (values.some((value) => typeof value === "object")) return "the allowed forms";
  const shown = values.slice(0, 12).map(String).join(", ");
  return values.length > 12 ? `${shown}, …` : shown;
}

function pathOf(pointer: string): string {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .join(".");
}
