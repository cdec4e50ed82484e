/** What went wrong, for whoever reads stderr: not stdout, which is the protocol's. */
import { inspect } from "node:util";
import { escapeForLog } from "./escape-for-log.ts";

export function toStderr(error: unknown): void {
  process.stderr.write(entryOf(error));
}

/** One entry: its first line begins it, all others are indented. So nothing that was said can pass for an entry, or move the cursor. */
export function entryOf(error: unknown): string {
  const [first = "", ...others] = inspect(error).split("\n").map(escapeLine);
  return [first, ...others.map((line) => `    ${line}`), ""].join("\n");
}

/** Tabs stay: they indent what `inspect` shows. */
const escapeLine = (line: string): string => line.split("\t").map(escapeForLog).join("\t");
