/**
 * The form of a question: `requestedSchema`, its fields in the subset of JSON Schema that a revision allows; and the value in the
 * `content` that the client sends back. Pure.
 *
 *   1. Rules that the subset has no keyword for (a pattern, the bounds of a date) are in the description, and the server checks them.
 *   2. Before 2025-11-25 forms have no lists: each choice of a multiselect is a separate boolean field.
 */
import {
  type Ask,
  type Choice,
  choicesIn,
  extraKeywords,
  type FieldAsk,
  fieldKinds,
  fieldSchema,
  type FormAsk,
  isDangerous,
  type JsonSchema,
  omitUndefined,
  suggestedFields,
} from "@photon/core";
import { isRecord, type JsonObject } from "../jsonrpc/messages.ts";
import type { Features } from "./revisions.ts";

/** `requestedSchema` as it is sent: one field `value`, or the fields of a form. */
interface WireForm {
  readonly type: "object";
  readonly properties: { readonly [name: string]: JsonObject };
  readonly required?: readonly string[];
}

/** The field of an ask for one value. */
const VALUE = "value";

const FORMATS: ReadonlySet<unknown> = new Set(["email", "uri", "date", "date-time"]);

interface Fields {
  readonly properties: { readonly [name: string]: JsonSchema };
  readonly required: readonly string[];
}

export function fieldsOf(ask: FieldAsk | FormAsk): Fields {
  if (ask.ask === "form") return { properties: suggestedFields(ask), required: ask.schema.required ?? [] };
  const field = fieldSchema(ask);
  // A client that fills in defaults by itself must not answer yes to a dangerous question.
  const safe = isDangerous(ask) ? { ...field, default: false } : field;
  return { properties: { [VALUE]: safe }, required: [VALUE] };
}

export function formFor(ask: FieldAsk | FormAsk, features: Features): WireForm {
  const { properties, required } = fieldsOf(ask);
  const splits = splitChoices(properties, features);
  const only = ask.ask === "form" || splits.size > 0 ? undefined : properties[VALUE];
  // Most questions ask for one value: no lists of entries for them.
  if (only !== undefined) {
    const form = { type: "object", properties: { [VALUE]: fieldFor(only, true, features) } } as const;
    return mayBeEmptyList(only) ? form : { ...form, required };
  }
  const fields: (readonly [string, JsonObject])[] = [];
  const requiredNames: string[] = [];
  for (const [name, field] of Object.entries(properties)) {
    const choices = splits.get(name);
    // Clients leave out a boolean that was not touched, so no field of a split multiselect is required.
    if (choices !== undefined) fields.push(...splitFields(name, field, choices));
    else {
      const isRequired = required.includes(name);
      fields.push([name, fieldFor(field, isRequired, features)]);
      if (isRequired && !mayBeEmptyList(field)) requiredNames.push(name);
    }
  }
  const form = { type: "object", properties: Object.fromEntries(fields) } as const;
  return requiredNames.length === 0 ? form : { ...form, required: requiredNames };
}

/** A boolean for each choice. The first has the description and the bounds of the field. */
function splitFields(
  name: string,
  field: JsonSchema,
  choices: readonly SplitChoice[],
): readonly (readonly [string, JsonObject])[] {
  const chosen: readonly unknown[] = Array.isArray(field["default"]) ? field["default"] : [];
  // The title of an ask for one value is its message, which the client shows anyway.
  const prefix = name === VALUE || typeof field["title"] !== "string" ? "" : `${field["title"]}: `;
  const { minItems, maxItems } = field;
  const sentences = [
    describe(field),
    typeof minItems === "number" && `Choose at least ${minItems}.`,
    typeof maxItems === "number" && `Choose at most ${maxItems}.`,
  ];
  const description = sentences.filter(Boolean).join(" ") || undefined;
  return choices.map(({ value, title, fieldName }, index) => [
    fieldName,
    omitUndefined({
      type: "boolean",
      title: prefix + title,
      description: index === 0 ? description : undefined,
      default: chosen.includes(value) ? true : undefined,
    }),
  ]);
}

/**
 * Whether an empty list is an answer. Such a field is not required: Claude Code and the Inspector leave out a list that was not
 * touched, and send no form without its required fields.
 */
function mayBeEmptyList({ type, minItems }: JsonSchema): boolean {
  return type === "array" && !(Number(minItems) > 0);
}

function fieldFor(field: JsonSchema, isRequired: boolean, features: Features): JsonObject {
  const wire: Record<string, unknown> = { type: field.type };
  put(wire, "title", field["title"]);
  put(wire, "description", describe(field));
  // The same clients leave out a checkbox that was not touched, unless it has a default.
  if (field.type === "boolean") put(wire, "default", field["default"] ?? (isRequired ? false : undefined));
  else if (features.extendedElicitation) put(wire, "default", field["default"]);
  switch (field.type) {
    case "string":
      putString(wire, field, features);
      break;
    case "array":
      wire["items"] = itemsFor(field);
      put(wire, "minItems", field["minItems"]);
      put(wire, "maxItems", field["maxItems"]);
      break;
    case "boolean":
      break;
    default:
      put(wire, "minimum", field["minimum"]);
      put(wire, "maximum", field["maximum"]);
  }
  return wire;
}

function putString(wire: Record<string, unknown>, field: JsonSchema, features: Features): void {
  if (Array.isArray(field["oneOf"] ?? field["anyOf"])) {
    const choices = choicesIn(field);
    if (features.extendedElicitation)
      wire["oneOf"] = choices.map(({ value, title }) => ({ const: value, title }));
    else {
      wire["enum"] = choices.map(({ value }) => value);
      wire["enumNames"] = choices.map(({ title }) => title);
    }
  } else if (Array.isArray(field["enum"])) {
    wire["enum"] = field["enum"];
    put(wire, "enumNames", field["enumNames"]);
  } else if (typeof field["const"] === "string") wire["enum"] = [field["const"]];
  else {
    put(wire, "minLength", field["minLength"]);
    put(wire, "maxLength", field["maxLength"]);
    if (FORMATS.has(field["format"])) wire["format"] = field["format"];
  }
}

