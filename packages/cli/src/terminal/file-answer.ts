import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { checkAnswer, describeSize, type FileAsk, type Verdict } from "@photon/core";
import { typeOf } from "./media.ts";
import { sentenceOf } from "./scene.ts";

/** The file at a path as an answer: it is there, it is a file, and it is of the size and type that is wanted. */
export async function fileAt(path: string, ask: FileAsk, cwd: string): Promise<Verdict> {
  const full = resolve(cwd, path);
  const found = await stat(full).catch(() => undefined);
  if (found === undefined) return { problem: `There is no file ${path}.` };
  if (!found.isFile()) return { problem: `${path} is not a file.` };
  if (ask.maxBytes !== undefined && found.size > ask.maxBytes)
    return {
      problem: `${path} has ${describeSize(found.size)}; at most ${describeSize(ask.maxBytes)} are taken.`,
    };
  const name = basename(full);
  const value = { name, type: typeOf(name), path: full };
  const verdict = await checkAnswer(ask, value);
  return "problem" in verdict ? { problem: sentenceOf(verdict.problem) } : { value };
}
