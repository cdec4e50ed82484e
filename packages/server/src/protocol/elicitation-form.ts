/**
 * The fields of a form, in exactly the subset of JSON Schema that a revision allows. Pure.
 *
 * What the subset cannot say (a pattern, the bounds of a date) is said in words,
 * and checked by us when the answer comes back.
 */
import {
  type Ask,
  type Choice,
  type FieldAsk,
  fieldSchema,
  type FormAsk,
  type JsonSchema,
} from "@photon/core";
import { omitUndefined } from "../util/omit-undefined.ts";
import { isRecord, type JsonObject } from "../jsonrpc/messages.ts";
import type { Features } from "./revisions.ts";

/** The form of a question: one field `value`, or the form's own. */
interface WireForm {
  readonly type: "object";
  readonly properties: { readonly [name: string]: JsonObject };
  readonly required?: readonly string[];
}

/** The name of the field that a question of one value is asked in. */
const VALUE = "value";

const FORMATS: ReadonlySet<unknown> = new Set(["email", "uri", "date", "date-time"]);

/** The fields that a question is asked in, and which of them must be filled. */
interface Fields {
  readonly properties: { readonly [name: string]: JsonSchema };
  readonly required: readonly string[];
}

export function fieldsOf(ask: FieldAsk | FormAsk): Fields {
  if (ask.ask === "form") return { properties: suggestedIn(ask), required: ask.schema.required ?? [] };
  const field = fieldSchema(ask);
  // A client that fills in defaults by itself must not answer yes to what is dangerous.
  const isDangerous = ask.ask === "confirm" && ask.dangerous === true;
  return { properties: { [VALUE]: isDangerous ? { ...field, default: false } : field }, required: [VALUE] };
}

/** The fields of a form, with what it suggests as a whole. */
function suggestedIn({ schema: { properties }, default: whole }: FormAsk): Fields["properties"] {
  if (whole === undefined) return properties;
  const fields = Object.entries(properties).map(([name, field]) => {
    const suggestion = Object.hasOwn(whole, name) ? whole[name] : undefined;
    return [name, suggestion === undefined ? field : { ...field, default: suggestion }] as const;
  });
  return Object.fromEntries(fields);
}

export function formFor(ask: FieldAsk | FormAsk, features: Features): WireForm {
  const { properties, required } = fieldsOf(ask);
  const fields: (readonly [string, JsonObject])[] = [];
  const wanted: string[] = [];
  let names: ReturnType<typeof splitNames> | undefined;
  for (const [name, field] of Object.entries(properties)) {
    // A choice that is left alone is not chosen: nothing of a split field is required.
    if (isSplit(field, features)) {
      names ??= splitNames(properties);
      fields.push(...splitFields(name, field, names.get(name)));
    } else {
      const isRequired = required.includes(name);
      fields.push([name, fieldFor(field, isRequired, features)]);
      if (isRequired && !mayBeNone(field)) wanted.push(name);
    }
  }
  const form = { type: "object", properties: Object.fromEntries(fields) } as const;
  return wanted.length === 0 ? form : { ...form, required: wanted };
}

/** One yes or no for each choice; the words of the field, and its bounds, stand with the first. */
function splitFields(
  name: string,
  field: JsonSchema,
  names: SplitNames | undefined,
): readonly (readonly [string, JsonObject])[] {
  const chosen: readonly unknown[] = Array.isArray(field["default"]) ? field["default"] : [];
  // A question of one value is titled by its message, which is shown anyway.
  const prefix = name === VALUE || typeof field["title"] !== "string" ? "" : `${field["title"]}: `;
  const words = [describe(field), ...countsIn(field)].filter(Boolean).join(" ") || undefined;
  return choicesIn(field).map(({ value, title }, index) => [
    names?.get(value) ?? value,
    omitUndefined({
      type: "boolean",
      title: prefix + title,
      description: index === 0 ? words : undefined,
      default: chosen.includes(value) ? true : undefined,
    }),
  ]);
}

/** How many may be chosen, in words. */
function countsIn({ minItems, maxItems }: JsonSchema): readonly string[] {
  return [
    ...(typeof minItems === "number" ? [`Choose at least ${minItems}.`] : []),
    ...(typeof maxItems === "number" ? [`Choose at most ${maxItems}.`] : []),
  ];
}

/**
 * Whether nothing is chosen where a list is left alone. Claude Code and the Inspector send no list that was not touched, and
 * refuse to send a form without what it requires.
 */
export function mayBeNone({ type, minItems }: JsonSchema): boolean {
  return type === "array" && !(Number(minItems) > 0);
}

