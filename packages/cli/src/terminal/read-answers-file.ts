import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { UsageError } from "../errors.ts";
import { isRecord } from "./is-record.ts";

/** What is in an answers file: `{ "id": value }`, as `--record` writes it or as somebody wrote it by hand. */
export async function readAnswersFile(
  path: string,
  cwd: string,
): Promise<{ readonly [id: string]: unknown }> {
  const answers = parse(path, await textOf(path, cwd));
  if (!isRecord(answers)) throw new UsageError(`${path} is no object of answers by id: { "id": value }.`);
  return answers;
}

async function textOf(path: string, cwd: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, path), "utf8");
  } catch (error) {
    throw new UsageError(`The answers in ${path} cannot be read.`, { cause: error });
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new UsageError(`${path} is not JSON.`, { cause: error });
  }
}
