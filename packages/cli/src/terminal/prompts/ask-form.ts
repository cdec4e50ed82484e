/**
 * A form, field by field, then all of it once more before it is sent.
 *
 *   1. A field is checked when it is left, the whole form when it is sent.
 *   2. To decline or cancel one field is to decline or cancel the form.
 *   3. What was left empty is left out: what then happens to it is for the question to say.
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
import { cleanText, oneLine } from "../clean-text.ts";
import { sentenceOf, type Scene } from "../scene.ts";
import { choose } from "./ask-choice.ts";
import { askField } from "./ask-field.ts";
import type { Field } from "./field.ts";

type Content = Map<string, unknown>;

export async function askForm(ask: FormAsk, { scene, check }: Field): Promise<Reply> {
  const { clack, terminal } = scene;
  const { output, paint } = terminal;
  const about = ask.description === undefined ? [] : [paint.dim(cleanText(ask.description))];
  clack.log.step([cleanText(ask.message), ...about].join("\n"), { output });
  const content: Content = new Map();
  for (const name of Object.keys(ask.schema.properties)) {
    const stopped = await fillIn(name, ask, content, scene);
    if (stopped !== undefined) return stopped;
  }
  for (;;) {
    const next = await review(ask, content, scene);
    if (next.action !== "accept") return next;
    if (next.value === "decline") return { action: "decline" };
    if (next.value === "send") {
      const value = Object.fromEntries(content);
      const problem = await check(value);
      if (problem === undefined) return { action: "accept", value };
      clack.log.warn(problem, { output });
    } else {
      const stopped = await fillIn(String(next.value).slice("field:".length), ask, content, scene);
      if (stopped !== undefined) return stopped;
    }
  }
}

/** Asks for one field; what ends the form, if something does. */
async function fillIn(
  name: string,
  ask: FormAsk,
  content: Content,
  scene: Scene,
): Promise<Reply | undefined> {
  const { schema } = ask;
  const isOptional = schema.required?.includes(name) !== true;
  const given = content.has(name) ? content.get(name) : schema.properties[name]?.["default"];
  const field: JsonSchema = {
    ...schema.properties[name],
    ...(given === undefined ? {} : { default: given }),
  };
  const reply = await askField(fieldAsk(name, field), {
    scene,
    isOptional,
    check: (value) => checkField(name, field, value),
  });
  if (reply.action !== "accept") return reply;
  if (reply.value === undefined) content.delete(name);
  else content.set(name, reply.value);
  return undefined;
}

/** The same form with what it suggests as a whole in its fields. */
export const withSuggestions = (ask: FormAsk): FormAsk => ({
  ...ask,
  schema: { ...ask.schema, properties: suggestedFields(ask) },
});

/** What is wrong with one field, as if it were a form of its own. */
async function checkField(name: string, field: JsonSchema, value: unknown): Promise<string | undefined> {
  const schema = { type: "object" as const, properties: { [name]: field }, required: [name] };
  const verdict = await checkAnswer(
    { emit: "ask", ask: "form", message: name, schema },
    value === undefined ? {} : { [name]: value },
  );
  return "problem" in verdict ? sentenceOf(verdict.problem) : undefined;
}

/** Shows what was filled in; lets send it, change a field, or decline. */
function review(ask: FormAsk, content: Content, scene: Scene): Promise<Reply> {
  const rows = Object.entries(ask.schema.properties).map(([name, field]) => ({
    name,
    title: oneLine(typeof field["title"] === "string" ? field["title"] : name),
    shown: content.has(name) ? shownValue(content.get(name), fieldAsk(name, field)) : "(empty)",
  }));
  scene.clack.note(rows.map(({ title, shown }) => `${title}: ${shown}`).join("\n"), "Your answers", {
    output: scene.terminal.output,
  });
  const options = [
    { value: "send", title: "Send it" },
    ...rows.map(({ name, title }) => ({ value: `field:${name}`, title: `Change ${title}` })),
    { value: "decline", title: "Decline" },
  ];
  return choose({ message: "Send these answers?" }, options, "send", { scene, isOptional: false });
}

function shownValue(value: unknown, ask: FieldAsk): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map((one: unknown) => shownValue(one, ask)).join(", ") || "(none)";
  const choice = "options" in ask ? ask.options.find((option) => option.value === value) : undefined;
  return oneLine(choice?.title ?? String(value));
}
