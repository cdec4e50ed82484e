/**
 * Locations in the source of a tool: of an offset, of a line of compiled code, of each line of a stack trace.
 *
 *   1. The thread of the module hooks uses this file, so it does not import @photon/core.
 *
 * Node can map stack traces (`setSourceMapsEnabled`), but then it also reads the maps of every package that is loaded later: ajv alone took
 * 12 ms of a start. Here a map is parsed for the first error from its file.
 */
import { SourceMap, type SourceMapPayload } from "node:module";
import { fileURLToPath } from "node:url";

/** A place in a file; lines and columns count from 1, as editors do. */
export interface SourceLocation {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** As terminals and editors link it: `/a/tool.ts:3:7`. */
export const formatLocation = ({ file, line, column }: SourceLocation): string =>
  [file, line, column].filter((part) => part !== undefined).join(":");

/** The location of an offset in a text. */
export function locationAt(file: string, text: string, offset: number): SourceLocation {
  const before = text.slice(0, offset).split("\n");
  return { file, line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

/** An error with its location as a property: it crosses the threads, and loses its class on the way. */
export const failure = (location: SourceLocation, message: string, code = "CANNOT_LOAD"): Error =>
  Object.assign(new Error(message), { code, location });

const maps = new Map<string, SourceMap>();
let findMap: (url: string) => string | undefined = () => undefined;

/** The location in the source for one in the code of a URL. */
export function sourceLocation(url: string, line: number, column: number): SourceLocation {
  const file = url.startsWith("file:") ? fileURLToPath(url.replace(/\?photon=\d+$/, "")) : url;
  const entry = mapOf(url)?.findEntry(line - 1, column - 1);
  // Empty, whatever its type says, for code without a source.
  if (entry === undefined || !("originalLine" in entry)) return { file, line, column };
  return { file, line: entry.originalLine + 1, column: entry.originalColumn + 1 };
}

function mapOf(url: string): SourceMap | undefined {
  const known = maps.get(url);
  if (known !== undefined) return known;
  const text = findMap(url);
  if (text === undefined) return undefined;
  // Made by the compiler.
  const map = new SourceMap(JSON.parse(text) as SourceMapPayload);
  maps.set(url, map);
  return map;
}

const IN_CODE = /(file:\/\/\S+?\?photon=\d+)(?::(\d+))?(?::(\d+))?/g;

/** A text with the URLs of tool files replaced by locations in the source. */
export const withSources = (text: string): string =>
  text.replaceAll(IN_CODE, (_, url: string, line?: string, column?: string) => {
    const { file, ...at } = sourceLocation(url, Number(line ?? 1), Number(column ?? 1));
    return line === undefined ? file : formatLocation({ file, ...at });
  });

type Prepare = (error: Error, frames: readonly { toString(): string }[]) => unknown;

/** Maps every stack from now on; `find` gives the source map of a URL. */
export function mapStackTraces(find: (url: string) => string | undefined): void {
  findMap = find;
  // Started with --enable-source-maps, Node maps them: the code has its map at its end.
  if (process.sourceMapsEnabled) return;
  // Another library's may be there already. V8 calls it without `this`, whatever its type says.
  const before = Reflect.get(Error, "prepareStackTrace") as Prepare | undefined;
  Error.prepareStackTrace = (error, frames) => {
    const stack: unknown = before === undefined ? plainStack(error, frames) : before(error, frames);
    return typeof stack === "string" ? withSources(stack) : stack;
  };
}

/** As V8 writes it. */
function plainStack(error: Error, frames: readonly { toString(): string }[]): string {
  let head = "<error>";
  try {
    head = String(error);
  } catch {
    // The error has a `toString` that throws.
  }
  return [head, ...frames.map((frame) => `    at ${frame.toString()}`)].join("\n");
}
