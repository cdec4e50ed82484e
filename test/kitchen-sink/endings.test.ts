import { createServer, type PhotonServer } from "@photon/server";
import { testClock } from "@photon/core/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { prompts, resources, tools } from "../../examples/kitchen-sink/definitions.ts";
import { verifies } from "../requirements.ts";
import { dialWebSocket } from "../scenarios/dial-websocket.ts";
import { arrive, arriveModern, type Caller } from "./caller.ts";
import { endingWithout, assertEnding } from "./assert-ending.ts";
import type { NonAnswer, Performance } from "./performance.ts";
import { staged, titleOf } from "./performances.ts";
import { Performer } from "./person.ts";
import { rehearse } from "./rehearse.ts";
import { Studio } from "./studio.ts";

/** For questions that do not say how long they stay open. */
const ASK_TIMEOUT = 60_000;

const clock = testClock();
let studio: Studio;
let server: PhotonServer;
let url: string;
beforeAll(async () => {
  studio = await Studio.open();
  // A performer declines sooner than a person can read.
  const options = { clock, askTimeout: ASK_TIMEOUT, minReadingTime: "none", report: () => {} } as const;
  server = createServer({ tools, prompts, resources, ...options });
  ({ url } = await server.listen());
});
afterAll(async () => {
  await server.close();
  await studio.close();
});

/** Lets so much time pass, slowly enough for clients to give their signs of life. */
async function pass(wait: number, caller: Caller): Promise<void> {
  const STEP = 20_000;
  for (let left = wait + 1; left > 0; left -= STEP) {
    await clock.advance(Math.min(left, STEP));
    await caller.settle();
  }
}

/** What people are asked on the way, and how long each question stays open. */
async function questionsOf(performance: Performance): Promise<ReadonlyMap<string, number>> {
  const { questions } = await rehearse(performance);
  return new Map(
    questions
      .filter(({ emit }) => emit === "ask")
      .map(({ key, timeout, wait }) => [key, timeout === undefined ? ASK_TIMEOUT : (wait ?? 0)]),
  );
}

// What a model is asked is no question to a person.
const asking = staged.filter(({ answers, model }) => answers !== undefined && model === undefined);

/** `leading`: the question that a round ends by when it comes to this one. */
function endBy(
  come: () => Promise<Caller>,
  leading: (key: string, performance: Performance, action: NonAnswer) => string,
): void {
  let caller: Caller;
  beforeAll(async () => {
    caller = await come();
  });
  afterAll(() => caller.close());

  it.each(
    asking.flatMap((performance) =>
      (["decline", "cancel", "timeout"] as const).map(
        (action) => [titleOf(performance), action, performance] as const,
      ),
    ),
  )(verifies(["D4", "B1"], "%s; but not where a question comes to a %s"), async (_, action, performance) => {
    const questions = await questionsOf(performance);
    expect(questions.size).toBeGreaterThan(0);
    for (const [key, wait] of questions) {
      await studio.tidy();
      if (performance.after !== undefined) await rehearse(performance.after);
      await studio.remember();
      const answers = { ...performance.answers, [key]: { $action: action } };
      const person = new Performer({ ...performance, answers }, () => pass(wait, caller));
      const told = await caller.call(performance.tool, performance.input ?? {}, person);

      await assertEnding(told, endingWithout(performance, leading(key, performance, action), action), studio);
    }
  });
}

describe("over WebSocket, to a session", () => {
  endBy(
    () => arrive(dialWebSocket(url).transport),
    (key) => key,
  );
});

describe("over HTTP, to 2026-07-28", () => {
  endBy(
    () => arriveModern(url),
    (key, { together = [] }, action) =>
      action === "timeout" && together.includes(key) ? (together[0] ?? key) : key,
  );
});
