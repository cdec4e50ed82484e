/** All scenarios of the kitchen sink. */
import type { Scenario } from "./scenario.ts";
import * as outside from "./scenarios/outside.ts";
import * as people from "./scenarios/people.ts";
import * as shelf from "./scenarios/shelf.ts";
import * as song from "./scenarios/song.ts";

const isScenario = (value: unknown): value is Scenario =>
  typeof value === "object" && value !== null && "tool" in value;

export const scenarios: readonly Scenario[] = [song, shelf, people, outside]
  .flatMap((exports): unknown[] => Object.values(exports))
  .filter(isScenario);

/** The scenarios for a client with all capabilities. */
export const scenariosWithAllCapabilities: readonly Scenario[] = scenarios.filter(
  ({ can }) => can === undefined,
);

/** One scenario of each tool: the one with most questions. */
export const onePerTool: readonly Scenario[] = [
  ...new Set(scenariosWithAllCapabilities.map(({ tool }) => tool)),
].flatMap((tool) =>
  scenariosWithAllCapabilities
    .filter((scenario) => scenario.tool === tool)
    .toSorted((a, b) => asksOf(b) - asksOf(a))
    .slice(0, 1),
);

function asksOf({ answers = {} }: Scenario): number {
  return Object.keys(answers).length;
}

/** The scenario as the title of a test: "set_tempo asks again for …". */
export const titleOf = ({ tool, shows }: Scenario): string => `${tool} ${shows}`;
