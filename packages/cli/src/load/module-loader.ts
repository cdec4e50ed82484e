/**
 * Imports tool files, with Node's module hooks (hooks.ts), and keeps track of which file imports which.
 *
 *   1. A file that has changed, and every file that imports it, is imported under a URL that it never had. Calls in progress
 *      finish on the old code; a durable run that is replayed gets the new code, or `ToolVersionChanged`.
 *   2. A file keeps its instance if neither the file nor anything that it imports has changed.
 */
import nodeModule, { createRequire, register } from "node:module";
import { pathToFileURL } from "node:url";
import { MessageChannel, receiveMessageOnPort } from "node:worker_threads";
import * as core from "@photon/core";
import { type LoadError, loadErrorAt } from "../errors.ts";
import { closestMatch } from "../flags/closest-match.ts";
import { packageRoot } from "../io.ts";
import { isRecord } from "../unknown.ts";
import { isFile, readText } from "../sources/files.ts";
import type * as Hooks from "./hooks.ts";
import type { FileSnapshot } from "../sources/snapshot.ts";
import {
  mapStackTraces,
  sourceLocation,
  withSources,
  type SourceLocation,
} from "../sources/source-locations.ts";

/** The exports of a module, by name. */
export type Exports = Readonly<Record<string, unknown>>;

export interface Imported {
  readonly modules: ReadonlyMap<string, Exports>;
  /** Files that other files import. */
  readonly imported: ReadonlySet<string>;
}

interface Module {
  /** Until then, nothing is known of it: another file failed first. */
  isRead: boolean;
  /** As it was last read; undefined for a file that was missing. */
  text: string | undefined;
  version: number;
  readonly imports: Set<string>;
}

/** Every file that this process has read for a tool. */
const modules = new Map<string, Module>();
/** Source maps, by the URL of the code. */
const maps = new Map<string, string>();
const listeners = new Set<() => void>();

/** Imports the files one after another: of two that fail, the first is reported. */
export async function importFiles(files: readonly string[], snapshot: FileSnapshot): Promise<Imported> {
  const hooks = await connectHooks();
  hooks.receive();
  renewChanged(hooks);
  const exports = new Map<string, Exports>();
  snapshot.entries = files;
  for (const file of files) {
    try {
      // The exports of a module are an object.
      exports.set(file, (await import(urlOf(file))) as Exports);
    } catch (error) {
      ignoreRejection(error);
      hooks.receive();
      throw importError(error, file, modules);
    } finally {
      hooks.receive();
      trackImported(snapshot);
    }
  }
  const imported = [...reachedFrom(files)].flatMap((path) => [...moduleOf(path).imports]);
  return { modules: exports, imported: new Set(imported) };
}

/** With an error that CommonJS throws, Node 20 also rejects a promise of its own, which would end the process. */
function ignoreRejection(error: unknown): void {
  const listener = (reason: unknown): void => {
    if (reason !== error) throw reason;
  };
  process.on("unhandledRejection", listener);
  setImmediate(() => process.off("unhandledRejection", listener));
}

const urlOf = (file: string): string => `${pathToFileURL(file).href}?photon=${moduleOf(file).version}`;

/** Adds what the tool files have imported until now, also while they run. */
export function trackImported(snapshot: FileSnapshot): void {
  for (const path of reachedFrom(snapshot.entries)) {
    const { isRead, text } = moduleOf(path);
    if (isRead && !snapshot.files.has(path)) snapshot.files.set(path, text);
  }
}

