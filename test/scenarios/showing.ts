/**
 * What scenarios have shown, written down with the result of each test. `npm run clients` makes the table in
 * docs/clients.md of it; every column is held to that table.
 */
import { TestRunner, type RunnerTask } from "vitest";
import type { Shown as ShownAnywhere } from "../../scripts/clients-table.mjs";
import type { features } from "./features.mjs";

export type Feature = (typeof features)[number];

export interface Shown extends ShownAnywhere {
  readonly feature: Feature;
}

declare module "vitest" {
  interface TaskMeta {
    shows?: readonly Shown[];
  }
}

/** The test that is running has shown this. */
export function show(shown: Shown): void {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) throw new Error("No test is running.");
  test.meta.shows = [...(test.meta.shows ?? []), shown];
}

/** What the tests that passed have shown. */
export function shownBy(task: RunnerTask): readonly Shown[] {
  if (task.type === "suite") return task.tasks.flatMap(shownBy);
  return task.result?.state === "pass" ? (task.meta.shows ?? []) : [];
}