function fieldFor(field: JsonSchema, isRequired: boolean, features: Features): JsonObject {
  const wire: Record<string, unknown> = { type: field.type };
  put(wire, "title", field["title"]);
  put(wire, "description", describe(field));
  // The same clients send no box that was not touched: it is a no, and they know what to send.
  if (field.type === "boolean") put(wire, "default", field["default"] ?? (isRequired ? false : undefined));
  else if (features.elicitation2511) put(wire, "default", field["default"]);
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
  if (Array.isArray(field["oneOf"])) {
    const choices = choicesIn(field);
    if (features.elicitation2511)
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

/** A keyword that was left out is not there. */
function put(wire: Record<string, unknown>, keyword: string, value: unknown): void {
  if (value !== undefined) wire[keyword] = value;
}

function itemsFor(field: JsonSchema): JsonObject {
  const items = isRecord(field["items"]) ? field["items"] : {};
  if (Array.isArray(items["enum"])) return { type: "string", enum: items["enum"] };
  return { anyOf: choicesIn(field).map(({ value, title }) => ({ const: value, title })) };
}

/** What the subset cannot say, in words, behind what the author wrote. */
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
    for (const { title, description: meaning } of titled.filter(isRecord))
      if (typeof meaning === "string") sentences.push(`${String(title)}: ${meaning}.`);
  return sentences.length === 0 ? undefined : sentences.join(" ");
}

/** The end of a sentence as one of its own: "must be a code" is "Must be a code.". */
export const asSentence = (words: string): string =>
  words.charAt(0).toUpperCase() + words.slice(1) + (/[.!?]$/.test(words) ? "" : ".");

/** What the subset has no keywords for: bounds, patterns, and that a number is a rating. */
const BOUNDS = [
  "rating",
  "pattern",
  "patternMessage",
  "formatMinimum",
  "formatMaximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
];

/**
 * Those of a question, by field, as JSON Schema: a client that knows them can say what is wrong where it was typed, before it
 * sends an answer that may end the call. Nothing where there are none.
 */
export function boundsOf(ask: FieldAsk | FormAsk): JsonObject | undefined {
  const bounded = Object.entries(fieldsOf(ask).properties).flatMap(([name, field]) => {
    const bounds = BOUNDS.filter((keyword) => field[keyword] !== undefined);
    return bounds.length === 0
      ? []
      : [[name, Object.fromEntries(bounds.map((keyword) => [keyword, field[keyword]]))] as const];
  });
  return bounded.length === 0 ? undefined : Object.fromEntries(bounded);
}

/** A question that a form can carry. */
export function hasForm(ask: Ask): ask is FieldAsk | FormAsk {
  return ask.ask !== "secret" && ask.ask !== "file" && ask.ask !== "url";
}

/** The choices that a field of a form offers, and how several of them are asked for where a revision has no list. Pure. */

/** The choices of a field, with their words. */
export function choicesIn(field: JsonSchema): readonly Choice[] {
  const source = isRecord(field["items"]) ? field["items"] : field;
  const titled = source["oneOf"] ?? source["anyOf"];
  const names: readonly unknown[] = Array.isArray(source["enumNames"]) ? source["enumNames"] : [];
  const plain: readonly unknown[] = Array.isArray(source["enum"]) ? source["enum"] : [];
  if (!Array.isArray(titled))
    return plain.map((value, index) => ({ value: String(value), title: String(names[index] ?? value) }));
  return titled.filter(isRecord).map(({ const: value, title, description }) => ({
    value: String(value),
    title: String(title ?? value),
    ...(typeof description === "string" ? { description } : {}),
  }));
}

/** Whether a field is asked for as one yes or no for each of its choices: forms before 2025-11-25 have no other way to choose several. */
export function isSplit(field: JsonSchema, features: Features): boolean {
  return field.type === "array" && !features.elicitation2511;
}

/** The names of the choices of one field, each in a field of its own. */
export type SplitNames = ReadonlyMap<string, string>;

/**
 * The names of the choices of every field: `field.choice`, unless that is the name of something else already. The same
 * for the same fields, so that what comes back is read as it was asked.
 */
export function splitNames(properties: {
  readonly [name: string]: JsonSchema;
}): ReadonlyMap<string, SplitNames> {
  const taken = new Set(Object.keys(properties));
  const free = (wanted: string): string => {
    let name = wanted;
    for (let count = 2; taken.has(name); count++) name = `${wanted} (${count})`;
    taken.add(name);
    return name;
  };
  return new Map(
    Object.entries(properties)
      .filter(([, { type }]) => type === "array")
      .map(([field, schema]) => [
        field,
        new Map(choicesIn(schema).map(({ value }) => [value, free(`${field}.${value}`)])),
      ]),
  );
}
