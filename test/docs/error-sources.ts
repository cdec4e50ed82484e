/** The sources that say something when it goes wrong, and the entries of docs/errors.md by whose words it is found. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readPage, root } from "./pages.ts";

export const sources: readonly { readonly file: string; readonly text: string }[] = [
  "packages/core/src",
  "packages/server/src",
  "packages/cli/src",
].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => ({ file: join(folder, file), text: readPage(join(folder, file)) })),
);

/** What stands between backticks. */
export const wordsIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, words = ""]) => words);

/** Whether a sentence is found by these words, of which "…" is whatever stands there. */
export function isFoundBy(sentence: string, words: string): boolean {
  const parts = words.split("…").map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  return new RegExp(parts.join(".*"), "s").test(sentence);
}

/** Whether something of these words is said by no source. */
export function isSaidByNothing(words: string): boolean {
  return words.split("…").some((part) => !everything.includes(part));
}

const everything = sources.map(({ text }) => text.replaceAll(String.raw`\"`, '"')).join("\n");
