/** What is wrong with a value, in words that follow the name of its field. Pure. */
import { isRecord } from "../is-record.ts";

const TYPES: { readonly [type: string]: string } = {
  string: "a text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
};

const FORMATS: { readonly [format: string]: string } = {
  email: "an email address",
  uri: "a web address, with its https://",
  date: "a date",
  "date-time": "a date with a time",
  time: "a time",
  uuid: "a UUID",
  ipv4: "an IPv4 address",
  ipv6: "an IPv6 address",
};

const counted = (count: unknown, one: string, many: string): string =>
  `${String(count)} ${count === 1 ? one : many}`;

/** `wanted` is what the schema says under the keyword, `schema` all that it says there, of `value`. */
export function wordsFor(keyword: string, wanted: unknown, schema: unknown, value: unknown): string {
  switch (keyword) {
    case "required":
    case "dependentRequired":
      return "is required";
    case "type":
      return `must be ${typeWords(wanted)}`;
    case "enum":
      return "must be one of the choices";
    case "const":
      return `must be ${JSON.stringify(wanted)}`;
    case "format":
      return formatWords(String(wanted), String(value));
    case "pattern":
      return patternWords(isRecord(schema) ? schema : {});
    case "false":
      return "is not allowed here";
    case "not":
      return "must be something else";
    case "anyOf":
      return "must fit one of the alternatives";
    case "oneOf":
      return "must fit exactly one of the alternatives";
    default:
      return boundWords(keyword, wanted) ?? "does not fit";
  }
}

function formatWords(format: string, text: string): string {
  const [day] = /^\d{4}-\d\d-\d\d(?=$|[T ])/iu.exec(text) ?? [];
  if ((format === "date" || format === "date-time") && day !== undefined && !isDay(day))
    return `must be a day that exists: there is no ${day}`;
  return `must be ${FORMATS[format] ?? `a ${format}`}`;
}

/** Whether there is such a day: not the 30th of February. */
function isDay(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** A regular expression is nothing to show to people: the author's words are, where there are any. */
function patternWords({ patternMessage, description }: Readonly<Record<string, unknown>>): string {
  if (typeof patternMessage === "string") return patternMessage;
  const form = "does not have the expected form";
  return typeof description === "string" ? `${form} (${description.replace(/\.$/, "")})` : form;
}

/** A type, or several, in words. */
export function typeWords(wanted: unknown): string {
  const types: readonly unknown[] = Array.isArray(wanted) ? wanted : [wanted];
  return types.map((type) => TYPES[String(type)] ?? String(type)).join(" or ");
}

function boundWords(keyword: string, wanted: unknown): string | undefined {
  switch (keyword) {
    case "minimum":
      return `must be at least ${String(wanted)}`;
    case "maximum":
      return `must be at most ${String(wanted)}`;
    case "exclusiveMinimum":
      return `must be more than ${String(wanted)}`;
    case "exclusiveMaximum":
      return `must be less than ${String(wanted)}`;
    case "multipleOf":
      return `must be a multiple of ${String(wanted)}`;
    case "minLength":
      return `must have at least ${counted(wanted, "character", "characters")}`;
    case "maxLength":
      return `must have at most ${counted(wanted, "character", "characters")}`;
    case "minItems":
    case "minContains":
      return `must have at least ${counted(wanted, "item", "items")}`;
    case "maxItems":
    case "maxContains":
      return `must have at most ${counted(wanted, "item", "items")}`;
    case "uniqueItems":
      return "must not have an item twice";
    case "minProperties":
      return `must have at least ${counted(wanted, "property", "properties")}`;
    case "maxProperties":
      return `must have at most ${counted(wanted, "property", "properties")}`;
    default:
      return undefined;
  }
}
