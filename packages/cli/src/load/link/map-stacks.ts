/**
 * Stack traces that point to the source.
 *
 * Node could do it (`setSourceMapsEnabled`), but then it also reads the maps of
 * everything else it loads, which costs start-up. Here a map is read when the
 * first error from its file is looked at.
 */
import { SourceMap, type SourceMapPayload, type SourceMapping } from "node:module";
import { textOf } from "../on-disk.ts";
import { showPlace, type Place } from "../cannot-load.ts";

interface Source {
  readonly path: string;
  /** Nothing where the lines are those of the source. */
  readonly mapPath?: string;
}

const sources = new Map<string, Source>();
const maps = new Map<string, SourceMap | undefined>();
let isInstalled = false;

/** Notes where the code at an address comes from. */
export function rememberSource(address: string, source: Source): void {
  sources.set(address, source);
  install();
}

/** A text with the addresses of linked code replaced by places in the source. */
export function withSources(text: string): string {
  // Every linked file ends in `.mjs`.
  return text.replaceAll(/file:\/\/\S+?\.mjs(?::\d+){0,2}/g, (found) => {
    const [, address = "", line, column] = /^(.*?)(?::(\d+))?(?::(\d+))?$/.exec(found) ?? [];
    if (line === undefined) return sources.get(address)?.path ?? found;
    const place = sourceOf(address, Number(line), Number(column ?? 1));
    return place === undefined ? found : showPlace(place);
  });
}

/** Where a place in linked code is in the source; nothing for what was not linked. */
export function sourceOf(address: string, line: number, column: number): Place | undefined {
  const source = sources.get(address);
  if (source === undefined) return undefined;
  const { path, mapPath } = source;
  // Empty, whatever its type says, where nothing in the source is at this place.
  const entry: Partial<SourceMapping> =
    (mapPath === undefined ? undefined : mapAt(mapPath)?.findEntry(line - 1, column - 1)) ?? {};
  const { originalLine, originalColumn } = entry;
  if (originalLine === undefined || originalColumn === undefined) return { file: path, line, column };
  return { file: path, line: originalLine + 1, column: originalColumn + 1 };
}

function mapAt(path: string): SourceMap | undefined {
  if (!maps.has(path)) {
    const text = textOf(path);
    // Written by us.
    maps.set(path, text === undefined ? undefined : new SourceMap(JSON.parse(text) as SourceMapPayload));
  }
  return maps.get(path);
}

/** A place on the stack, which V8 writes as text. */
interface Frame {
  toString(): string;
}

type Prepare = (error: Error, frames: readonly Frame[]) => unknown;

/** From here on, every stack is told in terms of the source. */
function install(): void {
  // Node itself was asked to do it; the linked files name their maps.
  if (isInstalled || process.sourceMapsEnabled) return;
  isInstalled = true;
  // Somebody else's, who was here first, still has his say.
  // V8 calls it without `this`, whatever its type says.
  const before = Reflect.get(Error, "prepareStackTrace") as Prepare | undefined;
  Error.prepareStackTrace = (error, frames) => {
    const stack: unknown = before === undefined ? plainStack(error, frames) : before(error, frames);
    return typeof stack === "string" ? withSources(stack) : stack;
  };
}

/** As V8 writes it. */
function plainStack(error: Error, frames: readonly Frame[]): string {
  return [headOf(error), ...frames.map((frame) => `    at ${frame.toString()}`)].join("\n");
}

function headOf(error: Error): string {
  try {
    return String(error);
  } catch {
    return "<error>";
  }
}
