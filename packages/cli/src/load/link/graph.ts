/** The files that a file imports, and those that they import: read, compiled, and each import resolved. */
import { extname } from "node:path";
import { cannotLoadAt, placeIn } from "../cannot-load.ts";
import { isCompiled } from "../find/file-kinds.ts";
import { manifestOf } from "../resolve/package-json.ts";
import { resolveImport, type Target } from "../resolve/resolve-import.ts";
import { readSeen, type Seen } from "../seen.ts";
import type { Cache } from "./cache.ts";
import { compile, type Compiled } from "./compile.ts";
import { requiredIn } from "./commonjs.ts";
import type { Import } from "./find-imports.ts";

export interface Module {
  readonly path: string;
  readonly kind: ModuleKind;
  readonly compiled: Compiled;
  /** What each import means, in the order of `compiled.imports`; nothing for a computed one. */
  readonly targets: readonly (Target | undefined)[];
  /** What the module is known by: what its imports mean, and its text or a name made of it. */
  readonly stamp: string;
}

/** `foreign` is what Node loads as it is: CommonJS, and what is no program at all. */
type ModuleKind = "typescript" | "javascript" | "json" | "foreign";

export type Graph = ReadonlyMap<string, Module>;

/** Reads the files and everything they import, packages left out; `seen` is told of each. */
export async function readGraph(entries: readonly string[], cache: Cache, seen: Seen): Promise<Graph> {
  const graph = new Map<string, Module>();
  const waiting = [...entries];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (graph.has(path)) continue;
    const module = await readModule(path, cache, seen);
    graph.set(path, module);
    waiting.push(...importedBy(module));
  }
  return graph;
}

/** The files a module imports. */
export const importedBy = ({ targets }: Module): readonly string[] =>
  targets.flatMap((target) => (target?.to === "file" ? [target.path] : []));

async function readModule(path: string, cache: Cache, seen: Seen): Promise<Module> {
  const ending = extname(path);
  if (ending === ".cts")
    throw cannotLoadAt({ file: path }, "CommonJS TypeScript (.cts) is not loaded; rename it to .ts.");
  const source = readSeen(path, seen);
  if (source === undefined) throw cannotLoadAt({ file: path }, "The file cannot be read.");
  if (ending === ".json") return leaf(path, "json", source);
  if (!isCompiled(path) && ending !== ".js" && ending !== ".mjs") return foreign(path, source);
  const compiled = await compile(path, source, cache);
  if (ending === ".js" && !compiled.isModule && typeOf(path) !== "module") return foreign(path, source);
  const targets = compiled.imports.map((one) => targetOf(one, path, source, seen));
  const stamp = `${JSON.stringify(targets)}\n${compiled.key}`;
  return { path, kind: isCompiled(path) ? "typescript" : "javascript", compiled, targets, stamp };
}

/** What its package.json says of a `.js` file. */
export const typeOf = (path: string): unknown => manifestOf(path)?.fields["type"];

function leaf(path: string, kind: ModuleKind, code: string, targets: readonly Target[] = []): Module {
  const key = `${path}\n${code}`;
  const compiled = { key, code, imports: [], hasMeta: false, isModule: false };
  return { path, kind, compiled, targets, stamp: key };
}

/** CommonJS is not rewritten, but what it requires beside itself counts. */
const foreign = (path: string, source: string): Module =>
  leaf(
    path,
    "foreign",
    source,
    requiredIn(path, source).map((file) => ({ to: "file", path: file, isPlain: true })),
  );

function targetOf({ kind, specifier }: Import, path: string, source: string, seen: Seen): Target | undefined {
  if (specifier === undefined) return undefined;
  const target = resolveImport(specifier, path);
  if (target.to !== "nothing") return target;
  for (const missing of target.lookedFor) seen.files.set(missing, undefined);
  // One that only fails when it is come to may be caught there.
  if (kind === "dynamic") return target;
  const place = placeIn(path, source, Math.max(0, source.indexOf(specifier)));
  throw cannotLoadAt(place, `The import ${JSON.stringify(specifier)} cannot be found: ${target.problem}.`);
}
