/**
 * Tools with which a model asks the user.
 *
 *   1. They return `{ action, value? }`. There is a value only where the user accepted.
 *   2. The client and the model see what is typed into a form, so no form asks for a secret.
 *   3. The length of texts and the number of choices and fields are limited.
 */
import {
  type AskAll,
  ask,
  type JsonSchema,
  type Outcome,
  type Question,
  type Timeout,
  tool,
  type Tool,
  type Yieldable,
} from "@photon/core";
import {
  canAskForSecret,
  descriptionSchema,
  type FieldInput,
  fieldProperties,
  fieldsSchema,
  messageSchema,
  optionsSchema,
  questionFor,
  typedKinds,
} from "./fields.ts";

/** The options of `elicitPack`. */
export interface ElicitPackOptions {
  /** How long a question stays open. The default is the server's, or five minutes. */
  readonly timeout?: Timeout;
}

/** `elicit_choice`, `elicit_input`, `elicit_confirm` and `elicit_form`. */
export function elicitPack({ timeout }: ElicitPackOptions = {}): readonly Tool<never>[] {
  // A user who mistypes is asked again, with a hint.
  const defaults = { retries: 2, ...(timeout === undefined ? {} : { timeout }) };
  return [
    elicitTool<Omit<FieldInput, "kind"> & { multiple?: boolean }>({
      name: "elicit_choice",
      title: "Ask for a choice",
      description:
        "Asks the person to choose: one of the options, or several with multiple. The value is that of the option, or a list of them.",
      properties: {
        description: descriptionSchema,
        options: optionsSchema,
        multiple: { type: "boolean", description: "Whether several may be chosen." },
        min: { ...count, description: "With multiple: at least so many." },
        max: { ...count, description: "With multiple: at most so many." },
      },
      required: ["options"],
      value: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
      // Bounds are passed on for a select too, which refuses them: they must not be ignored.
      question: ({ message, multiple, ...field }) =>
        questionFor(message, { ...field, kind: multiple === true ? "choices" : "choice" }, defaults),
    }),
    elicitTool<FieldInput>({
      name: "elicit_input",
      title: "Ask for a value",
      description:
        "Asks the person to type one value: a text, an email or web address, a number, a date. Never for passwords, keys, tokens or card numbers: such questions are refused.",
      properties: { kind: { type: "string", enum: typedKinds, default: "text" }, ...fieldProperties },
      value: { type: ["string", "number"] },
      typedTexts: ({ message, label, description }) => [message, label, description],
      question: ({ message, ...field }) => questionFor(message, field, defaults),
    }),
    elicitTool<{ description?: string; dangerous?: boolean }>({
      name: "elicit_confirm",
      title: "Ask for a yes or no",
      description:
        "Asks the person a question of yes or no. Go ahead only with action accept and value true; anything else is not a yes.",
      properties: {
        description: descriptionSchema,
        dangerous: {
          type: "boolean",
          description:
            "Whether a yes does harm. The question is then shown as dangerous, and no policy of the server can answer yes.",
        },
      },
      value: { type: "boolean" },
      question: ({ message, ...options }) => ask.confirm(message, { ...defaults, ...options }),
    }),
    elicitTool<{ fields: { readonly [name: string]: FieldInput & { readonly required?: boolean } } }>({
      name: "elicit_form",
      title: "Ask for several values",
      description:
        "Asks the person to fill in a form. The value has a property for each field that was filled in. Never for passwords, keys, tokens or card numbers: such forms are refused.",
      properties: { fields: fieldsSchema },
      required: ["fields"],
      value: { type: "object" },
      typedTexts({ message, fields }) {
        // A choice or a confirm may be about a password: "Reset it?"
        const typed = Object.entries(fields).filter(([, field]) => canAskForSecret(field));
        const texts = typed.flatMap(([name, { label, description }]) => [name, label, description]);
        return texts.length === 0 ? [] : [message, ...texts];
      },
      question({ message, fields }) {
        const asks = Object.entries(fields).map(([name, { required = true, ...field }]) => {
          const question = questionFor(field.label ?? name, field);
          return [name, required ? question : ask.optional(question)] as const;
        });
        return ask.form(message, Object.fromEntries(asks), defaults);
      },
    }),
  ];
}

const count: JsonSchema = { type: "integer", minimum: 0 };

/** `Input`: the input, beside `message`. */
interface ElicitTool<Input> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly properties: NonNullable<JsonSchema["properties"]>;
  readonly required?: readonly string[];
  /** The schema of an answer. */
  readonly value: JsonSchema;
  /** The texts that may not ask for a secret: what the person types is an answer to them. */
  readonly typedTexts?: (input: Input & Message) => readonly (string | undefined)[];
  readonly question: (input: Input & Message) => Yieldable<Question | AskAll, unknown>;
}

interface Message {
  readonly message: string;
}

function elicitTool<Input>({
  properties,
  required = [],
  value,
  typedTexts = () => [],
  question,
  ...names
}: ElicitTool<Input>): Tool<never> {
  return tool({
    ...names,
    annotations: { readOnlyHint: true, openWorldHint: false },
    input: {
      type: "object",
      properties: { message: messageSchema, ...properties },
      required: ["message", ...required],
      additionalProperties: false,
    },
    output: {
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
    },
    async *run(given) {
      // The schema above has been checked.
      const input = given as Input & Message;
      const texts = typedTexts(input);
      if (texts.length > 0) {
        const { rejectSecretQuestions } = await import("./secret-guard.ts");
        rejectSecretQuestions(texts);
      }
      const outcome = yield* ask.outcome(question(input));
      return outcome.action === "accept" ? outcome : { action: outcome.action };
    },
  });
}

const ACTIONS = ["accept", "decline", "cancel", "timeout", "unsupported", "invalid"] as const;
