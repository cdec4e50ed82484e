/** One thing that a model wants to know, and the question for it. */
import { ask, type Answerable, type FieldAsk, type JsonSchema } from "@photon/core";
import { description, label, LONGEST_ANSWER, type Option } from "./limits.ts";
import type { Manner } from "./manner.ts";

type TypedKind = "text" | "email" | "uri" | "number" | "integer" | "date" | "date-time";
type ChosenKind = "confirm" | "choice" | "choices";

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
export const chosenKinds: readonly ChosenKind[] = ["confirm", "choice", "choices"];

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

const BOUND = "of a text its length, of a number its value, of a date the day or moment, of choices how many";

/** What a field may say beside its kind, as properties of an input schema. */
export const fieldProperties: { readonly [name: string]: JsonSchema } = {
  label,
  description,
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
  manner: Manner = {},
): Answerable<FieldAsk, unknown> {
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
