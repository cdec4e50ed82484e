/** What counts as three in a row, and what is said of it. */
import { ask, tool } from "@photon/core";
import { expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { listening } from "../wire/servers.ts";
import { overStatelessHttp } from "../../../../test/clients/carriers.ts";
import type { Fields } from "../../../../test/clients/messages.ts";
import { StatelessClient, textOf } from "../../../../test/clients/raw-client.ts";
import { stillClock } from "./still-clock.ts";

/** The time of a question that does not say, in milliseconds. */
const ITS_TIME = 300_000;
const no = { action: "decline" };
const yes = { action: "accept", content: { value: "yes" } };

const three = tool({
  name: "three",
  async *run() {
    yield* ask.all({ one: ask.text("One?"), two: ask.text("Two?"), three: ask.text("Three?") });
  },
});

/** A tool that asks three things at once, and a client that answers them after so many milliseconds. */
async function serve(): Promise<{
  readonly reported: readonly unknown[];
  readonly answer: (answers: Fields, after?: number) => Promise<string>;
}> {
  const clock = stillClock();
  const reported: unknown[] = [];
  const report = (error: unknown): void => void reported.push(error);
  const { url } = await listening({ tools: [three], clock, report });
  const client = new StatelessClient(overStatelessHttp(url));
  return {
    reported,
    async answer(answers, after = 0) {
      const asked = await client.call("three");
      clock.leap(after);
      return textOf((await client.retry(asked, answers)).answer);
    },
  };
}

it(
  verifies("B10", "whoever comes late for questions that are asked together is late once, not three times"),
  async () => {
    const { answer, reported } = await serve();

    const late = await answer({ one: yes, two: yes, three: yes }, ITS_TIME);

    expect(late).toBe('No answer to "One?" (one) arrived in time.');
    expect(reported).toEqual([]);
  },
);

it(verifies("B10", "whoever answers some of them shows them to somebody"), async () => {
  const { answer, reported } = await serve();

  for (let at = 0; at < 4; at++) await answer({ one: no, two: yes, three: no });

  expect(reported).toEqual([]);
});

it(verifies("B10", "a client that does one thing and another is reported for both"), async () => {
  const { answer, reported } = await serve();
  const noes = { one: no, two: no, three: no };

  await answer(noes);
  await answer(noes, ITS_TIME);
  await answer(noes);

  const sentence =
    'The client "raw 1" declined at once or let expire 3 questions in a row, so it may not show them to a user.';
  expect(reported).toMatchObject([{ message: sentence }]);
});
