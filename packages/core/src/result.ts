/**
 * What a tool's call ends with, neutral of any protocol.
 *
 * Artifacts come first, in the order they were emitted, then what the body
 * returned: text, blocks of content, or JSON, which also stands there as text.
 */
import { readContent, type Content } from "./content.ts";
import { InvalidOutput } from "./errors.ts";
import { copyJson, isPlainObject, type Json } from "./json.ts";
import { findProblem } from "./schema/validate.ts";
import type { Ended } from "./start.ts";
import type { Tool } from "./tool.ts";

export interface Result {
  readonly content: readonly Content[];
  readonly structured?: Json;
  readonly isError: boolean;
}

/** The result of a run that reached its end. */
export async function resultOf(
  tool: Pick<Tool<never>, "name" | "output">,
  ended: Ended<unknown>,
): Promise<Result> {
  const returned = await read(tool, ended.value);
  const text = returned.content.length === 0 && ended.streamed !== "" ? [textBlock(ended.streamed)] : [];
  return { ...returned, content: [...ended.artifacts, ...text, ...returned.content] };
}

/** The result of a run that threw. */
export function errorResult(error: unknown): Result {
  const sentence = error instanceof Error && error.message !== "" ? error.message : String(error);
  return { content: [textBlock(sentence)], isError: true };
}

async function read(tool: Pick<Tool<never>, "name" | "output">, value: unknown): Promise<Result> {
  if (tool.output !== undefined) return readStructured(tool, value);
  if (value === undefined) return { content: [], isError: false };
  if (typeof value === "string") return { content: [textBlock(value)], isError: false };
  return readBlocks(value) ?? readStructured(tool, value);
}

/** Blocks of content: one, several, or in the envelope that MCP gives them. */
function readBlocks(value: unknown): Result | undefined {
  const envelope = isPlainObject(value) && Array.isArray(value["content"]) ? value : undefined;
  const given: unknown = envelope === undefined ? value : envelope["content"];
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  const content = list.map(readContent).filter((block): block is Content => block !== undefined);
  if (content.length === 0 || content.length < list.length) return undefined;
  const structured = copyJson(envelope?.["structuredContent"]);
  return {
    content,
    isError: envelope?.["isError"] === true,
    ...("json" in structured ? { structured: structured.json } : {}),
  };
}

async function readStructured(tool: Pick<Tool<never>, "name" | "output">, value: unknown): Promise<Result> {
  const name = tool.name ?? "The tool";
  const copied = copyJson(value);
  if ("problem" in copied) {
    const { found, at } = copied.problem;
    throw new InvalidOutput(name, `${found}${at === "" ? "" : ` at ${at}`} is not JSON`);
  }
  const problem = tool.output === undefined ? undefined : await findProblem(tool.output.json, copied.json);
  if (problem !== undefined) throw new InvalidOutput(name, problem);
  const text = typeof copied.json === "string" ? copied.json : JSON.stringify(copied.json);
  return { content: [textBlock(text)], structured: copied.json, isError: false };
}

const textBlock = (text: string): Content => ({ type: "text", text });
