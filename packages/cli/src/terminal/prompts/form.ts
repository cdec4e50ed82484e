/**
 * Prompts for a form, field by field, and shows all answers for review before they are sent.
 *
 *   1. A field is checked when it is answered, the whole form when it is sent.
 *   2. Declining or cancelling one field declines or cancels the form.
 *   3. A field that is left empty is left out of the answer.
 */
import {
  checkAnswer,
  fieldAsk,
  type FieldAsk,
  type FormAsk,
  type JsonSchema,
  type Reply,
  suggestedFields,
} from "@photon/core";
import { isRecord } from "../../unknown.ts";
import type { PromptContext, PromptOptions } from "../run-prompt.ts";
import { cleanText, oneLine, sentenceOf } from "../text.ts";
import { askField } from "./basic.ts";
import { choose } from "./choice.ts";

type FieldValues = Map<string, unknown>;

export async function askForm(ask: FormAsk, { context, check }: PromptOptions): Promise<Reply> {
  const { clack, terminal } = context;
  const { output, colors } = terminal;
  const about = ask.description === undefined ? [] : [colors.dim(cleanText(ask.description))];
  clack.log.step([cleanText(ask.message), ...about].join("\n"), { output });
  const content: FieldValues = new Map();
  for (const name of Object.keys(ask.schema.properties)) {
    const stopped = await fillIn(name, ask, content, context);
    if (stopped !== undefined) return stopped;
  }
  for (;;) {
    const next = await review(ask, content, context);
    if (next.action !== "accept") return next;
    if (next.value === "decline") return { action: "decline" };
    if (next.value === "send") {
      const value = Object.fromEntries(content);
      const problem = await check(value);
      if (problem === undefined) return { action: "accept", value };
      clack.log.warn(problem, { output });
    } else {
      const stopped = await fillIn(String(next.value).slice("field:".length), ask, content, context);
      if (stopped !== undefined) return stopped;
    }
  }
}

/** Prompts for one field; returns a reply if that ends the form. */
async function fillIn(
  name: string,
  ask: FormAsk,
  content: FieldValues,
  context: PromptContext,
): Promise<Reply | undefined> {
  const { schema } = ask;
  const isOptional = schema.required?.includes(name) !== true;
  const given = content.has(name) ? content.get(name) : schema.properties[name]?.["default"];
  const field: JsonSchema = {
    ...schema.properties[name],
    ...(given === undefined ? {} : { default: given }),
  };
  const reply = await askField(fieldAsk(name, field), {
    context,
    isOptional,
    check: (value) => checkField(name, { field, root: schema, value }),
  });
  if (reply.action !== "accept") return reply;
  if (reply.value === undefined) content.delete(name);
  else content.set(name, reply.value);
  return undefined;
}

/** The form with its suggestion in the defaults of the fields. */
export const withSuggestions = (ask: FormAsk): FormAsk => ({
  ...ask,
  schema: { ...ask.schema, properties: suggestedFields(ask) },
});

interface GivenField {
  readonly field: JsonSchema;
  /** The schema that the field is part of: it may refer to its definitions. */
  readonly root: JsonSchema;
  /** Undefined if the field was left empty. */
  readonly value: unknown;
}

/** Checks one field as a form of its own; returns what is wrong with its value. */
export async function checkField(
  name: string,
  { field, root: { $defs, definitions }, value }: GivenField,
): Promise<string | undefined> {
  const schema = {
    ...(isRecord($defs) ? { $defs } : {}),
    ...(isRecord(definitions) ? { definitions } : {}),
    type: "object" as const,
    properties: { [name]: field },
    required: [name],
  };
  const verdict = await checkAnswer(
    { emit: "ask", ask: "form", message: name, schema },
    value === undefined ? {} : { [name]: value },
  );
  return "problem" in verdict ? sentenceOf(verdict.problem) : undefined;
}

/** Shows the answers; the person sends them, changes a field, or declines. */
function review(ask: FormAsk, content: FieldValues, context: PromptContext): Promise<Reply> {
  const rows = Object.entries(ask.schema.properties).map(([name, field]) => ({
    name,
    title: oneLine(typeof field["title"] === "string" ? field["title"] : name),
    shown: content.has(name) ? shownValue(content.get(name), fieldAsk(name, field)) : "(empty)",
  }));
  context.clack.note(rows.map(({ title, shown }) => `${title}: ${shown}`).join("\n"), "Your answers", {
    output: context.terminal.output,
  });
  const options = [
    { value: "send", title: "Send it" },
    ...rows.map(({ name, title }) => ({ value: `field:${name}`, title: `Change ${title}` })),
    { value: "decline", title: "Decline" },
  ];
  return choose({ message: "Send these answers?" }, options, "send", { context, isOptional: false });
}

function shownValue(value: unknown, ask: FieldAsk): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map((one: unknown) => shownValue(one, ask)).join(", ") || "(none)";
  const choice = "options" in ask ? ask.options.find((option) => option.value === value) : undefined;
  return oneLine(choice?.title ?? String(value));
}
