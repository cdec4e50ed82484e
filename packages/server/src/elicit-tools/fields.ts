/** What a model may put before a person, as parts of input schemas. A tool's own author is not bound by it. */
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

/** Characters that a person may type. */
export const LONGEST_ANSWER = 10_000;

export const MOST_FIELDS = 20;

const MOST_OPTIONS = 50;

/** The question itself. */
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
  maxItems: MOST_OPTIONS,
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

/** One of the options. */
export type Option =
  | string
  | { readonly value: string; readonly title?: string; readonly description?: string };

/** One thing that a model wants to know, and the question for it. */

type TypedKind = "text" | "email" | "uri" | "number" | "integer" | "date" | "date-time";
type ChosenKind = "confirm" | "rating" | "choice" | "choices";

/** What a person types: only of these can a secret be asked for. */
export const typedKinds: readonly TypedKind[] = [
  "text",
  "email",
  "uri",
  "number",
  "integer",
  "date",
  "date-time",
];

/** What a person says yes to, or chooses: nothing that the model has not said itself. */
export const chosenKinds: readonly ChosenKind[] = ["confirm", "rating", "choice", "choices"];

/** As it came, once its schema has let it through. */
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

/** What a field may say beside its kind, as properties of an input schema. */
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

/** The question for a field. What does not fit its kind is refused in words, as any impossible question is. */
export function questionFor(
  message: string,
  { kind, options = [], min, max, ...words }: Field,
  manner: AskDefaults = {},
): Yieldable<FieldAsk, unknown> {
  // The constructors look at every default and bound, and refuse what is none for their kind.
  const about = { ...manner, ...words } as { readonly default?: never };
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

/** Without what was left out; the constructors look at the rest. */
function given(bounds: object): { readonly [bound: string]: never } {
  return Object.fromEntries(Object.entries(bounds).filter(([, bound]) => bound !== undefined)) as {
    readonly [bound: string]: never;
  };
}

/** A text is no longer than that, whatever a model says. */
function lengths(min: unknown, max: unknown = LONGEST_ANSWER): { readonly [bound: string]: never } {
  return given({
    minLength: min,
    maxLength: typeof max === "number" ? Math.min(max, LONGEST_ANSWER) : max,
  });
}

/** How every question of the pack is asked. */
export type AskDefaults = Pick<AskOptions<never>, "timeout" | "retries">;

/** What comes of a question, as a model is told it. */

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

/** A value only where a person gave it. */
export function toToolOutput<Answer>(outcome: Outcome<Answer>): {
  readonly action: Outcome<Answer>["action"];
  readonly value?: Answer;
} {
  return outcome.action === "accept" ? outcome : { action: outcome.action };
}
