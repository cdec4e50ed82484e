/** The command of the chaos run: reads its flags, prints one line for each store, and exits with 1 if anything was wrong. */
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { storeKinds, type StoreKind } from "../deployment.ts";
import { runChaos, type ChaosOptions } from "./chaos.ts";
import { faultKinds } from "./faults.ts";

const USAGE =
  "npm run chaos -- [--minutes 10] [--seed N] [--store sqlite|redis] [--nodes 1..3] [--faults kill,suspend,terminate,store]";
const MAX_SHOWN = 20;

export async function main(args: readonly string[]): Promise<number> {
  const given = readOptions(args);
  if (given === undefined) {
    process.stderr.write(`${USAGE}\n`);
    return 2;
  }
  const { stores, minutes, ...options } = given;
  let isRight = true;
  for (const store of stores) {
    const isStoreRight = await runOn({ ...options, store, minutes: minutes / stores.length });
    isRight &&= isStoreRight;
  }
  return isRight ? 0 : 1;
}

/** The options on the command line; nothing, where they are wrong. Without a store, each store has half of the time. */
function readOptions(
  args: readonly string[],
): (Omit<ChaosOptions, "store"> & { readonly stores: readonly StoreKind[] }) | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string", default: "1" },
      seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
      store: { type: "string" },
      nodes: { type: "string", default: "3" },
      faults: { type: "string", default: faultKinds.join() },
    },
  });
  const [minutes, seed, nodes] = [Number(values.minutes), Number(values.seed), Number(values.nodes)];
  const stores = storeKinds.filter((kind) => (values.store ?? kind).toLowerCase() === kind.toLowerCase());
  const kinds = faultKinds.filter((kind) => values.faults.split(",").includes(kind));
  const isRight =
    minutes > 0 &&
    Number.isInteger(seed) &&
    [1, 2, 3].includes(nodes) &&
    stores.length > 0 &&
    kinds.length > 0;
  return isRight ? { minutes, seed, nodes, stores, kinds } : undefined;
}

async function runOn(options: ChaosOptions): Promise<boolean> {
  const { summary, problems, logFile } = await runChaos(options);
  for (const problem of problems.slice(0, MAX_SHOWN)) process.stderr.write(`${problem}\n`);
  if (problems.length > MAX_SHOWN) process.stderr.write(`and ${problems.length - MAX_SHOWN} more\n`);
  if (problems.length === 0) rmSync(logFile, { force: true });
  else process.stderr.write(`What happened when is in ${logFile}.\n`);
  process.stdout.write(`${summary}\n`);
  return problems.length === 0;
}
