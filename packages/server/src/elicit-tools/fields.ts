/** The fields that a model can ask for: their input schemas and limits, and the asks they become. */
import {
  type Yieldable,
  ask,
  type AskOptions,
  type FieldAsk,
  type JsonSchema,
  type Outcome,
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

export type Option =
  | string
  | { readonly value: string; readonly title?: string; readonly description?: string };

type TypedKind = "text" | "email" | "uri" | "number" | "integer" | "date" | "date-time";
type ChosenKind = "confirm" | "rating" | "choice" | "choices";

/** Kinds that a person types. Only these can ask for a secret, so only these are checked for it. */
export const typedKinds: readonly TypedKind[] = [
  "text",
  "email",
  "uri",
  "number",
  "integer",
  "date",
  "date-time",
];

/** Kinds whose possible answers the model has written itself. */
export const chosenKinds: readonly ChosenKind[] = ["confirm", "rating", "choice", "choices"];

/** A field in the input of a tool. Its schema has been checked; the values of `default`, `min` and `max` have not. */
export interface Field {
  readonly kind: TypedKind | ChosenKind;
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

/** The ask for a field. Throws `InvalidAsk` where an option does not fit the kind. */
export function questionFor(
  message: string,
  { kind, options = [], min, max, ...words }: Field,
  defaults: AskDefaults = {},
): Yieldable<FieldAsk, unknown> {
  // The constructors check every default and bound.
  const about = { ...defaults, ...words } as { readonly default?: never };
  const bounds = given({ min, max });
  switch (kind) {
    case "text":
      return ask.text(message, { ...about, ...lengths(min, max) });
    case "email":
    case "uri":
      return ask.text(message, { ...about, ...lengths(min, max), format: kind });
    case "number":
    case "integer":
      return ask.number(message, { ...about, ...bounds, integer: kind === "integer" });
    case "date":
    case "date-time":
      return ask.date(message, { ...about, ...bounds, time: kind === "date-time" });
    case "confirm":
      return ask.confirm(message, { ...about, ...bounds });
    case "rating":
      return ask.rating(message, { ...about, ...bounds });
    case "choice":
      return ask.select(message, options, { ...about, ...bounds });
    case "choices":
      return ask.multiselect(message, options, { ...about, ...bounds });
    default:
      return kind satisfies never;
  }
}

/** The bounds that were given. The constructors check their types. */
function given(bounds: object): { readonly [bound: string]: never } {
  return Object.fromEntries(Object.entries(bounds).filter(([, bound]) => bound !== undefined)) as {
    readonly [bound: string]: never;
  };
}

/** The length of a text, at most `MAX_ANSWER_LENGTH`. */
function lengths(min: unknown, max: unknown = MAX_ANSWER_LENGTH): { readonly [bound: string]: never } {
  return given({
    minLength: min,
    maxLength: typeof max === "number" ? Math.min(max, MAX_ANSWER_LENGTH) : max,
  });
}

/** Options of every ask of these tools. */
export type AskDefaults = Pick<AskOptions<never>, "timeout" | "retries">;

const ACTIONS = ["accept", "decline", "cancel", "timeout", "unsupported", "invalid"] as const;

/** The schema of `{ action, value? }`. */
export function outcomeSchema(value: JsonSchema): JsonSchema {
  return {
    type: "object",
    properties: {
      action: {
        type: "string",
        enum: ACTIONS satisfies readonly Outcome<unknown>["action"][],
        description:
          "accept: the person answered. decline: said no to the question. cancel: dismissed it. timeout: did not answer in time. unsupported: the client cannot ask. invalid: answered, and it never fitted.",
      },
      value: { ...value, description: "The answer. There is one with accept, and with nothing else." },
    },
    required: ["action"],
    additionalProperties: false,
  };
}

/** The output of a tool. It has a value only where the user accepted. */
export function toToolOutput<Answer>(outcome: Outcome<Answer>): {
  readonly action: Outcome<Answer>["action"];
  readonly value?: Answer;
} {
  return outcome.action === "accept" ? outcome : { action: outcome.action };
}
