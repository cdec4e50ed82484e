import { ask, tool, type Tool } from "@photon/core";
import { description, message } from "./limits.ts";
import type { Manner } from "./manner.ts";
import { outcomeSchema, toldOf } from "./outcome.ts";

interface ConfirmInput {
  readonly message: string;
  readonly description?: string;
  readonly dangerous?: boolean;
}

export function elicitConfirm(manner: Manner): Tool<never> {
  return tool({
    name: "elicit_confirm",
    title: "Ask for a yes or no",
    description:
      "Asks the person a question of yes or no. Go ahead only with action accept and value true; anything else is no yes.",
    annotations: { readOnlyHint: true, openWorldHint: false },
    input: {
      type: "object",
      properties: {
        message,
        description,
        dangerous: {
          type: "boolean",
          description:
            "Whether a yes does harm. The question is then shown as dangerous, and no policy of the server can answer yes.",
        },
      },
      required: ["message"],
      additionalProperties: false,
    },
    output: outcomeSchema({ type: "boolean" }),
    async *run(given) {
      // As the schema above has let it through.
      const { message: question, ...about } = given as unknown as ConfirmInput;
      return toldOf(yield* ask.outcome(ask.confirm(question, { ...manner, ...about })));
    },
  });
}
