import { createServer, type PhotonServer } from "@photon/server";
import { testClock } from "@photon/core/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { prompts, resources, tools } from "../../examples/kitchen-sink/definitions.ts";
import { verifies } from "../requirements.ts";
import { httpV2, webSocket } from "../clients/connections.ts";
import { SdkV1Client } from "../clients/sdk-v1-client.ts";
import { SdkV2Client } from "../clients/sdk-v2-client.ts";
import { endingWithout, assertEnding } from "./assert-ending.ts";
import type { NonAnswer, Scenario } from "./scenario.ts";
import { scenariosWithAllCapabilities, titleOf } from "./scenarios.ts";
import { callAs, ScenarioUser } from "./user.ts";
import { runInTestKit } from "./run-in-test-kit.ts";
import { Studio } from "./studio.ts";

/** For questions that do not say how long they stay open. */
const ASK_TIMEOUT = 60_000;

const clock = testClock();
let studio: Studio;
let server: PhotonServer;
let url: string;
beforeAll(async () => {
  studio = await Studio.open();
  // These users decline sooner than a person can read.
  const options = { clock, askTimeout: ASK_TIMEOUT, minReadingTime: "none", report: () => {} } as const;
  server = createServer({ tools, prompts, resources, ...options });
  ({ url } = await server.listen());
});
afterAll(async () => {
  await server.close();
  await studio.close();
});

/** Advances the clock, slowly enough for clients to respond to pings. */
async function advance(wait: number, client: SdkV1Client | SdkV2Client): Promise<void> {
  const STEP = 20_000;
  for (let left = wait + 1; left > 0; left -= STEP) {
    await clock.advance(Math.min(left, STEP));
    if (client instanceof SdkV2Client) continue;
    // The response to the second ping comes after every message that the first has found on its way.
    await client.sdk.ping();
    await client.sdk.ping();
  }
}

/** The questions of a scenario to the user, with the timeout of each. */
async function questionsOf(scenario: Scenario): Promise<ReadonlyMap<string, number>> {
  const { questions } = await runInTestKit(scenario);
  return new Map(
    questions
      .filter(({ emit }) => emit === "ask")
      .map(({ key, timeout, wait }) => [key, timeout === undefined ? ASK_TIMEOUT : (wait ?? 0)]),
  );
}

// A question to the model is not one to the user.
const asking = scenariosWithAllCapabilities.filter(
  ({ answers, model }) => answers !== undefined && model === undefined,
);

/** `leading` is the question at which the scenario ends if this one has no answer. */
function testEndings(
  create: () => SdkV1Client | SdkV2Client,
  leading: (key: string, scenario: Scenario, action: NonAnswer) => string,
): void {
  let client: SdkV1Client | SdkV2Client;
  beforeAll(async () => {
    client = create();
    await client.connect();
  });
  afterAll(() => client.close());

  it.each(
    asking.flatMap((scenario) =>
      (["decline", "cancel", "timeout"] as const).map(
        (action) => [titleOf(scenario), action, scenario] as const,
      ),
    ),
  )(verifies(["D4", "B1"], "%s; a question with a %s ends it"), async (_, action, scenario) => {
    const questions = await questionsOf(scenario);
    expect(questions.size).toBeGreaterThan(0);
    for (const [key, wait] of questions) {
      await studio.tidy();
      if (scenario.after !== undefined) await runInTestKit(scenario.after);
      await studio.remember();
      const answers = { ...scenario.answers, [key]: { $action: action } };
      const user = new ScenarioUser({ ...scenario, answers }, () => advance(wait, client));
      const result = await callAs(user, client, scenario.tool, scenario.input);

      await assertEnding(result, endingWithout(scenario, leading(key, scenario, action), action), studio);
    }
  });
}

describe("on a session over WebSocket", () => {
  testEndings(
    () => new SdkV1Client(webSocket(url)),
    (key) => key,
  );
});

describe("in 2026-07-28 over HTTP", () => {
  testEndings(
    () => new SdkV2Client(httpV2(url)),
    (key, { together = [] }, action) =>
      action === "timeout" && together.includes(key) ? (together[0] ?? key) : key,
  );
});
