/**
 * Records with each test how a transport supports a row of docs/clients.md. `npm run clients` writes the tables from the
 * records of a run, and a test of each transport compares them with the tables.
 */
import { TestRunner, type RunnerTask } from "vitest";
import type { ScenarioResult as AnyScenarioResult } from "../../scripts/clients-table.mjs";
import type { rows } from "./suites.mjs";

export type Row = (typeof rows)[number]["feature"];

export interface ScenarioResult extends AnyScenarioResult {
  readonly feature: Row;
}

declare module "vitest" {
  interface TaskMeta {
    support?: readonly ScenarioResult[];
  }
}

export function record(support: ScenarioResult): void {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) throw new Error("No test is running.");
  test.meta.support = [...(test.meta.support ?? []), support];
}

/** The records of the tests that passed. */
export function recordsOf(task: RunnerTask): readonly ScenarioResult[] {
  if (task.type === "suite") return task.tasks.flatMap(recordsOf);
  return task.result?.state === "pass" ? (task.meta.support ?? []) : [];
}
