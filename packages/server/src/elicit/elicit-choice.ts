import { ask, tool, type JsonSchema, type Tool } from "@photon/core";
import { description, message, options, type Option } from "./limits.ts";
import type { Manner } from "./manner.ts";
import { outcomeSchema, toldOf } from "./outcome.ts";

interface ChoiceInput {
  readonly message: string;
  readonly description?: string;
  readonly options: readonly Option[];
  readonly multiple?: boolean;
  readonly min?: number;
  readonly max?: number;
}

const count: JsonSchema = { type: "integer", minimum: 0 };

export function elicitChoice(manner: Manner): Tool<never> {
  return tool({
    name: "elicit_choice",
    title: "Ask for a choice",
    description:
      "Asks the person to choose: one of the options, or several with multiple. The value is that of the option, or a list of them.",
    annotations: { readOnlyHint: true, openWorldHint: false },
    input: {
      type: "object",
      properties: {
        message,
        description,
        options,
        multiple: { type: "boolean", description: "Whether several may be chosen." },
        min: { ...count, description: "With multiple: at least so many." },
        max: { ...count, description: "With multiple: at most so many." },
      },
      required: ["message", "options"],
      additionalProperties: false,
    },
    output: outcomeSchema({ anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] }),
    async *run(given) {
      // As the schema above has let it through.
      const { message: question, options: choices, multiple, ...rest } = given as unknown as ChoiceInput;
      // Bounds go along also where only one is chosen: what has no meaning there is refused, not left out.
      const about = { ...manner, ...rest };
      if (multiple === true) return toldOf(yield* ask.outcome(ask.multiselect(question, choices, about)));
      return toldOf(yield* ask.outcome(ask.select(question, choices, about)));
    },
  });
}
