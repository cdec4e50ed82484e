import { afterAll, beforeAll, describe } from "vitest";
import { oneOfEach } from "./performances.ts";
import { playAll } from "./play-all.ts";
import { runInTerminal } from "./run-in-terminal.ts";
import { Studio } from "./studio.ts";

let studio: Studio;
beforeAll(async () => {
  studio = await Studio.open();
});
afterAll(() => studio.close());

describe("in the terminal, with photon run and an answers file", () => {
  playAll(
    // A process for each takes its time.
    oneOfEach,
    (performance) => runInTerminal(performance, studio.folder),
    () => studio,
  );
});
