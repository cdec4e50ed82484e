/**
 * What linked modules need while they run: imports of names that are only known then.
 *
 * A linked module cannot import us (it is loaded by Node alone, from another
 * folder), so that they meet at a symbol of the global object.
 */
import { resolveImport } from "../resolve/resolve-import.ts";
import { pathToFileURL } from "node:url";
import { requiredAs } from "./commonjs.ts";

const KEY = "@photon/cli load";

/** How a linked module gets at it. */
export const RUNTIME: string = `globalThis[Symbol.for(${JSON.stringify(KEY)})]`;

interface Runtime {
  /** Stands for `import` in the file: `import(name)`. */
  importer(from: string): (specifier: unknown) => Promise<unknown>;
  /** Stands for an `import("…")` of what is not there. */
  missing(specifier: string, from: string): Promise<never>;
  /** What CommonJS that changed gave. */
  required(key: string): unknown;
  /** Stands for `import.meta.resolve` in the file. */
  resolver(from: string): (specifier: string) => string;
}

/** Makes it known to linked modules; `importFile` loads a file as they were loaded. */
export function offerRuntime(importFile: (path: string) => Promise<unknown>): void {
  const runtime: Runtime = {
    importer: (from) => async (specifier) => {
      const target = resolveImport(String(specifier), from);
      if (target.to === "nothing") throw notFound(String(specifier), from);
      const imported: unknown = await (target.to === "file"
        ? importFile(target.path)
        : import(target.address));
      return imported;
    },
    async missing(specifier, from) {
      throw notFound(specifier, from);
    },
    required: requiredAs,
    resolver: (from) => (specifier) => {
      const target = resolveImport(specifier, from);
      if (target.to === "nothing") throw notFound(specifier, from);
      return target.to === "file" ? pathToFileURL(target.path).href : target.address;
    },
  };
  Object.assign(globalThis, { [Symbol.for(KEY)]: runtime });
}

/** The error Node throws, so that what catches it there catches it here. */
function notFound(specifier: string, from: string): Error {
  const error = new Error(`Cannot find ${JSON.stringify(specifier)} imported from ${from}`);
  return Object.assign(error, { code: "ERR_MODULE_NOT_FOUND" });
}
