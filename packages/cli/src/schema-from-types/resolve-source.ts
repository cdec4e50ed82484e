import { fileURLToPath, pathToFileURL } from "node:url";
import { findModule, isFile, modulePaths, realPath } from "../load/files.ts";

/** The file of a relative import; declarations will do. */
export function resolveSource(specifier: string, from: string): string | undefined {
  if (!/^\.{1,2}(?:\/|$)/.test(specifier)) return undefined;
  const exact = fileURLToPath(new URL(specifier, pathToFileURL(from)));
  const found = findModule(exact, true);
  if (found !== undefined) return found;
  const declarations = modulePaths(exact, true).map((path) => path.replace(/\.([cm]?)[jt]sx?$/, ".d.$1ts"));
  const declared = declarations.find(isFile);
  return declared === undefined ? undefined : realPath(declared);
}
