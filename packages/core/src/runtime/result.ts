/**
 * The result of a tool's call, before it is formatted for a protocol.
 *
 * Artifacts come first, in the order they were emitted, then the return value: text, content blocks, or JSON, which is also
 * formatted as text.
 */
import { type Content, parseBlocks } from "../content.ts";
import { InvalidOutput } from "../errors.ts";
import { copyJson, isPlainObject, type Json } from "../util/json.ts";
import type { Schema } from "../schema/schema.ts";
import { checkValue } from "../schema/validator.ts";
import { describeValue } from "../util/describe-value.ts";
import type { RunCompleted } from "./run.ts";
import { subjectOf } from "../definitions/runnable.ts";
import type { Tool } from "../definitions/tool.ts";

/** The result of a call: content blocks, and structured content if there is any. */
export interface Result {
  readonly content: readonly Content[];
  readonly structured?: Json;
  readonly isError: boolean;
}

/** The result of a completed run. */
export async function resultOf(tool: ToolOutput, ended: RunCompleted<unknown>): Promise<Result> {
  const returned = parseReturned(tool, ended.value);
  if (tool.output !== undefined && !returned.isError)
    await checkOutput(tool, tool.output, returned.structured);
  const text = returned.content.length === 0 && ended.streamed !== "" ? [textBlock(ended.streamed)] : [];
  return { ...returned, content: [...ended.artifacts, ...text, ...returned.content] };
}

/** The result of a run that threw. */
export function errorResult(error: unknown): Result {
  return { content: [textBlock(textOfError(error))], isError: true };
}

function textOfError(error: unknown): string {
  if (error instanceof Error && error.message !== "") return error.message;
  if (typeof error === "string" && error !== "") return error;
  return error instanceof Error ? error.name : `The tool threw ${describeValue(error)}.`;
}

function parseReturned(tool: ToolOutput, value: unknown): Result {
  const envelope = parseEnvelope(tool, value);
  if (envelope !== undefined) return envelope;
  if (tool.output !== undefined) return toStructured(tool, value);
  if (value === undefined) return { content: [], isError: false };
  if (typeof value === "string") return { content: [textBlock(value)], isError: false };
  const content = parseBlocks(value);
  return content === undefined ? toStructured(tool, value) : { content: [content].flat(), isError: false };
}

const ENVELOPE = new Set(["content", "structuredContent", "isError", "_meta"]);

/** A result as MCP spells it, without other fields: `{ content: […], structuredContent?, isError? }`. */
function parseEnvelope(tool: ToolOutput, value: unknown): Result | undefined {
  if (!isPlainObject(value) || !Array.isArray(value["content"])) return undefined;
  if (!Object.keys(value).every((field) => ENVELOPE.has(field))) return undefined;
  const { structuredContent: structured, isError } = value;
  // With an output schema, an object that has `content` may be the structured output itself.
  if (tool.output !== undefined && structured === undefined && isError !== true) return undefined;
  const content = value["content"].length === 0 ? [] : parseBlocks(value["content"]);
  if (content === undefined) return undefined;
  const result = { content: [content].flat(), isError: isError === true };
  return structured === undefined
    ? result
    : { ...result, structured: toJson(tool, structured, ".structuredContent") };
}

function toStructured(tool: ToolOutput, value: unknown): Result {
  const structured = toJson(tool, value);
  const text = typeof structured === "string" ? structured : JSON.stringify(structured);
  return { content: [textBlock(text)], structured, isError: false };
}

function toJson(tool: ToolOutput, value: unknown, within = ""): Json {
  const copied = copyJson(value);
  if ("json" in copied) return copied.json;
  const { found } = copied.problem;
  const at = within + copied.problem.at;
  throw new InvalidOutput(subjectOf(tool), `${found}${at === "" ? "" : ` at ${at}`}, which is not JSON`);
}

async function checkOutput(tool: ToolOutput, output: Schema, structured: Json | undefined): Promise<void> {
  const verdict = await checkValue(output, structured, `The output of ${subjectOf(tool)}`);
  if (!("problem" in verdict)) return;
  throw new InvalidOutput(
    subjectOf(tool),
    `something other than its output schema allows: ${verdict.problem}`,
  );
}

type ToolOutput = Pick<Tool<never>, "name" | "output">;

const textBlock = (text: string): Content => ({ type: "text", text });
