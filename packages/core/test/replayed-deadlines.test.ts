import { describe, expect, it } from "vitest";
import { ask, memoryJournal, startRun, tool } from "../src/index.ts";
import { testClock } from "../src/testing/index.ts";
import { verifies } from "../../../test/requirements.ts";

const MINUTE = 60_000;

const both = tool({
  name: "both",
  durable: true,
  async *run() {
    return yield* ask.all({ a: ask.text("A?", { timeout: "5m" }), b: ask.text("B?", { timeout: "5m" }) });
  },
});

const patient = tool({
  name: "patient",
  durable: true,
  async *run() {
    return yield* ask.number("How many?", { timeout: "5m", retries: 1, max: 10 });
  },
});

describe("a replayed run", () => {
  it(verifies("E1", "gives the rest of a round the same time as live"), async () => {
    const clock = testClock();
    const journal = memoryJournal();
    const live = startRun(both, {}, { runId: "r", clock, journal });
    await live.next();
    await clock.advance(4 * MINUTE);
    const left = await live.next({ a: { action: "accept", value: "x" } });

    await clock.advance(MINUTE / 2);
    const replayed = startRun(both, {}, { runId: "r", clock, journal: memoryJournal(journal.entries) });

    expect(await replayed.next()).toEqual(left);
  });

  it(verifies("E1", "gives a question that is asked again the time that it has live"), async () => {
    const clock = testClock();
    const journal = memoryJournal();
    const live = startRun(patient, {}, { runId: "r", clock, journal });
    await live.next();
    await clock.advance(4 * MINUTE);
    const again = await live.next({ "ask-1": { action: "accept", value: 11 } });

    await clock.advance(3 * MINUTE);
    const replayed = startRun(patient, {}, { runId: "r", clock, journal: memoryJournal(journal.entries) });

    expect(await replayed.next()).toEqual(again);
  });
});