/** Calls back when a tool has imported a file, perhaps while it runs. */
export function onImport(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Files, and those that they import. */
function reachedFrom(files: readonly string[]): ReadonlySet<string> {
  const reached = new Set(files);
  // A set that grows during its iteration is iterated to its end.
  for (const path of reached) for (const next of moduleOf(path).imports) reached.add(next);
  return reached;
}

function moduleOf(path: string): Module {
  const known = modules.get(path);
  if (known !== undefined) return known;
  const added: Module = { isRead: false, text: undefined, version: 0, imports: new Set() };
  modules.set(path, added);
  return added;
}

/** Gives every file that differs from what was read a new version, and every file that imports it. */
function renewChanged({ setChanged }: HookConnection): void {
  const isChanged = ([path, { isRead, text }]: readonly [string, Module]): boolean =>
    isRead && readText(path) !== text;
  const stale = new Set([...modules].filter(isChanged).map(([path]) => path));
  for (const path of stale)
    for (const [importer, { imports }] of modules) if (imports.has(path)) stale.add(importer);
  // One object for the process.
  const { cache } = requireAny;
  const required = [...stale].filter((path) => path in cache || results.has(path));
  for (const path of stale) {
    const module = moduleOf(path);
    module.text = readText(path);
    module.version += 1;
    module.imports.clear();
    Reflect.deleteProperty(cache, path);
  }
  if (stale.size === 0) return;
  setChanged({
    versions: new Map([...modules].map(([path, { version }]) => [path, version])),
    commonJs: new Map(required.filter(isFile).map((path) => [path, requireAgain(path)])),
  });
}

const requireAny = createRequire(import.meta.url);

/** The exports of CommonJS that has changed, or the error that it threw. */
const results = new Map<string, { readonly value: unknown } | { readonly error: unknown }>();

// The module that the hooks create for such a file reads the exports here.
Object.assign(globalThis, {
  [Symbol.for("@photon/cli required")]: (path: string): unknown => {
    const result = results.get(path);
    if (result !== undefined && "error" in result) throw result.error;
    return result?.value;
  },
});

/**
 * Requires CommonJS that has changed, and gives the names of its exports. Node's own import of it would give what it requires as an
 * empty object: Node resolves a `require` from a cache that cannot be cleared.
 */
function requireAgain(path: string): readonly string[] {
  try {
    const value: unknown = requireAny(path);
    results.set(path, { value });
    return isRecord(value) || typeof value === "function" ? Object.keys(value) : [];
  } catch (error) {
    results.set(path, { error });
    return [];
  }
}

function onReport(report: Hooks.HookReport): void {
  switch (report.kind) {
    case "import":
      moduleOf(report.from).imports.add(report.to);
      break;
    case "read":
      Object.assign(moduleOf(report.path), { isRead: true, text: report.text });
      break;
    case "map":
      maps.set(report.url, report.map);
      break;
    default:
      report satisfies never;
  }
  for (const listener of listeners) listener();
}

interface HookConnection {
  readonly setChanged: (changed: Hooks.ChangedModules) => void;
  /** Takes the reports that have not been delivered yet. */
  readonly receive: () => void;
}

let connection: Promise<HookConnection> | undefined;

function connectHooks(): Promise<HookConnection> {
  connection ??= connect();
  return connection;
}

async function connect(): Promise<HookConnection> {
  const hooks = "registerHooks" in nodeModule ? await connectHere() : connectThread();
  mapStackTraces((url) => {
    hooks.receive();
    return maps.get(url);
  });
  return hooks;
}

async function connectHere(): Promise<HookConnection> {
  const hooks = await import("./hooks.ts");
  hooks.connect(onReport);
  // Not in the types of the oldest Node that we run on.
  const { registerHooks } = nodeModule as unknown as { readonly registerHooks: (hooks: object) => void };
  registerHooks({ resolve: hooks.resolve, load: hooks.load });
  return { setChanged: hooks.setChanged, receive: () => {} };
}

function connectThread(): HookConnection {
  const { port1: port, port2: theirs } = new MessageChannel();
  // The built file, also in tests of the sources: Node loads it in the other thread.
  register(new URL("dist/load/hooks.js", packageRoot), { data: { port: theirs }, transferList: [theirs] });
  port.on("message", onReport);
  port.unref();
  return {
    setChanged: (changed) => port.postMessage(changed),
    receive() {
      for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port))
        // Only the hooks have the other end of the port.
        onReport(next.message as Hooks.HookReport);
    },
  };
}

/** The error for a file whose import failed; `files` are those in which a location is looked for. */
function importError(error: unknown, file: string, files: { has(path: string): boolean }): LoadError {
  if (!(error instanceof Error)) return loadErrorAt({ file }, `It threw ${String(error)}.`, { cause: error });
  const { location } = error as { readonly location?: unknown };
  // The hooks say where, and their messages are sentences.
  if (isLocation(location)) return loadErrorAt(location, error.message, { cause: error });
  const message = withSources(error.message).replace(/\.$/, "");
  const isSentence = error instanceof SyntaxError || error.name === "InvalidDefinition";
  const at = syntaxLocation(error.stack ?? "") ?? frameLocation(error.stack ?? "", files) ?? { file };
  return loadErrorAt(at, `${isSentence ? "" : `${error.name}: `}${message}.${hintFor(message)}`, {
    cause: error,
  });
}

const isLocation = (value: unknown): value is SourceLocation =>
  isRecord(value) && typeof value["file"] === "string";

function hintFor(message: string): string {
  const [, module, name] = /module '(.+?)' does not provide an export named '(.+)'/.exec(message) ?? [];
  const similar = module === "@photon/core" && name !== undefined && closestMatch(name, Object.keys(core));
  if (typeof similar === "string") return ` Did you mean ${similar}?`;
  return name === undefined ? "" : ` Where ${name} is a type, write "import type" or "export type".`;
}

/** The stack of a syntax error begins with the file and line, the line itself, and a caret below it. */
function syntaxLocation(stack: string): SourceLocation | undefined {
  const [first = "", , carets = ""] = stack.split("\n");
  const [, url, line] = /^(\S.*?):(\d+)$/.exec(first) ?? [];
  return url === undefined
    ? undefined
    : sourceLocation(url, Number(line), Math.max(1, carets.indexOf("^") + 1));
}

/** The topmost frame that is in one of the files. */
function frameLocation(stack: string, files: { has(path: string): boolean }): SourceLocation | undefined {
  for (const [, url = "", line, column] of stack.matchAll(/^ {4}at (?:.*\()?(\S.*?):(\d+):(\d+)\)?$/gm)) {
    const location = sourceLocation(url, Number(line), Number(column));
    if (files.has(location.file)) return location;
  }
  return undefined;
}
