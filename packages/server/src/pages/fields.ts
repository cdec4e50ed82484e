/** What a person fills in to answer a question: its fields, and by what control each is filled. Pure. */
import type { Choice, JsonSchema } from "@photon/core";
import { choicesIn, fieldsOf, hasForm } from "../protocol/elicitation-form.ts";
import type { OpenAsk } from "./types.ts";

type Control =
  | { readonly kind: "line"; readonly type: "text" | "email" | "url" }
  | { readonly kind: "lines" | "number" | "yes-no" | "day" | "moment" | "secret" | "file" }
  | { readonly kind: "one" | "some"; readonly choices: readonly Choice[] };

export interface Field {
  /** Its name in the answer. */
  readonly name: string;
  /** Its name on the page, which is ours: what authors call their fields gets nowhere near one. */
  readonly input: string;
  /** Nothing where the question itself says what goes in. */
  readonly label?: string | undefined;
  readonly description?: string | undefined;
  readonly isRequired: boolean;
  readonly control: Control;
  /** What fits, and what is suggested. */
  readonly schema: JsonSchema;
}

/** Longer texts have more than one line. */
const LONGEST_LINE = 200;

export function fieldsFor(question: OpenAsk): readonly Field[] {
  // Yes, no and done are said by buttons.
  if (question.ask === "confirm" || question.ask === "url") return [];
  if (question.ask !== "form") return [onlyField(question)];
  const { properties, required } = fieldsOf(question);
  return Object.entries(properties).map(([name, schema], index) => ({
    name,
    input: `f${index}`,
    label: textIn(schema["title"]) ?? name,
    description: textIn(schema["description"]),
    isRequired: required.includes(name),
    control: controlFor(schema),
    schema,
  }));
}

/** The field of a question for one value. */
function onlyField(question: Exclude<OpenAsk, { ask: "confirm" | "url" | "form" }>): Field {
  const field = { name: "value", input: "f0", label: question.label, isRequired: true };
  if (question.ask === "secret") {
    const { minLength, maxLength } = question;
    return { ...field, control: { kind: "secret" }, schema: { type: "string", minLength, maxLength } };
  }
  if (question.ask === "file") {
    const { accept, maxBytes } = question;
    return { ...field, control: { kind: "file" }, schema: { type: "object", accept, maxBytes } };
  }
  const schema = hasForm(question) ? (fieldsOf(question).properties["value"] ?? {}) : {};
  return { ...field, control: controlFor(schema), schema };
}

function controlFor(schema: JsonSchema): Control {
  switch (schema.type) {
    case "boolean":
      return { kind: "yes-no" };
    case "number":
    case "integer":
      return { kind: "number" };
    case "array":
      return { kind: "some", choices: choicesIn(schema) };
    default:
      return controlForText(schema);
  }
}

function controlForText(schema: JsonSchema): Control {
  const { const: only, enum: plain, oneOf, anyOf, format, maxLength } = schema;
  if (typeof only === "string") return { kind: "one", choices: [{ value: only, title: only }] };
  if (plain !== undefined || oneOf !== undefined || anyOf !== undefined)
    return { kind: "one", choices: choicesIn(schema) };
  if (format === "date") return { kind: "day" };
  if (format === "date-time") return { kind: "moment" };
  if (format === "email") return { kind: "line", type: "email" };
  if (format === "uri") return { kind: "line", type: "url" };
  const suggestion = textIn(schema["default"]) ?? "";
  const isLong = Number(maxLength) > LONGEST_LINE || suggestion.length > LONGEST_LINE;
  return isLong || suggestion.includes("\n") ? { kind: "lines" } : { kind: "line", type: "text" };
}

const textIn = (given: unknown): string | undefined =>
  typeof given === "string" && given !== "" ? given : undefined;
