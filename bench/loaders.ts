/**
 * Measures loaders of TypeScript tool files, by the run time of whole processes.
 *
 * Each loader loads the same two files (a tool, and a helper it imports). The floor is a bare Node that imports the same
 * as JavaScript. Each round starts every loader once, so that other load on the machine affects all. The figures are
 * medians and best times, with their ratios to the floor. The other loaders are installed into a temporary folder,
 * without their install scripts.
 *
 * Usage: npm run build && node bench/dist/loaders.js [--rounds 15] [--ours]
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "15" }, ours: { type: "boolean", default: false } },
});
const ROUNDS = Number(values.rounds);

const PEERS = {
  "oxc-transform": "0.151.0",
  esbuild: "0.28.2",
  jiti: "2.7.0",
  tsx: "4.23.15",
  sucrase: "3.35.1",
  // Declares Node 22 as its minimum, and works on Node 20.
  amaro: "1.2.1",
  "ts-blank-space": "0.9.0",
};

const FILES = {
  "package.json": JSON.stringify({ type: "module", private: true }),
  "tool.ts": `import { total, type Room } from "./helper.ts";
    enum Kind { Single = "single" }
    const rooms: Room[] = [{ kind: Kind.Single, price: 5 }];
    async function* run(input: { nights: number }): AsyncGenerator<unknown, number> {
      yield { emit: "status", message: "Looking" };
      return total(input.nights, rooms[0] as Room);
    }
    export const book = { kind: "tool", name: "book", input: { json: { type: "object" } }, run };`,
  "helper.ts": `export interface Room { kind: string; price: number }
    export function total(nights: number, room: Room): number { return nights * room.price; }`,
  "tool.js": `import { total } from "./helper.js";
    const rooms = [{ kind: "single", price: 5 }];
    async function* run(input) {
      yield { emit: "status", message: "Looking" };
      return total(input.nights, rooms[0]);
    }
    export const book = { kind: "tool", name: "book", input: { json: { type: "object" } }, run };`,
  "helper.js": "export function total(nights, room) { return nights * room.price; }",
};

const built = (path: string): string =>
  JSON.stringify(new URL(`../../packages/${path}`, import.meta.url).href);
const load = (file: string): string =>
  `const { loadDefinitions } = await import(${built("cli/dist/load/load.js")});
   await loadDefinitions([${JSON.stringify(file)}], { cwd: process.cwd() });`;
/** Measures a compiler without a loader: compiles both files, and imports them as JavaScript. */
const compile = (setup: string, call: string): string =>
  `import { readFileSync } from "node:fs"; ${setup}
   for (const file of ["tool.ts", "helper.ts"]) { const code = readFileSync(file, "utf8"); ${call}; }
   await import("./tool.js");`;

interface Loader {
  readonly code: string;
}

const ours: Readonly<Record<string, Loader>> = {
  "bare Node, JavaScript": { code: 'await import("./tool.js");' },
  "bare Node, and @photon/core": {
    code: `await import(${built("core/dist/index.js")}); await import("./tool.js");`,
  },
  "photon, JavaScript": { code: load("tool.js") },
  "photon, TypeScript": { code: load("tool.ts") },
  "a hooks thread (module.register), JavaScript": {
    code: `import { register } from "node:module";
      register("data:text/javascript,export const resolve = (name, context, next) => next(name, context)");
      await import("./tool.js");`,
  },
};

const others: Readonly<Record<string, Loader>> = {
  "oxc-transform": {
    code: compile(
      'import { transformSync } from "oxc-transform";',
      "transformSync(file, code, { sourcemap: true })",
    ),
  },
  "esbuild, sync": {
    code: compile(
      'import { transformSync } from "esbuild";',
      'transformSync(code, { loader: "ts", sourcemap: true })',
    ),
  },
  "esbuild, service": {
    code: compile(
      'import { transform } from "esbuild";',
      'await transform(code, { loader: "ts", sourcemap: true })',
    ),
  },
  sucrase: {
    code: compile(
      'import { transform } from "sucrase";',
      'transform(code, { transforms: ["typescript"], filePath: file })',
    ),
  },
  "amaro (swc)": {
    code: compile(
      'import amaro from "amaro";',
      'amaro.transformSync(code, { mode: "transform", sourceMap: true })',
    ),
  },
  "ts-blank-space": { code: compile('import blank from "ts-blank-space";', "blank(code)") },
  "jiti, cached": {
    code: 'import { createJiti } from "jiti"; await createJiti(process.cwd() + "/").import("./tool.ts");',
  },
  "jiti, cold": {
    code: 'import { createJiti } from "jiti"; await createJiti(process.cwd() + "/", { fsCache: false }).import("./tool.ts");',
  },
  "tsx, cached": { code: 'import { register } from "tsx/esm/api"; register(); await import("./tool.ts");' },
};

const folder = mkdtempSync(join(tmpdir(), "photon-bench-"));
try {
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  if (!values.ours) install(folder);
  measure(values.ours ? ours : { ...ours, ...others }, folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function install(into: string): void {
  const packages = Object.entries(PEERS).map(([name, version]) => `${name}@${version}`);
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--silent"];
  execFileSync("npm", ["install", ...options, ...packages], { cwd: into, stdio: "inherit" });
}

function measure(loaders: Readonly<Record<string, Loader>>, cwd: string): void {
  const times = new Map(Object.keys(loaders).map((name) => [name, [] as number[]]));
  // The first two rounds fill the caches of the loaders and of the system, and do not count.
  for (let round = -2; round < ROUNDS; round++) {
    for (const [name, loader] of Object.entries(loaders)) {
      const took = timed(name, loader, cwd);
      if (round >= 0) times.get(name)?.push(took);
    }
  }
  const [floor = []] = times.values();
  console.log(`Loading a tool file and a helper, ${ROUNDS} processes each (Node ${process.version}):`);
  console.log(`  ${"".padEnd(46)}      median        best`);
  for (const [name, took] of times)
    console.log(`  ${name.padEnd(46)} ${figure(median, took, floor)} ${figure(best, took, floor)}`);
}

function figure(
  of: (times: readonly number[]) => number,
  took: readonly number[],
  floor: readonly number[],
): string {
  return `${of(took).toFixed(0).padStart(5)} ms ${(of(took) / of(floor)).toFixed(2).padStart(5)}×`;
}

function timed(name: string, { code }: Loader, cwd: string): number {
  const home = join(cwd, ".cache");
  mkdirSync(home, { recursive: true });
  const file = join(cwd, "start.mjs");
  writeFileSync(file, code);
  const env = { PATH: process.env["PATH"], XDG_CACHE_HOME: home, TMPDIR: home };
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [file], { cwd, env, encoding: "utf8" });
  const took = performance.now() - start;
  if (status !== 0) throw new Error(`${name} failed: ${stderr}`);
  return took;
}

function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0;
}

function best(figures: readonly number[]): number {
  return Math.min(...figures);
}
