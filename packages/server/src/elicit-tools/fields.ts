/** The fields that a model can ask for: their input schemas and limits, and the asks they become. */
import {
  ask,
  type AskOptions,
  type FieldAsk,
  fieldKinds,
  type JsonSchema,
  omitUndefined,
  type Yieldable,
} from "@photon/core";

const NAME = { type: "string", minLength: 1, maxLength: 100 };
const NOTE = { type: "string", maxLength: 500 };

/** The longest text that a model can ask for, in characters. */
export const MAX_ANSWER_LENGTH = 10_000;

export const MAX_FIELDS = 20;

const MAX_OPTIONS = 50;

export const messageSchema: JsonSchema = {
  type: "string",
  minLength: 1,
  maxLength: 2000,
  description: "The question, in the words the person will read.",
};

export const labelSchema: JsonSchema = { ...NAME, description: "The name of the field." };

export const descriptionSchema: JsonSchema = { ...NOTE, description: "What helps to answer it." };

export const optionsSchema: JsonSchema = {
  type: "array",
  minItems: 1,
  maxItems: MAX_OPTIONS,
  description: "What to choose from: texts, or values with a title and a description.",
  items: {
    anyOf: [
      NAME,
      {
        type: "object",
        properties: { value: NAME, title: NAME, description: NOTE },
        required: ["value"],
        additionalProperties: false,
      },
    ],
  },
};

type Option = string | { readonly value: string; readonly title?: string; readonly description?: string };

/** Kinds of one value that a person types. */
export const typedKinds: readonly string[] = [
  "text",
  "email",
  "uri",
  "number",
  "integer",
  "date",
  "date-time",
];

/** Kinds whose possible answers the model writes: these cannot ask for a secret. */
const CHOSEN_KINDS: readonly string[] = ["confirm", "rating", "choice", "choices"];

/** The kinds of the fields of a form: these, and the other kinds of core under their own names. */
const formKinds: readonly string[] = [...new Set([...typedKinds, ...CHOSEN_KINDS, ...fieldKinds])].filter(
  (kind) => kind !== "select" && kind !== "multiselect",
);

export const canAskForSecret = ({ kind }: FieldInput): boolean => !CHOSEN_KINDS.includes(kind);

/** A field in the input of a tool. Its schema has been checked; the values of `default`, `min` and `max` have not. */
export interface FieldInput {
  /** One of `formKinds`. */
  readonly kind: string;
  readonly label?: string;
  readonly description?: string;
  readonly options?: readonly Option[];
  readonly default?: unknown;
  readonly min?: unknown;
  readonly max?: unknown;
}

const BOUND =
  "of a text its length, of a number its value, of a date the day or moment, of choices how many, of a rating its stars (max only, 2 to 10)";

/** The properties of a field beside its kind. */
export const fieldProperties: { readonly [name: string]: JsonSchema } = {
  label: labelSchema,
  description: descriptionSchema,
  default: {
    type: ["string", "number", "boolean", "array"],
    description: "A suggestion, shown to the person.",
  },
  min: { type: ["number", "string"], description: `At least: ${BOUND}.` },
  max: { type: ["number", "string"], description: `At most: ${BOUND}.` },
};

/** The input of a form. */
export const fieldsSchema: JsonSchema = {
  type: "object",
  description: "The fields by name, in the order they are shown.",
  minProperties: 1,
  maxProperties: MAX_FIELDS,
  propertyNames: { pattern: "^[A-Za-z][A-Za-z0-9_-]{0,63}$" },
  additionalProperties: {
    type: "object",
    properties: {
      kind: { type: "string", enum: formKinds },
      required: {
        type: "boolean",
        description: "Whether it must be filled in; it must, unless this is false.",
      },
      options: optionsSchema,
      ...fieldProperties,
    },
    required: ["kind"],
    additionalProperties: false,
  },
};

/** Options of every ask of these tools. */
type AskDefaults = Pick<AskOptions<never>, "timeout" | "retries">;

/** The ask for a field. Throws `InvalidAsk` where an option does not fit the kind. */
export function questionFor(
  message: string,
  { kind, options = [], min, max, ...words }: FieldInput,
  defaults: AskDefaults = {},
): Yieldable<FieldAsk, unknown> {
  const bounded = unchecked({ ...defaults, ...words, min, max });
  const maxLength = typeof max === "number" ? Math.min(max, MAX_ANSWER_LENGTH) : (max ?? MAX_ANSWER_LENGTH);
  const ofText = unchecked({ ...defaults, ...words, minLength: min, maxLength });
  switch (kind) {
    case "text":
      return ask.text(message, ofText);
    case "email":
    case "uri":
      return ask.text(message, { ...ofText, format: kind });
    case "integer":
      return ask.number(message, { ...bounded, integer: true });
    case "date-time":
      return ask.date(message, { ...bounded, time: true });
    case "choice":
      return ask.select(message, options, bounded);
    case "choices":
      return ask.multiselect(message, options, bounded);
    default:
      // The schema of the field lets no other kinds through. Their constructors take a message and options.
      return ask[kind as "number"](message, bounded);
  }
}

/** Options whose types the constructors check. */
const unchecked = (options: object): { readonly [option: string]: never } => omitUndefined(options) as never;
