/** The text of a module with its imports at their addresses; lines stay where they are. */
import { basename, dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { cannotLoadAt } from "../cannot-load.ts";
import { isRecord } from "../is-record.ts";
import type { Target } from "../resolve/resolve-import.ts";
import type { Import } from "./find-imports.ts";
import type { Module } from "./graph.ts";
import { RUNTIME } from "./runtime.ts";

export function linkedText(module: Module, addressOf: (path: string) => string, mapPath?: string): string {
  if (module.kind === "json") return jsonModule(module);
  const { code, imports, hasMeta } = module.compiled;
  let text = hasMeta ? ownMeta(module.path) : "";
  let at = 0;
  for (const [index, one] of imports.entries()) {
    // Inside of one that is written anew already.
    if (one.start < at) continue;
    text += code.slice(at, one.start) + rewritten(one, module.targets[index], module, addressOf);
    at = one.end;
  }
  text += code.slice(at);
  return mapPath === undefined ? text : `${text}\n//# sourceMappingURL=${basename(mapPath)}\n`;
}

function rewritten(
  { kind, specifier, start, end, specifierEnd }: Import,
  target: Target | undefined,
  { path, compiled: { code } }: Module,
  addressOf: (path: string) => string,
): string {
  if (target === undefined) return `${RUNTIME}.importer(${JSON.stringify(path)})`;
  if (target.to === "nothing")
    return `${RUNTIME}.missing(${JSON.stringify(specifier)},${JSON.stringify(path)})`;
  if (target.to === "node" && target.isPlain && !target.address.startsWith("file:"))
    return code.slice(start, end);
  const address = JSON.stringify(target.to === "node" ? target.address : addressOf(target.path));
  // What we load is never JSON to Node; what Node loads keeps its attributes.
  const rest = target.to === "node" ? code.slice(specifierEnd, end) : kind === "dynamic" ? ")" : "";
  return kind === "dynamic" ? `import(${address}${rest}` : `${address}${rest}`;
}

/** Puts a module where its source is: what it reads beside itself is there. On one line with what follows. */
function ownMeta(path: string): string {
  const parts = { url: pathToFileURL(path).href, filename: path, dirname: dirname(path) };
  return `Object.assign(import.meta,${JSON.stringify(parts)},{resolve:${RUNTIME}.resolver(${JSON.stringify(path)})});`;
}

function jsonModule({ path, compiled }: Module): string {
  const code = compiled.code.replace(/^\uFEFF/, "");
  const value = parseJson(path, code);
  return `const json=JSON.parse(${JSON.stringify(code)});${exportsOf("json", isRecord(value) ? Object.keys(value) : [])}`;
}

/** Exports of a value and its parts; within, these are numbers, as their names may be keywords. */
export function exportsOf(value: string, keys: readonly string[]): string {
  const names = keys.filter((key) => /^[A-Za-z_$][\w$]*$/.test(key) && key !== "default");
  const parts = names.map(
    (name, n) => `const $${n}=${value}[${JSON.stringify(name)}];export{$${n} as ${name}};`,
  );
  return `export default ${value};${parts.join("")}`;
}

function parseJson(path: string, code: string): unknown {
  try {
    return JSON.parse(code);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw cannotLoadAt({ file: path }, `This is not JSON: ${message}.`, { cause: error });
  }
}
