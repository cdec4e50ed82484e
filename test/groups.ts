/**
 * Which tests run together. What a file imports, with all that this imports in turn, decides:
 *
 *   long       It imports `test/long.ts`: a twentieth of its work, or some of it, is done by default.
 *   processes  It starts a process, has Node load modules, needs what `npm run build` makes, or looks at the whole heap.
 *   quick      Everything else: no process, no browser, no Redis, no build.
 *
 * `test/no-processes.ts` stops a quick test that starts a process all the same.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "vite";

export type Group = "long" | "processes" | "quick";

const root = fileURLToPath(new URL("..", import.meta.url));

const LONG = "test/long.ts";
/** Modules that start processes or threads, or look at the heap of the whole process. */
const PROCESSES =
  /^node:(?:child_process|cluster|worker_threads|inspector|v8)|^playwright-core$|^@modelcontextprotocol\/(?:sdk\/)?client\/stdio/;
/** What `npm run build` makes: the playground, and what tests name by a relative path through a folder `dist`. */
const BUILT_MODULE = "packages/server/src/app/playground.ts";
const BUILT_PATH = /\.\.\/(?:\w+\/)*dist\//;

/** The test files of the repository, as paths from its root. */
export function testFiles(): readonly string[] {
  const packages = readdirSync(join(root, "packages")).map((name) => `packages/${name}/test`);
  return ["test", ...packages]
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => filesIn(folder))
    .filter((file) => file.endsWith(".test.ts"));
}

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (!entry.isDirectory()) return [path];
    return entry.name === "node_modules" ? [] : filesIn(path);
  });
}

export function groupOf(file: string): Group {
  const modules = modulesOf(file);
  const has = (pattern: RegExp): boolean => [...modules].some((one) => pattern.test(one));
  if (modules.has(LONG)) return "long";
  if (has(PROCESSES) || modules.has(BUILT_MODULE) || [...modules].some(usesBuild)) return "processes";
  return "quick";
}

/** Whether a file of the tests names a path to what is built. */
const usesBuild = (path: string): boolean => isOfTests(path) && BUILT_PATH.test(read(path).text);

const isOfTests = (path: string): boolean => /(?:^|\/)test\/.*\.(?:ts|mjs)$/.test(path) && isOurs(path);
const isOurs = (path: string): boolean => !path.startsWith("node:") && existsSync(join(root, path));

/** Everything that is loaded with a file: files by their paths from the root, other modules by their names. */
function modulesOf(file: string): ReadonlySet<string> {
  const modules = new Set([file]);
  for (const one of modules)
    if (/\.(?:tsx?|mjs)$/.test(one) && isOurs(one))
      for (const imported of read(one).imports) modules.add(imported);
  return modules;
}

interface Source {
  readonly text: string;
  readonly imports: readonly string[];
}

const sources = new Map<string, Source>();

function read(path: string): Source {
  const known = sources.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(join(root, path), "utf8");
  const imports = specifiersIn(path, text).map((specifier) => resolveFrom(path, specifier));
  const source = { text, imports };
  sources.set(path, source);
  return source;
}

/** What a module imports when it is loaded; a test also what it imports later. Types are not loaded. */
function specifiersIn(path: string, text: string): readonly string[] {
  const { staticImports, staticExports, dynamicImports } = parseSync(path, text).module;
  const imported = staticImports
    .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
    .map(({ moduleRequest }) => moduleRequest.value);
  const exported = staticExports
    .flatMap(({ entries }) => entries)
    .flatMap(({ isType, moduleRequest }) => (isType || moduleRequest === null ? [] : [moduleRequest.value]));
  const later = isOfTests(path)
    ? dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1))
    : [];
  return [...imported, ...exported, ...later];
}

const resolveFrom = (path: string, specifier: string): string =>
  specifier.startsWith(".") ? join(dirname(path), specifier) : (packageSources.get(specifier) ?? specifier);

/** The sources of the packages of this repository, by what they are imported as. */
const packageSources: ReadonlyMap<string, string> = new Map(
  readdirSync(join(root, "packages")).flatMap((folder) => {
    // What npm reads as well.
    const { name, exports = {} } = JSON.parse(
      readFileSync(join(root, "packages", folder, "package.json"), "utf8"),
    ) as {
      readonly name: string;
      readonly exports?: { readonly [entry: string]: string | { readonly "@photon/source"?: string } };
    };
    return Object.entries(exports).flatMap(([entry, target]): [string, string][] => {
      const source = typeof target === "string" ? undefined : target["@photon/source"];
      return source === undefined ? [] : [[join(name, entry), join("packages", folder, source)]];
    });
  }),
);
