/**
 * Gives every module of a graph the address it is imported from.
 *
 *   1. What Node can load as it is, it loads from where it is.
 *   2. Everything else is written to the cache, its imports at their addresses, under a name made of all it leads to.
 *   3. A module that changed since this process loaded it, or that leads to one that did, gets an address it never
 *      had: Node loads it afresh, and what runs goes on with the old one.
 */
import { basename, extname } from "node:path";
import { pathToFileURL } from "node:url";
import type { Target } from "../resolve/resolve-import.ts";
import type { Cache } from "./cache.ts";
import { forget, isCommonJs, requireAnew } from "./commonjs.ts";
import { importedBy, typeOf, type Graph, type Module } from "./graph.ts";
import { knownName, plainName, slotOf } from "./known-name.ts";
import { exportsOf, linkedText } from "./linked-text.ts";
import { rememberSource } from "./map-stacks.ts";
import { ourManifest } from "./our-version.ts";
import { RUNTIME } from "./runtime.ts";

/** What this process has loaded a file as, and how many times it has changed since. Node keeps modules as long. */
const loaded = new Map<string, { readonly version: readonly string[]; readonly changes: number }>();

/** Where to import each file from. */
export function link(graph: Graph, cache: Cache): ReadonlyMap<string, string> {
  const reach = new Map([...graph.keys()].map((path) => [path, reachableFrom(path, graph)]));
  for (const [path, modules] of reach) {
    const version = modules.map(({ stamp }) => stamp);
    const before = loaded.get(path);
    if (before !== undefined && isSame(before.version, version)) continue;
    if (before !== undefined) forget(path);
    loaded.set(path, { version, changes: before === undefined ? 0 : before.changes + 1 });
  }
  const linked = linkedIn(graph);
  const addresses = new Map(
    [...graph.values()].map((module) => {
      const { path } = module;
      if (!linked.has(path)) return [path, pathToFileURL(path).href] as const;
      return [path, pathToFileURL(cache.pathOf(entryOf(path, reach.get(path) ?? [], cache))).href] as const;
    }),
  );
  for (const path of linked) write(path, graph, addresses, cache);
  return addresses;
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((stamp, at) => stamp === other[at]);

/** The modules that a file leads to, itself among them, always in the same order. */
function reachableFrom(start: string, graph: Graph): readonly Module[] {
  const reached = new Set([start]);
  // A set that grows while it is walked is walked to its end.
  for (const path of reached) {
    const module = graph.get(path);
    if (module !== undefined) for (const next of importedBy(module)) reached.add(next);
  }
  return [...reached].toSorted().flatMap((path) => graph.get(path) ?? []);
}

/** The files that Node cannot load from where they are. */
function linkedIn(graph: Graph): ReadonlySet<string> {
  const linked = new Set([...graph.values()].filter(isToBeLinked).map(({ path }) => path));
  for (let size = -1; size !== linked.size;) {
    size = linked.size;
    for (const module of graph.values()) {
      if (module.kind === "javascript" && importedBy(module).some((path) => linked.has(path)))
        linked.add(module.path);
    }
  }
  return linked;
}

function isToBeLinked({ path, kind, targets }: Module): boolean {
  if (kind === "typescript" || kind === "json") return true;
  if (kind === "foreign") return isCommonJs(path) && changesOf(path) > 0;
  const isPlain = (target: Target | undefined): boolean =>
    target === undefined || target.to === "nothing" || target.isPlain;
  // Without a "type", Node guesses, and says so on stderr.
  const isGuessed = extname(path) === ".js" && typeOf(path) !== "module";
  return isGuessed || changesOf(path) > 0 || !targets.every(isPlain);
}

const changesOf = (path: string): number => loaded.get(path)?.changes ?? 0;

function entryOf(path: string, reach: readonly Module[], cache: Cache): string {
  const stamps = reach.flatMap((module) => [module.stamp, String(changesOf(module.path))]);
  const name = knownName(cache, `${slotOf(path)}.linked`, ourManifest(), path, ...stamps);
  return `${plainName(path)}-${name}.mjs`;
}

function write(path: string, graph: Graph, addresses: ReadonlyMap<string, string>, cache: Cache): void {
  const module = graph.get(path);
  const address = addresses.get(path);
  if (module === undefined || address === undefined) return;
  const { map } = module.compiled;
  const mapPath = map === undefined ? undefined : cache.pathOf(map);
  // Every file a module imports is in the graph.
  const text =
    module.kind === "foreign"
      ? requiredText(path)
      : linkedText(module, (imported) => addresses.get(imported) ?? imported, mapPath);
  const entry = basename(address);
  // Compared, not trusted: an entry that was cut short is written again.
  if (cache.read(entry) !== text) cache.write(entry, text);
  rememberSource(address, { path, ...(mapPath === undefined ? {} : { mapPath }) });
}

/** A module that stands for CommonJS which changed. */
function requiredText(path: string): string {
  const key = `${path}?${changesOf(path)}`;
  return `const given=${RUNTIME}.required(${JSON.stringify(key)});${exportsOf("given", requireAnew(path, key))}`;
}
