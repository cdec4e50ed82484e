/** A run of one of the official conformance suites, as what it found. */
import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Figures } from "./figures.ts";
import { runOnNode22 } from "./node-22.ts";

export interface Findings {
  readonly code: number | null;
  readonly figures: Figures;
  readonly checks: readonly Check[];
}

export interface Check {
  /** `tools-list` */
  readonly scenario: string;
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "INFO" | "SKIPPED";
  readonly errorMessage?: string;
}

/** Runs a suite against a server; what it leaves behind is in `home`. */
export async function runSuite(suite: string, args: readonly string[], home: string): Promise<Findings> {
  const results = await mkdtemp(join(home, "results-"));
  const script = `${suite}/dist/index.js`;
  const { code, stdout } = await runOnNode22(script, [...args, "--output-dir", results], home);
  const folders = (await readdir(results)).toSorted();
  const checks = (await Promise.all(folders.map((folder) => checksIn(results, folder)))).flat();
  const [, unscored = 0] = /^Not scored for \S+: (\d+) scenario/m.exec(stdout) ?? [];
  const figures = {
    scenarios: folders.length - Number(unscored),
    unscored: Number(unscored),
    passed: count(checks, "SUCCESS"),
    failed: count(checks, "FAILURE"),
    warnings: count(checks, "WARNING"),
  };
  return { code, figures, checks };
}

/** What a check found, for people. */
export const inWords = ({ scenario, id, status, errorMessage = "" }: Check): string =>
  `${status} ${scenario}: ${id}: ${errorMessage}`;

/** How many checks of each scenario failed, where any did. */
export function failuresIn(checks: readonly Check[]): { readonly [scenario: string]: number } {
  const failures: Record<string, number> = {};
  for (const { scenario, status } of checks)
    if (status === "FAILURE") failures[scenario] = (failures[scenario] ?? 0) + 1;
  return failures;
}

const count = (checks: readonly Check[], wanted: Check["status"]): number =>
  checks.filter(({ status }) => status === wanted).length;

/** What is in the folder of one scenario, which is called `server-tools-list-2026-07-28T12-00-00-000Z`. */
async function checksIn(results: string, folder: string): Promise<readonly Check[]> {
  const [, scenario = folder] = /^server-(.+)-\d{4}-\d{2}-\d{2}T/.exec(folder) ?? [];
  const text = await readFile(join(results, folder, "checks.json"), "utf8");
  // The suite's own file, in a version that the lockfile pins.
  const checks = JSON.parse(text) as readonly Omit<Check, "scenario">[];
  return checks.map((check) => ({ ...check, scenario }));
}
