/** What axe finds on a page as it is just now. */
import axe, { type AxeResults, type RunOptions } from "axe-core";
import type { Page as Tab } from "playwright-core";
import { expect } from "vitest";

export interface Looking {
  /** The part that is new; the whole page, without this. */
  readonly within?: string;
  /** All that is different in the dark. */
  readonly onlyColours?: boolean;
}

/** There is nothing that keeps somebody out: nothing that axe calls serious or critical. */
export async function assertAccessible(
  tab: Tab,
  state: string,
  { within = "html", onlyColours = false }: Looking = {},
): Promise<void> {
  const options: RunOptions = {
    resultTypes: ["violations"],
    ...(onlyColours ? { runOnly: ["color-contrast"] } : {}),
  };
  if ((await tab.evaluate("typeof axe")) === "undefined") await tab.evaluate(axe.source);
  const run = `axe.run(${JSON.stringify(within)}, ${JSON.stringify(options)})`;
  const { violations, passes } = await tab.evaluate<AxeResults>(run);
  const found = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  const told = found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  expect({ state, found: told }).toEqual({ state, found: [] });
  // Whoever looked at nothing finds nothing.
  expect(passes.length).toBeGreaterThan(0);
}
