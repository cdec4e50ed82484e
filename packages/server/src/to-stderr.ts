/** What went wrong, for whoever reads stderr: not stdout, which is the protocol's. */
import { inspect } from "node:util";

// Control characters but tab, what shows text in another order than it is written, and what else ends a line.
const UNSAFE = "[\\u0000-\\u0008\\u000A-\\u001F\\u007F-\\u009F\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]";
const unsafe = new RegExp(UNSAFE, "g");

export function toStderr(error: unknown): void {
  process.stderr.write(entryOf(error));
}

/** One entry: its first line begins it, all others are indented. So nothing that was said can pass for an entry, or move the cursor. */
export function entryOf(error: unknown): string {
  const [first = "", ...others] = inspect(error).split("\n").map(harmless);
  return [first, ...others.map((line) => `    ${line}`), ""].join("\n");
}

const harmless = (line: string): string =>
  line.replaceAll(unsafe, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
