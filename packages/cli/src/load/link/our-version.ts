import { readFileSync } from "node:fs";
import { packageRoot } from "../../package-info.ts";
import { nameFor } from "./cache.ts";

let manifest: string | undefined;
let version: string | undefined;

/** Our package.json, which also pins the compiler and the lexer. */
export function ourManifest(): string {
  manifest ??= readFileSync(new URL("package.json", packageRoot), "utf8");
  return manifest;
}

/** What this version of ours is known by. */
export function ourVersion(): string {
  version ??= nameFor(ourManifest());
  return version;
}
