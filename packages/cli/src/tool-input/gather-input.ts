/** The input of a tool: `--input`, flags, and the answers of the person to what is missing. */
import { choicesIn, fieldAsk, jsonFrom, type JsonSchema, type Reply } from "@photon/core";
import type { TerminalSession } from "../run/terminal-session.ts";
import type { Check, PromptContext } from "../terminal/run-prompt.ts";
import { askField } from "../terminal/prompts/basic.ts";
import { checkField } from "../terminal/prompts/form.ts";
import { inputFromFlags, readInput, type ToolFlags } from "./parse-input.ts";
import { fieldsOf, type InputField } from "./schema-fields.ts";

interface Given {
  readonly input: string | undefined;
  readonly toolArgs: readonly string[];
}

/** Undefined if the person leaves a prompt. It is not checked yet. */
export async function gatherInput(
  tool: ToolFlags,
  { input, toolArgs }: Given,
  { io, terminal, signals }: TerminalSession,
): Promise<object | undefined> {
  const given = inputFromFlags(toolArgs, tool, await signals.rejectOnAbort(readInput(input, io)));
  const missing = fieldsOf(tool.schema).filter(
    ({ name, isRequired }) => isRequired && !Object.hasOwn(given, name),
  );
  if (missing.length === 0 || !terminal.isInteractive) return given;
  const context: PromptContext = {
    clack: await import("@clack/prompts"),
    terminal,
    signal: signals.run,
  };
  const answers: { [name: string]: unknown } = {};
  for (const field of missing) {
    const reply = await askOne(field, tool.schema, context);
    if (reply.action !== "accept") return undefined;
    answers[field.name] = reply.value;
  }
  return { ...given, ...answers };
}

async function askOne(
  { name, schema }: InputField,
  root: JsonSchema,
  context: PromptContext,
): Promise<Reply> {
  const check: Check = (value) => checkField(name, { field: schema, root, value });
  if (isFlat(schema)) return askField(fieldAsk(name, schema), { context, check, isOptional: false });
  // A value with parts is typed as JSON.
  const ask = fieldAsk(name, { type: "string", title: `${name} (JSON)`, ...described(schema) });
  const reply = await askField(ask, {
    context,
    check: (text) => check(jsonFrom(String(text))),
    isOptional: false,
  });
  return reply.action === "accept" ? { action: "accept", value: jsonFrom(String(reply.value)) } : reply;
}

/** Whether one prompt can ask for a value of this schema. */
export function isFlat(schema: JsonSchema): boolean {
  if (schema.type === "array") return choicesIn(schema).length > 0;
  return ["string", "number", "integer", "boolean"].includes(String(schema.type));
}

const described = ({ description }: JsonSchema): object =>
  typeof description === "string" ? { description } : {};
