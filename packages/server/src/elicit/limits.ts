/** What a model may put before a person, as parts of input schemas. A tool's own author is not bound by it. */
import type { JsonSchema } from "@photon/core";

const NAME = { type: "string", minLength: 1, maxLength: 100 };
const NOTE = { type: "string", maxLength: 500 };

/** Characters that a person may type. */
export const LONGEST_ANSWER = 10_000;

export const MOST_FIELDS = 20;

const MOST_OPTIONS = 50;

/** The question itself. */
export const message: JsonSchema = {
  type: "string",
  minLength: 1,
  maxLength: 2000,
  description: "The question, in the words the person will read.",
};

export const label: JsonSchema = { ...NAME, description: "The name of the field." };

export const description: JsonSchema = { ...NOTE, description: "What helps to answer it." };

export const options: JsonSchema = {
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
