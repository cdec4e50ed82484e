/**
 * What is wrong with a value, as a sentence a person understands.
 *
 * A problem completes a sentence whose subject is the value: "must be at most
 * 30". Where it is about a part of the value, it begins with the part's name.
 */
import type { ErrorObject } from "ajv";
import { isDay } from "../util/time.ts";
import type { StandardIssue } from "./standard-schema.ts";

const FORMATS: Readonly<Record<string, string>> = {
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

/** Errors that are looked at: each is compared with all others, and a long list has one for every item. */
const MOST_ERRORS = 200;

/** The first few of ajv's errors, joined into one sentence; `subject` begins what is said of the whole value. */
export function problemOf(all: readonly ErrorObject[], subject: string): string {
  const errors = all.slice(0, MOST_ERRORS);
  const sentences = new Set<string>();
  for (const error of errors) if (!isToldBy(error, errors)) sentences.add(sentenceOf(error, subject));
  return joined([...sentences]);
}

/** What says nothing more of a text that does not have its format: it cannot be compared with a bound. */
const BEHIND_FORMAT: ReadonlySet<string> = new Set(["pattern", "formatMinimum", "formatMaximum"]);

/** Whether another error says it better: of `oneOf` and `anyOf` the branches say nothing to a person. */
function isToldBy(error: ErrorObject, errors: readonly ErrorObject[]): boolean {
  return errors.some((other) => {
    if (other === error) return false;
    if (other.keyword === "oneOf" || other.keyword === "anyOf")
      return error.schemaPath.startsWith(`${other.schemaPath}/`);
    return (
      BEHIND_FORMAT.has(error.keyword) &&
      other.keyword === "format" &&
      other.instancePath === error.instancePath
    );
  });
}

/** A Standard Schema's issues, joined into one sentence. */
export function problemOfIssues(issues: readonly StandardIssue[], subject: string): string {
  return joined(
    issues.map((issue) => {
      const { message, path } = issue;
      const place = path?.map((part) => String(typeof part === "object" ? part.key : part)).join(".") ?? "";
      if (namesPattern(issue)) return about(place === "" ? subject : place, NO_FORM);
      return place === "" ? about(subject, `is not right: ${message}`) : `${place}: ${message}`;
    }),
  );
}

/** What is said of a text that does not match a pattern, which is nothing to show to people. */
const NO_FORM = "does not have the expected form";

/** In the author's words, where there are any: `patternMessage` ends the sentence, a description explains it. */
function patternProblem(schema: ErrorObject["parentSchema"] = {}): string {
  const { patternMessage, description } = schema;
  if (typeof patternMessage === "string") return patternMessage;
  return typeof description === "string" ? `${NO_FORM} (${description.replace(/\.$/, "")})` : NO_FORM;
}

/** Whether the message of an issue quotes the regular expression that it is about: zod, valibot and arktype each name it. */
function namesPattern(issue: StandardIssue): boolean {
  const { message, pattern, requirement, rule } = issue as StandardIssue & Readonly<Record<string, unknown>>;
  return [pattern, requirement, rule].some(
    (one) => (typeof one === "string" || one instanceof RegExp) && message.includes(String(one)),
  );
}

const about = (subject: string, predicate: string): string =>
  subject === "" ? predicate : `${subject} ${predicate}`;

function joined(sentences: readonly string[]): string {
  const shown = sentences.slice(0, 5);
  const rest = sentences.length - shown.length;
  return shown.join("; ") + (rest > 0 ? `; and ${rest} more` : "");
}

function sentenceOf(error: ErrorObject, subject: string): string {
  const place = placeOf(error.instancePath);
  if (error.keyword === "required") {
    return `${[...(place === "" ? [] : [place]), param(error, "missingProperty")].join(".")} is required`;
  }
  return about(place === "" ? subject : place, predicateOf(error));
}

function predicateOf(error: ErrorObject): string {
  const limit = param(error, "limit");
  switch (error.keyword) {
    case "type":
      return `must be ${namesOf(param(error, "type"))}`;
    case "minimum":
      return `must be at least ${limit}`;
    case "maximum":
      return `must be at most ${limit}`;
    case "exclusiveMinimum":
      return `must be more than ${limit}`;
    case "exclusiveMaximum":
      return `must be less than ${limit}`;
    case "multipleOf":
      return `must be a multiple of ${param(error, "multipleOf")}`;
    case "minLength":
      return `must have at least ${counted(limit, "character")}`;
    case "maxLength":
      return `must have at most ${counted(limit, "character")}`;
    case "minItems":
      return `must have at least ${counted(limit, itemOf(error))}`;
    case "maxItems":
      return `must have at most ${counted(limit, itemOf(error))}`;
    case "formatMinimum":
      return `must be ${limit} or later`;
    case "formatMaximum":
      return `must be ${limit} or earlier`;
    case "uniqueItems":
      return "must not name anything twice";
    case "pattern":
      return patternProblem(error.parentSchema);
    case "format":
      return formatProblem(param(error, "format"), error.data);
    case "enum":
    case "const":
    case "oneOf":
    case "anyOf":
      return `must be one of ${allowed(error)}`;
    case "additionalProperties":
      return `has nothing called ${param(error, "additionalProperty")}`;
    default:
      return error.message ?? "does not fit";
  }
}

function formatProblem(format: string, value: unknown): string {
  const [day] = /^\d{4}-\d\d-\d\d(?=$|[T ])/i.exec(String(value)) ?? [];
  if (DAYS.has(format) && day !== undefined && !isDay(day))
    return `must be a day that exists: there is no ${day}`;
  return `must be ${FORMATS[format] ?? `a valid ${format}`}`;
}

function param(error: ErrorObject, name: string): string {
  // ajv types `params` loosely; every keyword read here documents its own as text, number or a list of them.
  const params = error.params as Readonly<Record<string, unknown>>;
  return String(params[name]);
}

function namesOf(types: string): string {
  return types
    .split(",")
    .map((type) => TYPES[type] ?? type)
    .join(" or ");
}

/** What a list is made of: choices, where there are some to choose from. */
function itemOf({ parentSchema }: ErrorObject): string {
  const items: unknown = parentSchema?.["items"];
  const isChoice = typeof items === "object" && items !== null && ("enum" in items || "anyOf" in items);
  return isChoice ? "choice" : "item";
}

function counted(amount: string, noun: string): string {
  return `${amount} ${noun}${amount === "1" ? "" : "s"}`;
}

/** The values a choice lets through: those of `enum`, or the constants of `oneOf` and `anyOf`. */
function allowed(error: ErrorObject): string {
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

function placeOf(pointer: string): string {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .join(".");
}
