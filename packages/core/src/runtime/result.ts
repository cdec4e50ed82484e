/**
 * What a tool's call ends with, neutral of any protocol.
 *
 * Artifacts come first, in the order they were emitted, then what the body
 * returned: text, blocks of content, or JSON, which also stands there as text.
 */
import { type Content, readContent } from "../content.ts";
import { InvalidOutput } from "../errors.ts";
import { copyJson, isPlainObject, type Json } from "../util/json.ts";
import type { Schema } from "../schema/json-schema.ts";
import { checkValue } from "../schema/validator.ts";
import { describeValue } from "../util/describe-value.ts";
import type { RunCompleted } from "./run.ts";
import { subjectOf } from "../definitions/definition.ts";
import type { Tool } from "../definitions/tool.ts";

export interface Result {
  readonly content: readonly Content[];
  readonly structured?: Json;
  readonly isError: boolean;
}

/** The result of a run that reached its end. */
export async function resultOf(tool: Returning, ended: RunCompleted<unknown>): Promise<Result> {
  const returned = read(tool, ended.value);
  if (tool.output !== undefined && !returned.isError)
    await checkOutput(tool, tool.output, returned.structured);
  const text = returned.content.length === 0 && ended.streamed !== "" ? [textBlock(ended.streamed)] : [];
  return { ...returned, content: [...ended.artifacts, ...text, ...returned.content] };
}

/** The result of a run that threw, whatever it threw. */
export function errorResult(error: unknown): Result {
  return { content: [textBlock(wordsFor(error))], isError: true };
}

function wordsFor(error: unknown): string {
  if (error instanceof Error && error.message !== "") return error.message;
  if (typeof error === "string" && error !== "") return error;
  return error instanceof Error ? error.name : `The tool threw ${describeValue(error)}.`;
}

function read(tool: Returning, value: unknown): Result {
  const blocks = readEnvelope(tool, value);
  if (blocks !== undefined) return blocks;
  if (tool.output !== undefined) return readStructured(tool, value);
  if (value === undefined) return { content: [], isError: false };
  if (typeof value === "string") return { content: [textBlock(value)], isError: false };
  const content = readBlocks(value);
  return content === undefined ? readStructured(tool, value) : { content, isError: false };
}

const ENVELOPE = new Set(["content", "structuredContent", "isError", "_meta"]);

/** What MCP's own servers return, and nothing beside it: `{ content: […], structuredContent?, isError? }`. */
function readEnvelope(tool: Returning, value: unknown): Result | undefined {
  if (!isPlainObject(value) || !Array.isArray(value["content"])) return undefined;
  if (!Object.keys(value).every((field) => ENVELOPE.has(field))) return undefined;
  const { structuredContent: structured, isError } = value;
  // A tool that promises structured output may promise an object that has `content`.
  if (tool.output !== undefined && structured === undefined && isError !== true) return undefined;
  const content = value["content"].length === 0 ? [] : readBlocks(value["content"]);
  if (content === undefined) return undefined;
  const result = { content, isError: isError === true };
  return structured === undefined
    ? result
    : { ...result, structured: jsonOf(tool, structured, ".structuredContent") };
}

/** One block of content, or a list of them. */
function readBlocks(value: unknown): readonly Content[] | undefined {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const content = list.map(readContent).filter((block): block is Content => block !== undefined);
  return content.length > 0 && content.length === list.length ? content : undefined;
}

function readStructured(tool: Returning, value: unknown): Result {
  const structured = jsonOf(tool, value);
  const text = typeof structured === "string" ? structured : JSON.stringify(structured);
  return { content: [textBlock(text)], structured, isError: false };
}

function jsonOf(tool: Returning, value: unknown, within = ""): Json {
  const copied = copyJson(value);
  if ("json" in copied) return copied.json;
  const { found } = copied.problem;
  const at = within + copied.problem.at;
  throw new InvalidOutput(subjectOf(tool), `${found}${at === "" ? "" : ` at ${at}`}, which is not JSON`);
}

async function checkOutput(tool: Returning, output: Schema, structured: Json | undefined): Promise<void> {
  const naming = { whose: `The output of ${subjectOf(tool)}`, subject: "it" };
  const verdict = await checkValue(output, structured, naming);
  if (!("problem" in verdict)) return;
  throw new InvalidOutput(
    subjectOf(tool),
    `something else than its output schema promises: ${verdict.problem}`,
  );
}

type Returning = Pick<Tool<never>, "name" | "output">;

const textBlock = (text: string): Content => ({ type: "text", text });
