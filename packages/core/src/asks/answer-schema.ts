/** What a fitting answer looks like, as JSON Schema of the plain value. Pure; equal questions give equal schemas. */
import { omitUndefined, digest, isPlainObject } from "../util/json.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import type { Question } from "../effects.ts";
import type {
  Choice,
  ConfirmAsk,
  DateAsk,
  MultiselectAsk,
  NumberAsk,
  SelectAsk,
  TextAsk,
} from "../ask-types.ts";

/** A question that one field of a form can carry. */
export type FieldAsk = TextAsk | NumberAsk | ConfirmAsk | SelectAsk | MultiselectAsk | DateAsk;

export function answerSchema(question: Question): JsonSchema {
  if (question.emit !== "ask") return { type: question.emit === "roots" ? "array" : "object" };
  switch (question.ask) {
    case "form":
      return question.schema;
    case "secret":
      return ofType("string", { minLength: question.minLength, maxLength: question.maxLength });
    case "file":
      return { type: "object" };
    case "url":
      return {};
    default:
      return fieldAnswerSchema(question);
  }
}

/** The schema of one field in a form: its answer, and the words around it. */
export function fieldSchema(ask: FieldAsk): JsonSchema {
  const { label, message, description } = ask;
  return {
    ...titled(ask),
    title: label ?? message,
    ...(description === undefined ? {} : { description }),
    ...(ask.default === undefined ? {} : { default: ask.default }),
  };
}

function fieldAnswerSchema(ask: FieldAsk): JsonSchema {
  switch (ask.ask) {
    case "text":
      return ofType("string", {
        minLength: ask.minLength,
        maxLength: ask.maxLength,
        pattern: ask.pattern,
        patternMessage: ask.patternMessage,
        format: ask.format,
      });
    case "number":
      return ofType(ask.integer === true ? "integer" : "number", { minimum: ask.min, maximum: ask.max });
    case "confirm":
      return ofType("boolean", {});
    case "select":
      return { type: "string", enum: valuesOf(ask.options) };
    case "multiselect":
      return {
        type: "array",
        items: { type: "string", enum: valuesOf(ask.options) },
        uniqueItems: true,
        ...counts(ask),
      };
    case "date":
      return omitUndefined({
        type: "string",
        format: ask.time === true ? "date-time" : "date",
        formatMinimum: ask.min,
        formatMaximum: ask.max,
      });
    default:
      return ask satisfies never;
  }
}

const BARE = {
  string: Object.freeze({ type: "string" }),
  number: Object.freeze({ type: "number" }),
  integer: Object.freeze({ type: "integer" }),
  boolean: Object.freeze({ type: "boolean" }),
};

/** A type, and what else is said of it. Where that is nothing, it is always the same object, so that its validator is found at once. */
function ofType(type: keyof typeof BARE, bounds: JsonSchema): JsonSchema {
  for (const name in bounds) if (bounds[name] !== undefined) return omitUndefined({ type, ...bounds });
  return BARE[type];
}

/** As `fieldAnswerSchema`, with the titles of the options. */
function titled(ask: FieldAsk): JsonSchema {
  if (ask.ask === "select") return { type: "string", oneOf: constants(ask.options) };
  if (ask.ask !== "multiselect") return fieldAnswerSchema(ask);
  return { type: "array", items: { anyOf: constants(ask.options) }, uniqueItems: true, ...counts(ask) };
}

const valuesOf = (options: readonly Choice[]): readonly string[] => options.map(({ value }) => value);

const constants = (options: readonly Choice[]): readonly JsonSchema[] =>
  options.map(({ value, title, description }) => ({
    const: value,
    title,
    ...omitUndefined({ description }),
  }));

const counts = (ask: MultiselectAsk): JsonSchema => omitUndefined({ minItems: ask.min, maxItems: ask.max });

const ANNOTATIONS = new Set(["title", "description", "patternMessage", "default", "examples", "enumNames"]);

/** What of a schema says which answers fit: all but the words around it. */
function stripAnnotations(schema: JsonSchema): JsonSchema {
  const { properties, ...rest } = schema;
  const kept = Object.entries(rest).filter(([keyword]) => !ANNOTATIONS.has(keyword));
  const bare = Object.fromEntries(kept.map(([keyword, value]) => [keyword, bareValue(value)]));
  if (properties === undefined) return bare;
  // The names of properties are names, whatever they are.
  const fields = Object.entries(properties).map(([name, field]) => [name, stripAnnotations(field)] as const);
  return { ...bare, properties: Object.fromEntries(fields) };
}

function bareValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bareValue);
  return isPlainObject(value) ? stripAnnotations(value) : value;
}

const KEPT = 1000;

/** By the text of the schema: the same questions are asked again and again. */
const known = new Map<string, string>();

/** A digest of which answers fit a question, for noticing that another is asked. */
export function answersDigest(question: Question): string {
  const schema = answerSchema(question);
  const text = JSON.stringify(schema);
  const digested = known.get(text);
  if (digested !== undefined) return digested;
  const made = digest(stripAnnotations(schema));
  if (known.size >= KEPT) known.clear();
  known.set(text, made);
  return made;
}