function put(wire: Record<string, unknown>, keyword: string, value: unknown): void {
  if (value !== undefined) wire[keyword] = value;
}

function itemsFor(field: JsonSchema): JsonObject {
  const items = isRecord(field["items"]) ? field["items"] : {};
  if (Array.isArray(items["enum"])) return { type: "string", enum: items["enum"] };
  return { anyOf: choicesIn(field).map(({ value, title }) => ({ const: value, title })) };
}

/** The description, followed by the rules that the subset has no keywords for. */
function describe(field: JsonSchema): string | undefined {
  const { description, patternMessage, formatMinimum, formatMaximum } = field;
  const sentences: string[] = [];
  if (typeof description === "string") sentences.push(description);
  if (typeof patternMessage === "string") sentences.push(asSentence(patternMessage));
  if (typeof formatMinimum === "string") sentences.push(`Not before ${formatMinimum}.`);
  if (typeof formatMaximum === "string") sentences.push(`Not after ${formatMaximum}.`);
  const source = isRecord(field["items"]) ? field["items"] : field;
  const titled: unknown = source["oneOf"] ?? source["anyOf"];
  if (Array.isArray(titled))
    for (const { const: value, title = value, description: meaning } of titled.filter(isRecord))
      if (typeof meaning === "string") sentences.push(`${String(title)}: ${meaning}.`);
  return sentences.length === 0 ? undefined : sentences.join(" ");
}

/** "must be a code" as "Must be a code.". */
export const asSentence = (words: string): string =>
  words.charAt(0).toUpperCase() + words.slice(1) + (/[.!?]$/.test(words) ? "" : ".");

/**
 * The keywords of a question's fields that the subset does not have, by field. A client that gets them can check an answer before
 * it sends one that may end the call. Undefined if no field has any.
 */
export function boundsOf(ask: FieldAsk | FormAsk): JsonObject | undefined {
  const bounded = Object.entries(fieldsOf(ask).properties).flatMap(([name, field]) => {
    const bounds = Object.keys(extraKeywords).filter((keyword) => field[keyword] !== undefined);
    return bounds.length === 0
      ? []
      : [[name, Object.fromEntries(bounds.map((keyword) => [keyword, field[keyword]]))] as const];
  });
  return bounded.length === 0 ? undefined : Object.fromEntries(bounded);
}

/** Whether an ask is sent as a form; a secret, a file and a url are not. */
export function hasForm(ask: Ask): ask is FieldAsk | FormAsk {
  return ask.ask === "form" || fieldKinds.some((kind) => kind === ask.ask);
}

/** A choice that is sent as a boolean field. */
interface SplitChoice extends Choice {
  readonly fieldName: string;
}

type Splits = ReadonlyMap<string, readonly SplitChoice[]>;

const NO_SPLITS: Splits = new Map();

/**
 * The choices that are sent as boolean fields, by the field that they belong to. They are named `field.choice`, with a number where
 * that is taken. Equal fields give equal names, because the answer is read by them.
 */
function splitChoices(properties: Fields["properties"], { extendedElicitation }: Features): Splits {
  if (extendedElicitation) return NO_SPLITS;
  const lists = Object.entries(properties).filter(([, { type }]) => type === "array");
  if (lists.length === 0) return NO_SPLITS;
  const taken = new Set(Object.keys(properties));
  const free = (wanted: string): string => {
    let name = wanted;
    for (let count = 2; taken.has(name); count++) name = `${wanted} (${count})`;
    taken.add(name);
    return name;
  };
  return new Map(
    lists.map(([field, schema]) => [
      field,
      choicesIn(schema).map((choice) => ({ ...choice, fieldName: free(`${field}.${choice.value}`) })),
    ]),
  );
}

/** Parses the content of an accepted form: one value, or an object with the fields that were filled in. */
export function parseForm(ask: FieldAsk | FormAsk, content: JsonObject, features: Features): unknown {
  if (ask.ask !== "form" && Object.hasOwn(content, VALUE)) return content[VALUE];
  const { properties, required } = fieldsOf(ask);
  const filled: [string, unknown][] = [];
  const splits = splitChoices(properties, features);
  for (const [name, field] of Object.entries(properties)) {
    let value = Object.hasOwn(content, name) ? content[name] : undefined;
    const choices = splits.get(name);
    // A client may send a list, as newer revisions do.
    if (choices !== undefined && value === undefined) {
      const chosen = chosenIn(content, choices);
      // No choice where at least one is needed: an optional field was left empty.
      const isLeftEmpty = chosen?.length === 0 && !mayBeEmptyList(field) && !required.includes(name);
      value = isLeftEmpty ? undefined : chosen;
    }
    // The form does not require such a field, so a client may leave it out.
    if (value === undefined && mayBeEmptyList(field) && required.includes(name)) value = [];
    if (ask.ask !== "form") return value;
    if (value !== undefined) filled.push([name, value]);
  }
  return Object.fromEntries(filled);
}

/** The choices whose field is true; `null`, which is not a valid answer, if a client sent other values than booleans. */
function chosenIn(content: JsonObject, choices: readonly SplitChoice[]): readonly string[] | null {
  const ticks = choices.map(({ fieldName }) => content[fieldName] ?? false);
  if (ticks.some((tick) => typeof tick !== "boolean")) return null;
  return choices.flatMap(({ value }, index) => (ticks[index] === true ? [value] : []));
}
