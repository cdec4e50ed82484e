/** What was measured, as it is kept. */
import { readFile, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import type { Options } from "./options.ts";
import type { Table } from "./table.ts";

export interface Taken {
  readonly rounds: number;
  readonly seconds: number;
  readonly isQuick: boolean;
  readonly node: string;
  readonly machine: string;
  readonly tables: readonly Table[];
}

/** By the name of the measure. */
export type Results = { readonly [measure: string]: Taken };

export function taken({ rounds, seconds, isQuick }: Options, tables: readonly Table[]): Taken {
  const processors = cpus();
  const gibibytes = Math.round(totalmem() / 1024 ** 3);
  const machine = `${processors.length} × ${processors[0]?.model.trim() ?? "?"}, ${gibibytes} GiB`;
  return { rounds, seconds, isQuick, node: process.version, machine, tables };
}

/** Those that a file has already are kept, unless they were measured again. */
export async function keepResults(file: string, fresh: Results): Promise<Results> {
  const before = await readFile(file, "utf8").catch(() => "{}");
  // Nobody else writes it.
  const all = { ...(JSON.parse(before) as Results), ...fresh };
  await writeFile(file, `${JSON.stringify(all, rounded, 2)}\n`);
  return all;
}

/** More digits than this are noise. */
function rounded(_: string, value: unknown): unknown {
  return typeof value === "number" ? Number(value.toPrecision(5)) : value;
}
