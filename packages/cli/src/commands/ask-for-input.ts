/** Asks the person for what a tool's input still needs. */
import { checkAnswer, choicesIn, fieldAsk, jsonFrom, type JsonSchema, type Reply } from "@photon/core";
import { isRecord } from "../is-record.ts";
import type { Check, PromptContext } from "../terminal/prompt.ts";
import { askField } from "../terminal/prompts/basic.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { sentenceOf } from "../terminal/text.ts";
import { fieldsOf, type InputField } from "./input-schema.ts";

/** The input with what was missing; nothing where the person left. */
export async function askForInput(
  schema: JsonSchema,
  given: object,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<object | undefined> {
  const missing = fieldsOf(schema).filter(
    ({ name, isRequired }) => isRequired && !Object.hasOwn(given, name),
  );
  if (missing.length === 0) return given;
  const context: PromptContext = { clack: await import("@clack/prompts"), terminal, signal };
  const input: { [name: string]: unknown } = { ...given };
  for (const field of missing) {
    const reply = await askOne(field, schema, context);
    if (reply.action !== "accept") return undefined;
    input[field.name] = reply.value;
  }
  return input;
}

async function askOne(
  { name, schema }: InputField,
  root: JsonSchema,
  context: PromptContext,
): Promise<Reply> {
  const check = checkOf(name, schema, root);
  if (isFlat(schema)) return askField(fieldAsk(name, schema), { context, check, isOptional: false });
  // What has parts of its own is written as JSON.
  const ask = fieldAsk(name, { type: "string", title: `${name} (JSON)`, ...described(schema) });
  const reply = await askField(ask, {
    context,
    check: (text) => check(jsonFrom(String(text))),
    isOptional: false,
  });
  return reply.action === "accept" ? { action: "accept", value: jsonFrom(String(reply.value)) } : reply;
}

/** Whether a value of a schema can be asked for in one prompt. */
export function isFlat(schema: JsonSchema): boolean {
  if (schema.type === "array") return choicesIn(schema).length > 0;
  return ["string", "number", "integer", "boolean"].includes(String(schema.type));
}

const described = ({ description }: JsonSchema): object =>
  typeof description === "string" ? { description } : {};

/** Checks one field of an input, as if it were all of it. */
function checkOf(name: string, field: JsonSchema, root: JsonSchema): Check {
  const definitions = Object.fromEntries(
    ["$defs", "definitions"]
      .filter((keyword) => isRecord(root[keyword]))
      .map((keyword) => [keyword, root[keyword]]),
  );
  const schema = { ...definitions, type: "object" as const, properties: { [name]: field }, required: [name] };
  return async (value) => {
    const verdict = await checkAnswer({ emit: "ask", ask: "form", message: name, schema }, { [name]: value });
    return "problem" in verdict ? sentenceOf(verdict.problem) : undefined;
  };
}
