/** Where the processor time of a server went, by what its sources are for. */
import { existsSync, readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { fileURLToPath } from "node:url";
import type { Sample } from "./table.ts";

/** The time that was spent in one function itself. */
export interface Spell {
  readonly url: string;
  /** From 0, as all that V8 counts. */
  readonly line: number;
  readonly column: number;
  readonly name: string;
  /** Whether it has a source of its own: what Node and V8 are made of has none. */
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

const NOTHING = { system: 0, garbage: 0, messages: 0, mcp: 0, running: 0, checking: 0, sealing: 0 };

/** By the start of where a source is, the more special ones first. */
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
  // What the bundler has added was written nowhere: it is known by the file that it is in.
  ["packages/core/", "running"],
  ["packages/server/", "mcp"],
  // The tools that are called.
  ["bench/", "running"],
];

/** How many percent of the time that was spent went where. */
export function shares(spells: readonly Spell[]): Sample {
  const spent: Record<Part, number> = { ...NOTHING };
  for (const spell of spells) spent[partOf(spell)] += spell.microseconds;
  const whole = Object.values(spent).reduce((sum, part) => sum + part, 0);
  return Object.fromEntries(Object.entries(spent).map(([part, time]) => [part, (100 * time) / whole]));
}

function partOf(spell: Spell): Part {
  if (spell.name === "(garbage collector)") return "garbage";
  // What ajv makes of a schema has no address.
  if (spell.url === "") return spell.isScript ? "checking" : "system";
  const source = sourceOf(spell);
  const [, part] = SOURCES.find(([start]) => source.startsWith(start)) ?? [];
  if (part === undefined) throw new Error(`It is not known what ${source} is for.`);
  return part;
}

const root = new URL("../../..", import.meta.url).href;
const maps = new Map<string, SourceMap>();

/** Where a function was written: in the project's folder, in a package, or in Node. */
function sourceOf({ url, line, column }: Spell): string {
  const found = mapOf(url)?.findEntry(line, column);
  const written =
    found !== undefined && "originalSource" in found ? new URL(found.originalSource, url).href : url;
  const isPackage = written.lastIndexOf("node_modules/");
  return isPackage === -1 ? written.replace(root, "") : written.slice(isPackage);
}

function mapOf(url: string): SourceMap | undefined {
  // The bundler writes helpers of its own into a file without a map.
  if (!url.startsWith(`${root}packages/`) || !existsSync(fileURLToPath(`${url}.map`))) return undefined;
  let map = maps.get(url);
  if (map === undefined) {
    const payload = JSON.parse(readFileSync(fileURLToPath(`${url}.map`), "utf8")) as SourceMapPayload;
    map = new SourceMap(payload);
    maps.set(url, map);
  }
  return map;
}
