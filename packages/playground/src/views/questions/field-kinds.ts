/** The kinds of fields: which schema is of which kind, and how a draft of it is read. `field-view.tsx` draws them. Pure. */
import type { JsonSchema } from "../../desk/offer.ts";
import { isRecord } from "../../is-record.ts";
import type { Draft } from "./draft.ts";
import {
  type Read,
  readChoice,
  readChoices,
  readDate,
  readJson,
  readNumber,
  readText,
} from "./read-values.ts";

/** One thing that a question wants to know, as it is asked for. */
export type Field = {
  readonly name: string;
  readonly label: string;
  readonly description?: string;
  readonly required: boolean;
  /** What is there before anybody has typed. */
  readonly suggestion: Draft;
} & FieldKind;

export type FieldKind =
  | {
      readonly kind: "text";
      readonly format?: string;
      readonly minLength?: number;
      readonly maxLength?: number;
      readonly pattern?: string;
      /** What fits the pattern, in the author's words. */
      readonly patternMessage?: string;
      /** Wants more than a line. */
      readonly long: boolean;
    }
  | {
      readonly kind: "number";
      readonly integer: boolean;
      readonly min?: number;
      readonly max?: number;
      /** It must be more than this. */
      readonly above?: number;
      /** It must be less than this. */
      readonly below?: number;
    }
  /** Stars, from 1 to `max`. */
  | { readonly kind: "rating"; readonly max: number }
  | { readonly kind: "yes-no" }
  | { readonly kind: "choice"; readonly choices: readonly Choice[] }
  | {
      readonly kind: "choices";
      readonly choices: readonly Choice[];
      readonly min?: number;
      readonly max?: number;
    }
  | {
      readonly kind: "date";
      readonly time: boolean;
      readonly min?: string;
      readonly max?: string;
      readonly pattern?: string;
      /** What fits the pattern, in the author's words. */
      readonly patternMessage?: string;
    }
  /** Something that forms have no box for. */
  | { readonly kind: "json" };

export interface Choice {
  readonly value: string;
  readonly title: string;
  readonly description?: string;
}

export type FieldOf<K extends Field["kind"]> = Extract<Field, { readonly kind: K }>;

/** From so many characters on, a text is given more than a line. */
const LONG = 200;

export function kindOf(
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

/** Reads a draft by kind. The draft is empty only in a list of choices. */
const READERS: { readonly [Kind in Field["kind"]]: (field: FieldOf<Kind>, draft: Draft) => Read } = {
  text: (field, draft) => readText(field, String(draft)),
  number: (field, draft) => readNumber(field, String(draft)),
  rating: ({ max }, draft) => readNumber({ integer: true, min: 1, max }, String(draft)),
  "yes-no": (_, draft) => ({ value: draft === "yes" }),
  choice: (field, draft) => readChoice(field, String(draft)),
  choices: readChoices,
  date: (field, draft) => readDate(field, String(draft)),
  json: (_, draft) => readJson(String(draft)),
};

export function readDraft(field: Field, draft: Draft): Read {
  // The reader of its kind takes the field.
  const read = READERS[field.kind] as (field: Field, draft: Draft) => Read;
  if (field.kind === "choices" || String(draft).trim() !== "") return read(field, draft);
  return field.required ? { problem: isGroup(field) ? "Choose one." : "Fill this in." } : undefined;
}

/** Kinds that are drawn as several controls, of which one or some are chosen. */
const GROUPS: ReadonlySet<Field["kind"]> = new Set(["rating", "yes-no", "choice", "choices"]);

export const isGroup = ({ kind }: Field): boolean => GROUPS.has(kind);
