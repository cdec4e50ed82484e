/**
 * The WebSocket of a client is cut while its call of a durable tool is open.
 *
 * Nothing can bring the client back, but the call is not cancelled: the run continues without its client, and its questions
 * and its result are in the inbox.
 */
import { describe, expect, it, onTestFinished } from "vitest";
import { connectV1 } from "../clients/connect.ts";
import { webSocket } from "../clients/connections.ts";
import { formsOnly } from "../clients/sdk-client.ts";
import type { SdkV1Client } from "../clients/sdk-v1-client.ts";
import { verifies } from "../requirements.ts";
import { Deployment, storeKinds, type StoreKind } from "./deployment.ts";
import { answerInInbox, openQuestions, runIn, type InboxQuestion } from "./inbox.ts";

const soon = { timeout: 15_000 };

async function deploy(kind: StoreKind) {
  const deployment = await Deployment.create(kind, { tools: "booking.mjs" });
  onTestFinished(() => deployment.close());
  return { deployment, server: await deployment.start() };
}

/** A client on a session over WebSocket that has called the tool. Questions without an answer stay open. */
async function callOverWebSocket(url: string, answers: Readonly<Record<string, number>>) {
  const client = await connectV1(webSocket(url), {
    capabilities: formsOnly,
    answer: ({ message }) => {
      const value = answers[message];
      return value === undefined ? new Promise(() => {}) : { action: "accept", content: { value } };
    },
  });
  // The test cuts its connection.
  client.call("book").catch(() => {});
  return client;
}

/** The messages of the questions that have arrived. */
const messagesIn = ({ questions }: SdkV1Client): readonly unknown[] =>
  questions.map(({ message }) => message);

/** The open question with this message, once there is one. */
async function untilOpen(url: string, message: string): Promise<InboxQuestion> {
  await expect.poll(() => openQuestions(url), soon).toMatchObject([{ message }]);
  const [question] = await openQuestions(url);
  return question ?? { run: "", key: "", message: "" };
}

const booked = { nights: 3, paid: "pay done", breakfast: true, sent: "send done" };

describe.each(storeKinds)("on %s", (kind) => {
  it.each([
    ["inside a step", "pay"],
    ["between a step and a question", "before breakfast"],
  ])(
    verifies(["E1", "E6"], "a run continues in the inbox when the WebSocket of its client is cut %s"),
    async (_, place) => {
      const { deployment, server } = await deploy(kind);
      deployment.closeGate(place);
      const client = await callOverWebSocket(server.url, { "How many nights?": 3 });
      await expect.poll(() => deployment.waitedAt(place), soon).toHaveLength(1);

      await client.cut();
      await expect.poll(() => server.command("sessions"), soon).toBe("0");
      deployment.openGate(place);

      const question = await untilOpen(server.url, "With breakfast?");
      await answerInInbox(server.url, question, true);
      await expect
        .poll(() => runIn(server.url, question.run), soon)
        .toMatchObject({ result: { structuredContent: booked } });
      expect(deployment.steps).toEqual(["pay", "send"]);
    },
  );

  it.each([
    ["inside the last step", "send"],
    ["before the last step", "before send"],
  ])(
    verifies(["E1", "E6"], "the result of a run is in the inbox when the WebSocket of its client is cut %s"),
    async (_, place) => {
      const { deployment, server } = await deploy(kind);
      const answers = { "How many nights?": 3 };
      const client = await callOverWebSocket(server.url, answers);
      deployment.closeGate(place);
      await expect.poll(() => messagesIn(client), soon).toContain("With breakfast?");
      const question = await untilOpen(server.url, "With breakfast?");
      await answerInInbox(server.url, question, true);
      await expect.poll(() => deployment.waitedAt(place), soon).toHaveLength(1);

      await client.cut();
      await expect.poll(() => server.command("sessions"), soon).toBe("0");
      deployment.openGate(place);

      await expect
        .poll(() => runIn(server.url, question.run), soon)
        .toMatchObject({ result: { structuredContent: booked } });
      expect(deployment.steps).toEqual(["pay", "send"]);
    },
  );

  it(
    verifies(
      ["E1", "E6"],
      "a run stays in the inbox when the WebSocket of its client is cut at an open question",
    ),
    async () => {
      const { deployment, server } = await deploy(kind);
      const client = await callOverWebSocket(server.url, {});
      await expect.poll(() => messagesIn(client), soon).toEqual(["How many nights?"]);

      await client.cut();
      await expect.poll(() => server.command("sessions"), soon).toBe("0");

      const first = await untilOpen(server.url, "How many nights?");
      await answerInInbox(server.url, first, 3);
      const second = await untilOpen(server.url, "With breakfast?");
      await answerInInbox(server.url, second, true);
      await expect
        .poll(() => runIn(server.url, second.run), soon)
        .toMatchObject({ result: { structuredContent: booked } });
      expect(deployment.steps).toEqual(["pay", "send"]);
    },
  );
});
