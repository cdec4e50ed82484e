import { ask, tool, type Tool } from "@photon/core";
import { fieldProperties, questionFor, typedKinds, type Field } from "./field.ts";
import { message } from "./limits.ts";
import type { Manner } from "./manner.ts";
import { outcomeSchema, toldOf } from "./outcome.ts";

type FieldInput = Field & { readonly message: string };

export function elicitInput(manner: Manner): Tool<never> {
  return tool({
    name: "elicit_input",
    title: "Ask for a value",
    description:
      "Asks the person to type one value: a text, an email or web address, a number, a date. Never for passwords, keys, tokens or card numbers: such questions are refused.",
    annotations: { readOnlyHint: true, openWorldHint: false },
    input: {
      type: "object",
      properties: {
        message,
        kind: { type: "string", enum: typedKinds, default: "text" },
        ...fieldProperties,
      },
      required: ["message"],
      additionalProperties: false,
    },
    output: outcomeSchema({ type: ["string", "number"] }),
    async *run(given) {
      // As the schema above has let it through.
      const { message: question, ...field } = given as unknown as FieldInput;
      const { refuseSecrets } = await import("./refuse-secrets.ts");
      refuseSecrets([question, field.label, field.description]);
      return toldOf(yield* ask.outcome(questionFor(question, field, manner)));
    },
  });
}
