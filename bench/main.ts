/** `npm run bench`: measures, prints tables of ratios, keeps the medians. `--help` says how. */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { installPeers } from "./harness/install-peers.ts";
import { contestants } from "./harness/contestants.ts";
import { help, readOptions, type Options } from "./harness/options.ts";
import type { Plan } from "./harness/plan.ts";
import { render } from "./harness/render.ts";
import { keepResults, taken, type Taken } from "./harness/results.ts";
import { withTables } from "./harness/write-page.ts";
import { measures } from "./measures/measures.ts";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const page = at("../../docs/performance.md");
/** What was written down, and is a file of the project; and what is not. */
const files = { kept: at("../results.json"), tried: at("results.json") };

// Servers are ended by the exit of this process.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

const say = (words: string): void => void process.stderr.write(`${words}\n`);

try {
  const options = readOptions(process.argv.slice(2), measures);
  if (options.isHelp) process.stdout.write(help(measures));
  else await measure(options);
  process.exit(0);
} catch (error) {
  say(`bench: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

async function measure(options: Options): Promise<void> {
  const { only, servers, isWritten, results } = options;
  const plan: Plan = { ...options, includes: (label) => servers.includes(label), say };
  if (contestants.some(({ label, isPeer }) => isPeer && plan.includes(label))) await installPeers(say);
  const fresh: Record<string, Taken> = {};
  for (const one of measures.filter(({ name }) => only.includes(name))) {
    const tables = await one.take({ ...plan, say: (words) => say(`${one.name}: ${words}`) });
    const result = taken(options, tables);
    fresh[one.name] = result;
    process.stdout.write(`${result.tables.map(render).join("\n")}\n`);
  }
  const all = await keepResults(results ?? (isWritten ? files.kept : files.tried), fresh);
  if (isWritten) await writeFile(page, withTables(await readFile(page, "utf8"), all));
}
