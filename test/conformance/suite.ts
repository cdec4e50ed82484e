/** A run of one of the official conformance suites, as what it found. */
import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Figures } from "./figures.ts";
import { runOnNode22 } from "./node-22.ts";

export interface Findings {
  readonly code: number | null;
  readonly figures: Figures;
  /** The checks that failed, in words. */
  readonly failures: readonly string[];
  readonly warnings: readonly string[];
}

interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "INFO" | "SKIPPED";
  readonly errorMessage?: string;
}

/** Runs a suite against a server; what it leaves behind is in `home`. */
export async function runSuite(suite: string, args: readonly string[], home: string): Promise<Findings> {
  const results = await mkdtemp(join(home, "results-"));
  const script = `${suite}/dist/index.js`;
  const { code, stdout } = await runOnNode22(script, [...args, "--output-dir", results], home);
  const scenarios = (await readdir(results)).toSorted();
  const found = await Promise.all(scenarios.map((scenario) => checksIn(join(results, scenario))));
  const checks = found.flat();
  const inWords = (status: Check["status"]): readonly string[] =>
    checks
      .filter((check) => check.status === status)
      .map(({ id, errorMessage = "" }) => `${id}: ${errorMessage}`);
  const [failures, warnings] = [inWords("FAILURE"), inWords("WARNING")];
  const [, unscored = 0] = /^Not scored for \S+: (\d+) scenario/m.exec(stdout) ?? [];
  const figures = {
    scenarios: scenarios.length - Number(unscored),
    unscored: Number(unscored),
    passed: checks.filter(({ status }) => status === "SUCCESS").length,
    failed: failures.length,
    warnings: warnings.length,
  };
  return { code, figures, failures, warnings };
}

async function checksIn(folder: string): Promise<readonly Check[]> {
  // The suite's own file, in a version that the lockfile pins.
  return JSON.parse(await readFile(join(folder, "checks.json"), "utf8")) as readonly Check[];
}
