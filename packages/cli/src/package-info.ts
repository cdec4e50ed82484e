import { readFileSync } from "node:fs";

/** The folder of this package; `src` and `dist` are both directly below it. */
export const packageRoot: URL = new URL("../", import.meta.url);

/** The version of this package, as its package.json has it. */
export function version(): string {
  const text = readFileSync(new URL("package.json", packageRoot), "utf8");
  // Our own package.json, beside `dist` and `src` alike; npm does not publish one without a version.
  const manifest = JSON.parse(text) as { readonly version: string };
  return manifest.version;
}
