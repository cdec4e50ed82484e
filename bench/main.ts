/** `npm run bench`: runs the measures, prints their tables, and saves the medians. `--help` lists the options. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { benchServers } from "./harness/servers.ts";
import { help, parseOptions, type Options } from "./harness/options.ts";
import type { BenchSettings } from "./harness/settings.ts";
import { render } from "./harness/render.ts";
import { readResults, saveResults, toResult, type MeasureResult, type Results } from "./harness/results.ts";
import { withTables } from "./harness/write-page.ts";
import { measures } from "./measures/measures.ts";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const page = at("../../docs/performance.md");
/** The committed results, and those of a run without `--write`. */
const files = { committed: at("../results.json"), local: at("results.json") };

// The exit of this process stops the servers.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

const log = (line: string): void => void process.stderr.write(`${line}\n`);

try {
  const options = parseOptions(process.argv.slice(2), measures);
  if (options.showsHelp) process.stdout.write(help(measures));
  else if (options.rendersOnly) await writePage(await readResults(files.committed));
  else await runMeasures(options);
  process.exit(0);
} catch (error) {
  log(`bench: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

async function runMeasures(options: Options): Promise<void> {
  const { only, servers, writesPage, results } = options;
  const settings: BenchSettings = { ...options, includes: (label) => servers.includes(label), log };
  if (benchServers.some(({ label, isPeer }) => isPeer && settings.includes(label))) await installPeers();
  const fresh: Record<string, MeasureResult> = {};
  for (const measure of measures.filter(({ name }) => only.includes(name))) {
    const tables = await measure.run({ ...settings, log: (line) => log(`${measure.name}: ${line}`) });
    const result = toResult(options, tables);
    fresh[measure.name] = result;
    process.stdout.write(`${result.tables.map(render).join("\n")}\n`);
  }
  const all = await saveResults(results ?? (writesPage ? files.committed : files.local), fresh);
  if (writesPage) await writePage(all);
}

async function writePage(results: Results): Promise<void> {
  await writeFile(page, withTables(await readFile(page, "utf8"), results));
}

/** Installs the packages of the other servers, outside the workspaces: once, and again when their lockfile changes. */
async function installPeers(): Promise<void> {
  const folder = at("../peers");
  // A copy of the installed lockfile, written when the installation is complete.
  const stamp = join(folder, "node_modules/.installed");
  const wanted = await readFile(join(folder, "package-lock.json"), "utf8");
  const installed = await readFile(stamp, "utf8").catch(() => "");
  if (installed === wanted) return;
  log("installing the servers to compare with, into bench/peers");
  await promisify(execFile)("npm", ["ci", "--ignore-scripts"], { cwd: folder });
  await writeFile(stamp, wanted);
}
