/** Five seconds of the chaos run on each store. `npm run chaos` runs it for longer, with other seeds. */
import { expect, it } from "vitest";
import { scaled } from "../long.ts";
import { verifies } from "../requirements.ts";
import { runChaos } from "./chaos/chaos.ts";

const SECONDS = scaled(100);

it.each([
  ["SQLite", 2],
  ["Redis", 3],
] as const)(
  verifies(
    ["E1", "E2", "E4", "E6"],
    "every call is answered right, and every step is done once, whatever happens to the servers and to %s (%i nodes)",
  ),
  { timeout: 240_000 + SECONDS * 1000 },
  async (store, nodes) => {
    const { summary, problems } = await runChaos({ minutes: SECONDS / 60, seed: 20_267, store, nodes });

    process.stdout.write(`${summary}\n`);
    expect(problems).toEqual([]);
  },
);
