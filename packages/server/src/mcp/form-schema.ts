/**
 * The fields of a form, in exactly the subset of JSON Schema that a revision allows. Pure.
 *
 * What the subset cannot say (a pattern, the bounds of a date) is said in words,
 * and checked by us when the answer comes back.
 */
import type { Ask, Choice, FieldAsk, FormAsk, JsonSchema } from "@photon/core";
import { present } from "../present.ts";
import { isRecord, type Wire } from "../rpc/message.ts";
import { choicesIn, isSplit, splitNames, type SplitNames } from "./choices.ts";
import type { Features } from "./revisions.ts";

/** The form of a question: one field `value`, or the form's own. */
export interface WireForm {
  readonly type: "object";
  readonly properties: { readonly [name: string]: Wire };
  readonly required?: readonly string[];
}

/** The name of the field that a question of one value is asked in. */
export const VALUE = "value";

const FORMATS: ReadonlySet<unknown> = new Set(["email", "uri", "date", "date-time"]);

/** The fields that a question is asked in, and which of them must be filled. */
export interface Fields {
  readonly properties: { readonly [name: string]: JsonSchema };
  readonly required: readonly string[];
}

export function fieldsOf(ask: FieldAsk | FormAsk): Fields {
  if (ask.ask !== "form") return { properties: { [VALUE]: schemaOf(ask) }, required: [VALUE] };
  return { properties: suggestedIn(ask), required: ask.schema.required ?? [] };
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

/** The schema of a question of one value, with its words. */
function schemaOf(ask: FieldAsk): JsonSchema {
  const words = { title: ask.label ?? ask.message, description: ask.description, default: ask.default };
  switch (ask.ask) {
    case "text":
      return {
        type: "string",
        ...words,
        minLength: ask.minLength,
        maxLength: ask.maxLength,
        pattern: ask.pattern,
        format: ask.format,
      };
    case "number":
      return {
        type: ask.integer === true ? "integer" : "number",
        ...words,
        minimum: ask.min,
        maximum: ask.max,
      };
    case "confirm":
      return { type: "boolean", ...words };
    case "select":
      return { type: "string", ...words, oneOf: constantsOf(ask.options) };
    case "multiselect":
      return {
        type: "array",
        ...words,
        items: { anyOf: constantsOf(ask.options) },
        minItems: ask.min,
        maxItems: ask.max,
      };
    case "date":
      return {
        type: "string",
        ...words,
        format: ask.time === true ? "date-time" : "date",
        formatMinimum: ask.min,
        formatMaximum: ask.max,
      };
    default:
      return ask satisfies never;
  }
}

const constantsOf = (options: readonly Choice[]): readonly Wire[] =>
  options.map(({ value, title, description }) => ({ const: value, title, description }));

export function formFor(ask: FieldAsk | FormAsk, features: Features): WireForm {
  const { properties, required } = fieldsOf(ask);
  const names = splitNames(properties);
  const fields = Object.entries(properties).flatMap(([name, field]) =>
    isSplit(field, features)
      ? splitFields(name, field, names.get(name))
      : [[name, fieldFor(field, features)] as const],
  );
  // A choice that is left alone is not chosen: nothing of a split field is required.
  const wanted = Object.entries(properties).flatMap(([name, field]) =>
    required.includes(name) && !isSplit(field, features) ? [name] : [],
  );
  return {
    type: "object",
    properties: Object.fromEntries(fields),
    ...(wanted.length === 0 ? {} : { required: wanted }),
  };
}

/** One yes or no for each choice; the words of the field, and its bounds, stand with the first. */
function splitFields(
  name: string,
  field: JsonSchema,
  names: SplitNames | undefined,
): readonly (readonly [string, Wire])[] {
  const chosen: readonly unknown[] = Array.isArray(field["default"]) ? field["default"] : [];
  // A question of one value is titled by its message, which is shown anyway.
  const prefix = name === VALUE || typeof field["title"] !== "string" ? "" : `${field["title"]}: `;
  const words = [describe(field), ...countsIn(field)].filter(Boolean).join(" ") || undefined;
  return choicesIn(field).map(({ value, title }, index) => [
    names?.get(value) ?? value,
    present({
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

function fieldFor(field: JsonSchema, features: Features): Wire {
  const suggestion = features.since2511 || field.type === "boolean" ? field["default"] : undefined;
  const words = { title: field["title"], description: describe(field), default: suggestion };
  switch (field.type) {
    case "string":
      return present({ type: "string", ...words, ...stringFor(field, features) });
    case "array":
      return present({
        type: "array",
        ...words,
        items: itemsFor(field),
        minItems: field["minItems"],
        maxItems: field["maxItems"],
      });
    case "boolean":
      return present({ type: "boolean", ...words });
    default:
      return present({ type: field.type, ...words, minimum: field["minimum"], maximum: field["maximum"] });
  }
}

function stringFor(field: JsonSchema, features: Features): Wire {
  if (Array.isArray(field["oneOf"])) {
    const choices = choicesIn(field);
    return features.since2511
      ? { oneOf: choices.map(({ value, title }) => ({ const: value, title })) }
      : { enum: choices.map(({ value }) => value), enumNames: choices.map(({ title }) => title) };
  }
  if (Array.isArray(field["enum"])) return { enum: field["enum"], enumNames: field["enumNames"] };
  if (typeof field["const"] === "string") return { enum: [field["const"]] };
  const format: unknown = FORMATS.has(field["format"]) ? field["format"] : undefined;
  return { minLength: field["minLength"], maxLength: field["maxLength"], format };
}

function itemsFor(field: JsonSchema): Wire {
  const items = isRecord(field["items"]) ? field["items"] : {};
  if (Array.isArray(items["enum"])) return { type: "string", enum: items["enum"] };
  return { anyOf: choicesIn(field).map(({ value, title }) => ({ const: value, title })) };
}

/** What the subset cannot say, in words, behind what the author wrote. */
function describe(field: JsonSchema): string | undefined {
  const { description, pattern, formatMinimum, formatMaximum } = field;
  const sentences = [
    typeof description === "string" ? description : undefined,
    typeof pattern === "string" ? `Must match ${pattern}.` : undefined,
    typeof formatMinimum === "string" ? `Not before ${formatMinimum}.` : undefined,
    typeof formatMaximum === "string" ? `Not after ${formatMaximum}.` : undefined,
    ...optionDescriptions(field),
  ].filter((sentence) => sentence !== undefined);
  return sentences.length === 0 ? undefined : sentences.join(" ");
}

function optionDescriptions(field: JsonSchema): readonly string[] {
  const source = isRecord(field["items"]) ? field["items"] : field;
  const titled: unknown = source["oneOf"] ?? source["anyOf"];
  if (!Array.isArray(titled)) return [];
  return titled
    .filter(isRecord)
    .flatMap(({ title, description }) =>
      typeof description === "string" ? [`${String(title)}: ${description}.`] : [],
    );
}

/** A question that a form can carry. */
export function hasForm(ask: Ask): ask is FieldAsk | FormAsk {
  return ask.ask !== "secret" && ask.ask !== "file" && ask.ask !== "url";
}
