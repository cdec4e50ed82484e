/** Every page that somebody reads: those of the root, of docs/, of the examples and of the packages. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root: string = fileURLToPath(new URL("../..", import.meta.url));

export const readPage = (path: string): string => readFileSync(join(root, path), "utf8");

const pagesIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));

const packages = readdirSync(join(root, "packages")).map((name) => join("packages", name));

export const pages: readonly string[] = [
  ".",
  "docs",
  "examples",
  "examples/kitchen-sink",
  ...packages,
].flatMap(pagesIn);

/** The API reference, which `npm run api` writes. Its blocks are declarations, not programs. */
export const apiPages: readonly string[] = pagesIn("docs/api");
