/**
 * Node's module hooks for the files of tools: TypeScript, `paths` of a tsconfig.json, our copy of `@photon/*`, and new code after a change.
 *
 * Node 20 runs them in a thread of their own, newer versions in the thread of the tools. They are our own code because no loader
 * gives a changed file a new URL and keeps the instance of an unchanged one: reload would be a second set of hooks above it.
 *
 *   1. A file of a tool has a URL with `?photon=<version>`. All other modules are left to Node.
 *   2. Packages, `exports` and `imports` are resolved by Node.
 *   3. A module that was replaced imports the versions of files that Node had then (`versionFor`).
 *   4. Every file that was read or missing is reported before the module that imports it is evaluated.
 */
import { readFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { dirname, extname, join, resolve as resolvePath } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import type * as Parser from "oxc-parser";
import { transformSync } from "oxc-transform";
import { isRecord, messageOf } from "../unknown.ts";
import { findModule, needsCompiling, isFile, modulePaths, readText, realPath } from "../sources/files.ts";
import { failure, locationAt } from "../sources/source-locations.ts";
import { mayDecorate, refuseDecorators } from "./decorators.ts";
import { type CompilerSettings, compilerSettings, forgetSettings } from "./tsconfig.ts";
import { findUnyielded, mayForgetYield } from "./unyielded-effects.ts";

/** Messages from the hooks to the loader. */
export type HookReport =
  | { readonly kind: "import"; readonly from: string; readonly to: string }
  /** `text` is undefined for a file that is missing. */
  | { readonly kind: "read"; readonly path: string; readonly text: string | undefined }
  | { readonly kind: "map"; readonly url: string; readonly map: string };

/** Message from the loader to the hooks. */
export interface ChangedModules {
  /** How often a file, or a file that it imports, has changed since the process loaded it. */
  readonly versions: ReadonlyMap<string, number>;
  /** CommonJS that has changed, with the names that it exports now. The loader has required it again. */
  readonly commonJs: ReadonlyMap<string, readonly string[]>;
}

let changed: ChangedModules = { versions: new Map(), commonJs: new Map() };
let report: (report: HookReport) => void = () => {};
let port: MessagePort | undefined;

/** Called by Node in the thread of the hooks. */
export function initialize(data: { readonly port: MessagePort }): void {
  ({ port } = data);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads, no window.
  report = (one) => data.port.postMessage(one);
}

/** For hooks in the thread of the tools. */
export function connect(onReport: (report: HookReport) => void): void {
  report = onReport;
}

/** By the URL of a module that was replaced: the versions of all files before. */
const replaced = new Map<string, ChangedModules["versions"]>();
/** The URLs of modules that Node has. */
const loaded = new Set<string>();

export function setChanged(modules: ChangedModules): void {
  const { versions } = changed;
  for (const [path, version] of modules.versions)
    if (version !== (versions.get(path) ?? 0)) replaced.set(urlOf(path, versions), versions);
  changed = modules;
  forgetSettings();
}

/** The loader posts before it imports, so the message is here before Node asks for the import. */
function receiveChanged(): void {
  for (
    let next = port && receiveMessageOnPort(port);
    next !== undefined;
    next = port && receiveMessageOnPort(port)
  )
    // Only the loader has the other end of the port.
    setChanged(next.message as ChangedModules);
}

type MaybePromise<T> = T | Promise<T>;

interface ResolveContext {
  readonly parentURL?: string | undefined;
}

interface Resolved {
  readonly url: string;
  readonly shortCircuit?: boolean;
  readonly importAttributes?: object;
}

const VERSION = /\?photon=\d+$/;

/** The path of a tool file, from its URL; undefined for any other URL. */
const toolFile = (url: string | undefined): string | undefined =>
  url !== undefined && VERSION.test(url) ? fileURLToPath(url.replace(VERSION, "")) : undefined;

const urlOf = (path: string, versions: ChangedModules["versions"]): string =>
  `${pathToFileURL(path).href}?photon=${versions.get(path) ?? 0}`;

export function resolve(
  specifier: string,
  context: ResolveContext,
  next: (specifier: string, context: ResolveContext) => MaybePromise<Resolved>,
): MaybePromise<Resolved> {
  receiveChanged();
  // A tool file, imported by the loader; a test runner has made a path of the URL.
  if (VERSION.test(specifier)) return { url: new URL(specifier, "file:").href, shortCircuit: true };
  const { parentURL } = context;
  const from = toolFile(parentURL);
  if (from === undefined) return next(specifier, context);
  const versioned = (path: string): Resolved => {
    report({ kind: "import", from, to: path });
    return {
      url: versionFor(path, parentURL),
      shortCircuit: true,
      // Otherwise JSON with attributes and JSON without would be two modules.
      ...(extname(path) === ".json" ? { importAttributes: {} } : {}),
    };
  };
  const path = findFile(specifier, from);
  if (path !== undefined) return versioned(path);
  const plain = { ...context, parentURL: pathToFileURL(from).href };
  const isInternal = specifier.startsWith("#");
  const onResolved = (resolved: Resolved): Resolved => {
    const found = resolved.url.startsWith("file:") ? fileURLToPath(resolved.url) : "";
    const isOfTool = needsCompiling(found) || (isInternal && !isInPackage(found));
    return isOfTool ? versioned(found) : resolved;
  };
  const onError = (error: unknown): MaybePromise<Resolved> => {
    const fail = (): never => {
      throw notFound(specifier, from, error);
    };
    // Where nothing is installed, tools share our copy; compiled code imports helpers that are ours.
    if (!/^@(?:photon|oxc-project\/runtime)\//.test(specifier)) return fail();
    return attempt(() => next(specifier, { ...context, parentURL: import.meta.url }), onResolved, fail);
  };
  return attempt(() => next(specifier, plain), onResolved, onError);
}

/** The next hook gives a promise in the thread of Node 20, and a value in newer versions. */
function attempt<T, R>(
  act: () => MaybePromise<T>,
  onValue: (value: T) => R,
  onError: (error: unknown) => MaybePromise<R>,
): MaybePromise<R> {
  let value: MaybePromise<T>;
  try {
    value = act();
  } catch (error) {
    return onError(error);
  }
  return value instanceof Promise ? value.then(onValue, onError) : onValue(value);
}

/**
 * The URL of a file for its importer. An importer that was replaced gets the version that it had before, if Node has it: a run of the
 * old code may make an `import()` after a reload. A file that Node does not have is loaded as it is now.
 */
function versionFor(path: string, importer: string | undefined): string {
  const versions = importer === undefined ? undefined : replaced.get(importer);
  const before = versions && urlOf(path, versions);
  return before !== undefined && loaded.has(before) ? before : urlOf(path, changed.versions);
}

const isInPackage = (path: string): boolean => /[/\\]node_modules[/\\]/.test(path);

/** The file that a relative import means, or one by `paths`; undefined for what Node resolves. */
function findFile(specifier: string, from: string): string | undefined {
  if (!/^\.{0,2}\/|^\.{1,2}$|^file:/.test(specifier)) {
    if (isBuiltin(specifier)) return undefined;
    const candidates = settingsOf(from).paths(specifier);
    return candidates.map((path) => findModule(path, true)).find((path) => path !== undefined);
  }
  const url = new URL(specifier, pathToFileURL(from));
  // `./icon.svg?raw` is for another loader.
  if (url.search !== "" || url.hash !== "") return undefined;
  const exact = fileURLToPath(url);
  const found = findModule(exact, needsCompiling(from));
  if (found !== undefined) return found;
  for (const path of modulePaths(exact, needsCompiling(from))) reportFile(path, undefined, from);
  throw notFound(specifier, from, `there is no file ${exact}`);
}

function reportFile(path: string, text: string | undefined, from: string): void {
  report({ kind: "import", from, to: path });
  report({ kind: "read", path, text });
}

/** Files inside packages are compiled without a tsconfig.json: theirs often extends packages that are not installed. */
const settingsOf = (file: string): CompilerSettings => compilerSettings(isInPackage(file) ? undefined : file);

/** An import that leads nowhere, with Node's code: code around an `import()` may look at it. */
function notFound(specifier: string, from: string, reason: unknown): Error {
  const text = readText(from) ?? "";
  const problem = typeof reason === "string" ? reason : problemOf(reason, specifier, from);
  return failure(
    locationAt(from, text, Math.max(0, text.indexOf(specifier))),
    `The import ${JSON.stringify(specifier)} cannot be found: ${problem}.`,
    "ERR_MODULE_NOT_FOUND",
  );
}

function problemOf(error: unknown, specifier: string, from: string): string {
  const message = messageOf(error);
  const code = isRecord(error) ? error["code"] : undefined;
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  // No package has such a name.
  if (/^[@~]\//.test(specifier)) {
    const { file, problem: reason = "" } = settingsOf(from);
    return file === undefined
      ? 'no tsconfig.json above the file has "paths" for it'
      : `${file} has no "paths" for it${reason}`;
  }
  switch (code) {
    case "ERR_MODULE_NOT_FOUND": {
      const missing = /^Cannot find module '(.*?)' imported/.exec(message)?.[1];
      if (missing !== undefined) {
        reportFile(missing, undefined, from);
        return `there is no file ${missing}`;
      }
      reportFile(
        join(packageOf(from)?.folder ?? dirname(from), "node_modules", name, "package.json"),
        undefined,
        from,
      );
      return `the package ${JSON.stringify(name)} is not installed; run "npm install ${name}" beside the file`;
    }
    case "ERR_PACKAGE_PATH_NOT_EXPORTED":
      return `the package ${JSON.stringify(name)} does not export ${JSON.stringify(`.${specifier.slice(name.length)}`)}`;
    case "ERR_PACKAGE_IMPORT_NOT_DEFINED":
      return 'no package.json above the file has an "imports" entry for it';
    default:
      return message.replace(/\.$/, "");
  }
}

interface LoadContext {
  readonly format?: string | null | undefined;
}

interface Loaded {
  readonly format?: string | null;
  readonly source?: unknown;
  readonly shortCircuit?: boolean;
}

export function load(
  url: string,
  context: LoadContext,
  next: (url: string, context: LoadContext) => MaybePromise<Loaded>,
): MaybePromise<Loaded> {
  const path = toolFile(url);
  if (path === undefined) return next(url, context);
  const text = readSource(path);
  loaded.add(url);
  report({ kind: "read", path, text });
  const extension = extname(path);
  if (extension === ".json") return moduleOf(jsonModule(path, text));
  if (extension === ".cts")
    throw failure({ file: path }, "CommonJS TypeScript (.cts) is not loaded; rename it to .ts.");
  const commonJs = (): MaybePromise<Loaded> => {
    reportRequires(path, text);
    const names = changed.commonJs.get(path);
    if (names !== undefined) return moduleOf(requiredModule(path, names));
    return next(url, { ...context, format: "commonjs" });
  };
  if (extension === ".cjs") return commonJs();
  if (!needsCompiling(path) && extension !== ".js" && extension !== ".mjs") return next(url, context);
  const settings = settingsOf(path);
  if (settings.file !== undefined) reportFile(settings.file, readText(settings.file), path);
  const isAmbiguous = extension === ".js" && packageOf(path)?.type !== "module";
  const isDecorated = !settings.hasDecorators && mayDecorate(text);
  if (!isAmbiguous && !isDecorated && !mayForgetYield(text))
    return moduleOf(compile(url, path, text, settings));
  return withParser(({ parseSync }) => {
    const { program, module } = parseSync(path, text, { preserveParens: false });
    if (isAmbiguous && !module.hasModuleSyntax) return commonJs();
    const code = compile(url, path, text, settings);
    if (isDecorated) refuseDecorators(path, text, program, settings);
    refuseUnyielded(path, text, findUnyielded(program, module));
    return moduleOf(code);
  });
}

const moduleOf = (source: string): Loaded => ({ format: "module", source, shortCircuit: true });

/** An ES module, needed for few files: Node 20 can only import it asynchronously, which hooks in a thread of their own may do. */
function withParser<T>(use: (parser: typeof Parser) => MaybePromise<T>): MaybePromise<T> {
  if (port !== undefined) return import("oxc-parser").then(use);
  // Its exports, loaded by the `require` of a Node that loads ES modules.
  return use(createRequire(import.meta.url)("oxc-parser") as typeof Parser);
}

function readSource(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw failure({ file: path }, "The file cannot be read.");
  }
}

function compile(url: string, path: string, text: string, settings: CompilerSettings): string {
  const { code, map, errors } = transformSync(path, text, {
    sourcemap: true,
    sourceType: "module",
    target: `node${process.versions.node}`,
    ...settings.options,
  });
  const [error] = errors;
  if (error !== undefined) {
    const hint = error.helpMessage === null ? "" : ` (${error.helpMessage})`;
    // The compiler counts bytes of UTF-8.
    const before = Buffer.from(text)
      .subarray(0, error.labels[0]?.start ?? 0)
      .toString();
    throw failure(locationAt(path, text, before.length), `${error.message.replace(/\.$/, "")}${hint}.`);
  }
  const hasMeta = /\bimport\.meta\b/.test(code);
  const { mappings = "", names = [] } = map ?? {};
  const sourceUrl = pathToFileURL(path).href;
  const slimMap = JSON.stringify({
    version: 3,
    sources: [sourceUrl],
    names,
    mappings: hasMeta ? `;${mappings}` : mappings,
  });
  report({ kind: "map", url, map: slimMap });
  // Node takes a hashbang only at the very start. Debuggers look for the map at the end.
  const end = `//# sourceMappingURL=data:application/json;base64,${Buffer.from(slimMap).toString("base64")}`;
  return `${hasMeta ? metaOf(sourceUrl) : ""}${code.replace(/^#!/, "//")}\n${end}\n`;
}

/** The version is ours, and no part of the URL that a tool sees. */
const metaOf = (url: string): string =>
  `import.meta.url=${JSON.stringify(url)};{const{resolve}=import.meta;import.meta.resolve=(name)=>resolve(name).replace(/\\?photon=\\d+$/,"");}\n`;

function jsonModule(path: string, text: string): string {
  const json = text.replace(/^\uFEFF/, "");
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    const message = messageOf(error);
    throw failure({ file: path }, `Invalid JSON: ${message}.`);
  }
  return exporting(`JSON.parse(${JSON.stringify(json)})`, isRecord(value) ? Object.keys(value) : []);
}

