/** What comes of a question, as a model is told it. */
import type { JsonSchema, Outcome } from "@photon/core";

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
export function toldOf<Answer>(outcome: Outcome<Answer>): {
  readonly action: Outcome<Answer>["action"];
  readonly value?: Answer;
} {
  return outcome.action === "accept" ? outcome : { action: outcome.action };
}
