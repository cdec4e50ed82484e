/** What `--input` says: JSON, a file of it, or stdin. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { isRecord } from "../is-record.ts";
import { UsageError } from "../errors.ts";
import type { CommandIO } from "../io.ts";

export async function readInput(given: string | undefined, io: CommandIO): Promise<object> {
  if (given === undefined) return {};
  const source = given === "-" ? "stdin" : given.startsWith("@") ? given.slice(1) : "--input";
  const json = await textOf(given, source, io);
  const input = parse(json, source);
  if (!isRecord(input)) throw new UsageError(`The input in ${source} is no JSON object.`);
  return input;
}

async function textOf(given: string, source: string, { input, cwd }: CommandIO): Promise<string> {
  if (given === "-") return text(input);
  if (!given.startsWith("@")) return given;
  try {
    return await readFile(resolve(cwd, source), "utf8");
  } catch (error) {
    throw new UsageError(`The input in ${source} cannot be read.`, { cause: error });
  }
}

function parse(json: string, source: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`The input in ${source} is not JSON: ${reason}.`, { cause: error });
  }
}
