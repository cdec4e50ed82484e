import { fileURLToPath, pathToFileURL } from "node:url";
import { isFile, realPath } from "../on-disk.ts";
import { candidatesFor, resolveImport } from "../resolve/resolve-import.ts";

/** Where a relative import leads, for somebody who wants its source: declarations will do. */
export function resolveSource(specifier: string, from: string): string | undefined {
  // Nothing of ours is an input.
  if (specifier.startsWith("@photon/")) return undefined;
  const target = resolveImport(specifier, from);
  if (target.to === "file") return target.path;
  if (!/^\.{1,2}(?:\/|$)/.test(specifier)) return undefined;
  const exact = fileURLToPath(new URL(specifier, pathToFileURL(from)));
  const declarations = candidatesFor(exact, true).map((path) => path.replace(/\.([cm]?)[jt]sx?$/, ".d.$1ts"));
  const found = declarations.find(isFile);
  return found === undefined ? undefined : realPath(found);
}
