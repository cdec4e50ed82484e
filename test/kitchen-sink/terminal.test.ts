import { afterAll, beforeAll, describe } from "vitest";
import { onePerTool } from "./scenarios.ts";
import { runAll } from "./run-all.ts";
import { runInTerminal } from "./run-in-terminal.ts";
import { Studio } from "./studio.ts";

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open();
});
afterAll(() => studio.close());

describe("in the terminal, with photon run and an answers file", () => {
  runAll(
    // A process for each takes its time.
    onePerTool,
    (scenario) => runInTerminal(scenario, studio.folder),
    () => studio,
  );
});
