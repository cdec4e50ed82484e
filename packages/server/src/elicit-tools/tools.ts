import { ask, type FieldMap, type JsonSchema, tool, type Tool } from "@photon/core";
import {
  chosenKinds,
  descriptionSchema,
  type Field,
  fieldProperties,
  type AskDefaults,
  messageSchema,
  MAX_FIELDS,
  type Option,
  optionsSchema,
  outcomeSchema,
  questionFor,
  toToolOutput,
  typedKinds,
} from "./fields.ts";

interface ChoiceInput {
  readonly message: string;
  readonly description?: string;
  readonly options: readonly Option[];
  readonly multiple?: boolean;
  readonly min?: number;
  readonly max?: number;
}

const count: JsonSchema = { type: "integer", minimum: 0 };

export function elicitChoice(defaults: AskDefaults): Tool<never> {
  return tool({
    name: "elicit_choice",
    title: "Ask for a choice",
    description:
      "Asks the person to choose: one of the options, or several with multiple. The value is that of the option, or a list of them.",
    annotations: { readOnlyHint: true, openWorldHint: false },
    input: {
      type: "object",
      properties: {
        message: messageSchema,
        description: descriptionSchema,
        options: optionsSchema,
        multiple: { type: "boolean", description: "Whether several may be chosen." },
        min: { ...count, description: "With multiple: at least so many." },
        max: { ...count, description: "With multiple: at most so many." },
      },
      required: ["message", "options"],
      additionalProperties: false,
    },
    output: outcomeSchema({ anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] }),
    async *run(given) {
      // The schema above has been checked.
      const { message: question, options: choices, multiple, ...rest } = given as unknown as ChoiceInput;
      // Bounds are passed on for a select too, which refuses them: they must not be ignored.
      const about = { ...defaults, ...rest };
      if (multiple === true)
        return toToolOutput(yield* ask.outcome(ask.multiselect(question, choices, about)));
      return toToolOutput(yield* ask.outcome(ask.select(question, choices, about)));
    },
  });
}

interface ConfirmInput {
  readonly message: string;
  readonly description?: string;
  readonly dangerous?: boolean;
}

export function elicitConfirm(defaults: AskDefaults): Tool<never> {
  return tool({
    name: "elicit_confirm",
    title: "Ask for a yes or no",
    description:
      "Asks the person a question of yes or no. Go ahead only with action accept and value true; anything else is no yes.",
    annotations: { readOnlyHint: true, openWorldHint: false },
    input: {
      type: "object",
      properties: {
        message: messageSchema,
        description: descriptionSchema,
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
      // The schema above has been checked.
      const { message: question, ...about } = given as unknown as ConfirmInput;
      return toToolOutput(yield* ask.outcome(ask.confirm(question, { ...defaults, ...about })));
    },
  });
}

type FormField = Field & { readonly required?: boolean };

interface FormInput {
  readonly message: string;
  readonly fields: { readonly [name: string]: FormField };
}

const fieldSchema: JsonSchema = {
  type: "object",
  properties: {
    kind: { type: "string", enum: [...typedKinds, ...chosenKinds] },
    required: {
      type: "boolean",
      description: "Whether it must be filled in; it must, unless this is false.",
    },
    options: optionsSchema,
    ...fieldProperties,
  },
  required: ["kind"],
  additionalProperties: false,
};

export function elicitForm(defaults: AskDefaults): Tool<never> {
  return tool({
    name: "elicit_form",
    title: "Ask for several values",
    description:
      "Asks the person to fill in a form. The value has a property for each field that was filled in. Never for passwords, keys, tokens or card numbers: such forms are refused.",
    annotations: { readOnlyHint: true, openWorldHint: false },
    input: {
      type: "object",
      properties: {
        message: messageSchema,
        fields: {
          type: "object",
          description: "The fields by name, in the order they are shown.",
          minProperties: 1,
          maxProperties: MAX_FIELDS,
          propertyNames: { pattern: "^[A-Za-z][A-Za-z0-9_-]{0,63}$" },
          additionalProperties: fieldSchema,
        },
      },
      required: ["message", "fields"],
      additionalProperties: false,
    },
    output: outcomeSchema({ type: "object" }),
    async *run(given) {
      // The schema above has been checked.
      const { message: question, fields } = given as unknown as FormInput;
      await refuseSecretFields(question, fields);
      const asks = Object.entries(fields).map(([name, about]) => [name, askFor(name, about)] as const);
      return toToolOutput(yield* ask.outcome(ask.form(question, Object.fromEntries(asks), defaults)));
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
  // A choice or a confirm may be about a password: "Reset it?"
  if (typed.length === 0) return;
  const { rejectSecretQuestions } = await import("./secret-guard.ts");
  rejectSecretQuestions([question, ...words]);
}

type FieldInput = Field & { readonly message: string };

export function elicitInput(defaults: AskDefaults): Tool<never> {
  return tool({
    name: "elicit_input",
    title: "Ask for a value",
    description:
      "Asks the person to type one value: a text, an email or web address, a number, a date. Never for passwords, keys, tokens or card numbers: such questions are refused.",
    annotations: { readOnlyHint: true, openWorldHint: false },
    input: {
      type: "object",
      properties: {
        message: messageSchema,
        kind: { type: "string", enum: typedKinds, default: "text" },
        ...fieldProperties,
      },
      required: ["message"],
      additionalProperties: false,
    },
    output: outcomeSchema({ type: ["string", "number"] }),
    async *run(given) {
      // The schema above has been checked.
      const { message: question, ...field } = given as unknown as FieldInput;
      const { rejectSecretQuestions } = await import("./secret-guard.ts");
      rejectSecretQuestions([question, field.label, field.description]);
      return toToolOutput(yield* ask.outcome(questionFor(question, field, defaults)));
    },
  });
}
