import { readFileSync } from "node:fs";
import { packageRoot } from "../../package-root.ts";
import { nameFor } from "./cache.ts";

let known: string | undefined;

/** What this version of ours is known by: our package.json, which also pins the compiler. */
export function ourVersion(): string {
  known ??= nameFor(readFileSync(new URL("package.json", packageRoot), "utf8"));
  return known;
}
