/** The fields of a question, from the schema that came with it: ours, or that of a server of another make. Pure. */
import type { JsonSchema } from "../../desk/offer.ts";
import type { Details } from "../../desk/question.ts";
import { isRecord } from "../../is-record.ts";
import type { Draft } from "./draft.ts";
import type { Choice, Field, FieldKind } from "./field.ts";
import { localTime } from "./local-time.ts";

/** From so many characters on, a text is given more than a line. */
const LONG = 200;

export function readFields(schema: JsonSchema, details: Details): readonly Field[] {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(properties).map(([name, field]) =>
    readField(name, isRecord(field) ? field : {}, required.includes(name), details),
  );
}

function readField(name: string, schema: JsonSchema, required: boolean, details: Details): Field {
  const { title } = schema;
  const { options = {}, bounds = {} } = details;
  const kind = kindOf(schema, options, Object.hasOwn(bounds, name) ? (bounds[name] ?? {}) : {});
  const description = descriptionIn(schema, kind);
  return {
    name,
    label: typeof title === "string" ? title : name,
    ...(description === "" ? {} : { description }),
    required,
    suggestion: suggestionFor(kind, schema["default"]),
    ...kind,
  };
}

/** Without what the server says there of each choice, for clients that have no other place for it: it is beside them here. */
function descriptionIn({ description }: JsonSchema, kind: FieldKind): string {
  if (typeof description !== "string") return "";
  const choices = "choices" in kind ? kind.choices : [];
  return choices
    .reduce((left, choice) => left.replace(`${choice.title}: ${choice.description ?? ""}.`, ""), description)
    .trim();
}

function kindOf(
  schema: JsonSchema,
  descriptions: { readonly [value: string]: string },
  bounds: JsonSchema,
): FieldKind {
  const choices = choicesIn(schema, descriptions);
  if (choices.length > 0) return { kind: "choice", choices };
  switch (schema["type"]) {
    case "boolean":
      return { kind: "yes-no" };
    case "number":
    case "integer":
      if (isRating(schema, bounds)) return { kind: "rating", max: Number(schema["maximum"]) };
      return {
        kind: "number",
        integer: schema["type"] === "integer",
        ...numbersIn(schema, { min: "minimum", max: "maximum" }),
        ...numbersIn(bounds, { above: "exclusiveMinimum", below: "exclusiveMaximum" }),
      };
    case "string":
      return textKind(schema, bounds);
    case "array": {
      const several = isRecord(schema["items"]) ? choicesIn(schema["items"], descriptions) : [];
      if (several.length === 0) return { kind: "json" };
      return {
        kind: "choices",
        choices: several,
        ...numbersIn(schema, { min: "minItems", max: "maxItems" }),
      };
    }
    default:
      return { kind: "json" };
  }
}

/** Whether a Photon server says that a number is a rating, and it has few enough stars. */
function isRating({ type, minimum, maximum }: JsonSchema, { rating }: JsonSchema): boolean {
  const isMax = Number.isInteger(maximum) && Number(maximum) >= 2 && Number(maximum) <= 10;
  return rating === true && type === "integer" && minimum === 1 && isMax;
}

function textKind(schema: JsonSchema, bounds: JsonSchema): FieldKind {
  const { format } = schema;
  const { pattern, patternMessage, formatMinimum: min, formatMaximum: max } = bounds;
  const shape = {
    ...(typeof pattern === "string" ? { pattern } : {}),
    ...(typeof patternMessage === "string" ? { patternMessage } : {}),
  };
  if (format === "date" || format === "date-time")
    return {
      kind: "date",
      time: format === "date-time",
      ...(typeof min === "string" ? { min } : {}),
      ...(typeof max === "string" ? { max } : {}),
      ...shape,
    };
  const lengths = numbersIn(schema, { minLength: "minLength", maxLength: "maxLength" });
  return {
    kind: "text",
    ...(typeof format === "string" ? { format } : {}),
    ...lengths,
    ...shape,
    long: format === undefined && (lengths.maxLength ?? 0) > LONG,
  };
}

/** The choices of a field: with titles (`oneOf`, `anyOf`), or plain, with or without names beside them. */
function choicesIn(
  schema: JsonSchema,
  descriptions: { readonly [value: string]: string },
): readonly Choice[] {
  const { oneOf, anyOf, enum: plain, enumNames } = schema;
  const named: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
  const titled: unknown = oneOf ?? anyOf;
  const pairs: readonly (readonly [unknown, unknown])[] = Array.isArray(titled)
    ? titled.filter(isRecord).map(({ const: value, title }) => [value, title] as const)
    : Array.isArray(plain)
      ? plain.map((value: unknown, index) => [value, named[index]] as const)
      : [];
  return pairs.flatMap(([value, title]) => {
    if (typeof value !== "string") return [];
    const description = Object.hasOwn(descriptions, value) ? descriptions[value] : undefined;
    return [
      {
        value,
        title: typeof title === "string" ? title : value,
        ...(description === undefined ? {} : { description }),
      },
    ];
  });
}

function suggestionFor(kind: FieldKind, value: unknown): Draft {
  switch (kind.kind) {
    case "choices":
      return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
    case "yes-no":
      return typeof value === "boolean" ? (value ? "yes" : "no") : "";
    case "date":
      return typeof value === "string" ? (kind.time ? localTime(value) : value) : "";
    case "json":
      return value === undefined ? "" : JSON.stringify(value);
    default:
      return typeof value === "string" || typeof value === "number" ? String(value) : "";
  }
}

/** Those of a schema's bounds that are numbers, under names of ours. */
function numbersIn<Name extends string>(
  schema: JsonSchema,
  keywords: { readonly [name in Name]: string },
): { readonly [name in Name]?: number } {
  const found = Object.entries<string>(keywords).flatMap(([name, keyword]) => {
    const value = schema[keyword];
    return typeof value === "number" ? [[name, value] as const] : [];
  });
  // Its names are those of `keywords`, which `Object.entries` forgets.
  return Object.fromEntries(found) as { readonly [name in Name]?: number };
}
