/** Groups the CPU profile of a server by the parts of its source. */
import { existsSync, readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { fileURLToPath } from "node:url";
import type { Sample } from "./table.ts";

/** The self time of one function. */
export interface ProfileEntry {
  readonly url: string;
  /** From 0, as V8 counts lines and columns. */
  readonly line: number;
  readonly column: number;
  readonly name: string;
  /** Whether the function has a script. Functions of Node and V8 have none. */
  readonly isScript: boolean;
  readonly microseconds: number;
}

export const PARTS = {
  system: "Node and the system",
  garbage: "garbage",
  messages: "messages and transports",
  mcp: "MCP",
  running: "running the tool",
  checking: "checking values",
  sealing: "sealing",
} as const;

type Part = keyof typeof PARTS;

const NONE = { system: 0, garbage: 0, messages: 0, mcp: 0, running: 0, checking: 0, sealing: 0 };

/** The part of a source file, by the beginning of its path. The first match counts. */
const SOURCES: readonly (readonly [string, Part])[] = [
  ["node:internal/crypto/cipher", "sealing"],
  ["node:", "system"],
  ["packages/core/src/schema/", "checking"],
  ["packages/core/src/definitions/", "checking"],
  ["packages/core/src/answers", "checking"],
  ["packages/server/src/crypto/sealed-box", "sealing"],
  ["packages/server/src/stateless/request-state", "sealing"],
  ["packages/server/src/jsonrpc/", "messages"],
  ["packages/server/src/transports/", "messages"],
  ["packages/server/src/http/", "messages"],
  ["packages/server/src/app/", "messages"],
  ["node_modules/ajv", "checking"],
  ["node_modules/", "messages"],
  // Helpers that the bundler adds have no source file: they count by the bundle that contains them.
  ["packages/core/", "running"],
  ["packages/server/", "mcp"],
  // The tools of serve-photon.ts.
  ["bench/", "running"],
];

/** The share of each part, in percent. */
export function sharesByPart(entries: readonly ProfileEntry[]): Sample {
  const times: Record<Part, number> = { ...NONE };
  for (const entry of entries) times[partOf(entry)] += entry.microseconds;
  const total = Object.values(times).reduce((sum, time) => sum + time, 0);
  return Object.fromEntries(Object.entries(times).map(([part, time]) => [part, (100 * time) / total]));
}

function partOf(entry: ProfileEntry): Part {
  if (entry.name === "(garbage collector)") return "garbage";
  // Functions that ajv compiles from a schema have a script without a URL.
  if (entry.url === "") return entry.isScript ? "checking" : "system";
  const source = sourceOf(entry);
  const [, part] = SOURCES.find(([start]) => source.startsWith(start)) ?? [];
  if (part === undefined) throw new Error(`SOURCES has no part for ${source}.`);
  return part;
}

const root = new URL("../../..", import.meta.url).href;
const maps = new Map<string, SourceMap>();

/** The source file of a function: relative to the project or to node_modules, or a module of Node. */
function sourceOf({ url, line, column }: ProfileEntry): string {
  const found = mapOf(url)?.findEntry(line, column);
  const source =
    found !== undefined && "originalSource" in found ? new URL(found.originalSource, url).href : url;
  const inPackages = source.lastIndexOf("node_modules/");
  return inPackages === -1 ? source.replace(root, "") : source.slice(inPackages);
}

function mapOf(url: string): SourceMap | undefined {
  // The bundler writes its own helpers into a file without a source map.
  if (!url.startsWith(`${root}packages/`) || !existsSync(fileURLToPath(`${url}.map`))) return undefined;
  let map = maps.get(url);
  if (map === undefined) {
    const payload = JSON.parse(readFileSync(fileURLToPath(`${url}.map`), "utf8")) as SourceMapPayload;
    map = new SourceMap(payload);
    maps.set(url, map);
  }
  return map;
}
