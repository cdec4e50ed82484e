/** The results of measures, and the file in which they are saved. */
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import type { Options } from "./options.ts";
import { summarize, type Summary, type Table } from "./table.ts";

export interface MeasureResult {
  readonly rounds: number;
  readonly seconds: number;
  readonly isQuick: boolean;
  /** The commit that was measured. Empty outside of a git repository. */
  readonly commit: string;
  /** The day of the run: 2026-11-17. */
  readonly date: string;
  readonly node: string;
  readonly machine: string;
  readonly tables: readonly Summary[];
}

/** Results by the name of the measure. */
export type Results = { readonly [measure: string]: MeasureResult };

export function toResult({ rounds, seconds, isQuick }: Options, tables: readonly Table[]): MeasureResult {
  const processors = cpus();
  const gibibytes = Math.round(totalmem() / 1024 ** 3);
  const machine = `${processors.length} × ${processors[0]?.model.trim() ?? "?"}, ${gibibytes} GiB`;
  return {
    rounds,
    seconds,
    isQuick,
    commit: currentCommit(),
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    machine,
    tables: tables.map(summarize),
  };
}

function currentCommit(): string {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], {
      cwd: import.meta.dirname,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "";
  }
}

/** The results in a file; none if there is no such file. */
export async function readResults(file: string): Promise<Results> {
  // Only `saveResults` writes the file.
  return JSON.parse(await readFile(file, "utf8").catch(() => "{}")) as Results;
}

/** Writes the results to a file. Results of other measures in that file are kept. */
export async function saveResults(file: string, fresh: Results): Promise<Results> {
  const all = { ...(await readResults(file)), ...fresh };
  await writeFile(file, `${JSON.stringify(all, roundNumbers, 2)}\n`);
  return all;
}

/** Rounds to five digits. Further digits are noise. */
function roundNumbers(_: string, value: unknown): unknown {
  return typeof value === "number" ? Number(value.toPrecision(5)) : value;
}
