import { ask, tool, type FieldMap, type JsonSchema, type Tool } from "@photon/core";
import { chosenKinds, fieldProperties, questionFor, typedKinds, type Field } from "./field.ts";
import { message, MOST_FIELDS, options } from "./limits.ts";
import type { Manner } from "./manner.ts";
import { outcomeSchema, toldOf } from "./outcome.ts";

type FormField = Field & { readonly required?: boolean };

interface FormInput {
  readonly message: string;
  readonly fields: { readonly [name: string]: FormField };
}

const field: JsonSchema = {
  type: "object",
  properties: {
    kind: { type: "string", enum: [...typedKinds, ...chosenKinds] },
    required: {
      type: "boolean",
      description: "Whether it must be filled in; it must, unless this is false.",
    },
    options,
    ...fieldProperties,
  },
  required: ["kind"],
  additionalProperties: false,
};

export function elicitForm(manner: Manner): Tool<never> {
  return tool({
    name: "elicit_form",
    title: "Ask for several values",
    description:
      "Asks the person to fill in a form. The value has a property for each field that was filled in. Never for passwords, keys, tokens or card numbers: such forms are refused.",
    annotations: { readOnlyHint: true, openWorldHint: false },
    input: {
      type: "object",
      properties: {
        message,
        fields: {
          type: "object",
          description: "The fields by name, in the order they are shown.",
          minProperties: 1,
          maxProperties: MOST_FIELDS,
          propertyNames: { pattern: "^[A-Za-z][A-Za-z0-9_-]{0,63}$" },
          additionalProperties: field,
        },
      },
      required: ["message", "fields"],
      additionalProperties: false,
    },
    output: outcomeSchema({ type: "object" }),
    async *run(given) {
      // As the schema above has let it through.
      const { message: question, fields } = given as unknown as FormInput;
      await refuseSecretFields(question, fields);
      const asks = Object.entries(fields).map(([name, about]) => [name, askFor(name, about)] as const);
      return toldOf(yield* ask.outcome(ask.form(question, Object.fromEntries(asks), manner)));
    },
  });
}

function askFor(name: string, { required = true, ...about }: FormField): FieldMap[string] {
  const question = questionFor(about.label ?? name, about);
  return required ? question : ask.optional(question);
}

async function refuseSecretFields(question: string, fields: FormInput["fields"]): Promise<void> {
  const typed = Object.entries(fields).filter(([, { kind }]) => typedKinds.some((one) => one === kind));
  const words = typed.flatMap(([name, { label, description }]) => [name, label, description]);
  // What is only chosen or agreed to may well be about a password: "Reset it?"
  if (typed.length === 0) return;
  const { refuseSecrets } = await import("./refuse-secrets.ts");
  refuseSecrets([question, ...words]);
}