const requiredModule = (path: string, names: readonly string[]): string =>
  exporting(`globalThis[Symbol.for("@photon/cli required")](${JSON.stringify(path)})`, names);

/** A module that exports a value, and its properties by name. */
function exporting(value: string, keys: readonly string[]): string {
  const names = keys.filter((key) => /^[A-Za-z_$][\w$]*$/.test(key) && key !== "default");
  // Numbered inside, because a key may be a keyword.
  const parts = names.map(
    (name, n) => `const $${n}=value[${JSON.stringify(name)}];export{$${n} as ${name}};`,
  );
  return `const value=${value};export default value;${parts.join("")}`;
}

const REQUIRE = /\brequire\s*\(\s*["'](\.[^"']*)["']\s*\)/g;

/** Node loads CommonJS. The files that it requires are reported, so that they are watched as well. */
function reportRequires(path: string, text: string, seen: Set<string> = new Set()): void {
  for (const [, specifier = ""] of text.matchAll(REQUIRE)) {
    const exact = resolvePath(dirname(path), specifier);
    const paths = ["", ".js", ".json", "/index.js"].map((extension) => exact + extension);
    const found = paths.find(isFile);
    if (found === undefined) {
      for (const missing of paths) reportFile(missing, undefined, path);
      continue;
    }
    const required = realPath(found);
    const source = readSource(required);
    reportFile(required, source, path);
    if (seen.has(required)) continue;
    seen.add(required);
    reportRequires(required, source, seen);
  }
}

/** The nearest package.json above a file. */
function packageOf(file: string): { readonly folder: string; readonly type: unknown } | undefined {
  const folder = dirname(file);
  const text = readText(join(folder, "package.json"));
  if (text !== undefined) return { folder, type: /"type"\s*:\s*"(\w+)"/.exec(text)?.[1] };
  return folder === dirname(folder) ? undefined : packageOf(folder);
}

/** Refuses a file that creates an effect and certainly does not yield it. */
function refuseUnyielded(path: string, text: string, found: ReturnType<typeof findUnyielded>): void {
  if (found === undefined) return;
  const { at, call, how } = found;
  // Answers come back through `yield*`; an emit has none.
  const remedy = /\bemit\.\w+$/.test(call) ? `yield ${call}(…)` : `yield* ${call}(…)`;
  throw failure(locationAt(path, text, at), `${call}(…) ${how}, so it does nothing: write ${remedy}.`);
}
