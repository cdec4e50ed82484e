/** Every way through the kitchen sink that the tests take. */
import type { Performance } from "./performance.ts";
import * as outside from "./performances/outside.ts";
import * as people from "./performances/people.ts";
import * as shelf from "./performances/shelf.ts";
import * as song from "./performances/song.ts";

const isPerformance = (value: unknown): value is Performance =>
  typeof value === "object" && value !== null && "tool" in value;

export const performances: readonly Performance[] = [song, shelf, people, outside]
  .flatMap((scenes): unknown[] => Object.values(scenes))
  .filter(isPerformance);

/** Those for a client that can do everything. */
export const staged: readonly Performance[] = performances.filter(({ can }) => can === undefined);

/** One of each tool: the one in which most is asked. */
export const oneOfEach: readonly Performance[] = [...new Set(staged.map(({ tool }) => tool))].flatMap(
  (tool) =>
    staged
      .filter((performance) => performance.tool === tool)
      .toSorted((a, b) => asksOf(b) - asksOf(a))
      .slice(0, 1),
);

function asksOf({ answers = {} }: Performance): number {
  return Object.keys(answers).length;
}

/** A performance as the title of a test: "set_tempo asks again for …". */
export const titleOf = ({ tool, shows }: Performance): string => `${tool} ${shows}`;
