/**
 * The WebSocket of a client is cut while its call of a durable tool is open.
 *
 * Nothing can bring the client back, but the call is not cancelled: the run continues without its client, and its questions
 * and its result are in the inbox.
 */
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { verifies } from "../requirements.ts";
import { Deployment, storeKinds, type StoreKind } from "./deployment.ts";
import { answerInInbox, openQuestions, runIn, type InboxQuestion } from "./inbox.ts";

const soon = { timeout: 15_000 };

async function deploy(kind: StoreKind) {
  const deployment = await Deployment.create(kind, { tools: "booking.mjs" });
  onTestFinished(() => deployment.close());
  return { deployment, server: await deployment.start() };
}

/** A message of JSON-RPC, as far as it is looked at here. */
interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly message?: string };
}

/** A client of 2025-11-25 over WebSocket that has called the tool, and answers the questions that it has answers to. */
async function callOverWebSocket(url: string, answers: Readonly<Record<string, unknown>>) {
  const socket = new WebSocket(`${url.replace("http", "ws")}/mcp`, "mcp");
  onTestFinished(() => socket.terminate());
  const asked: string[] = [];
  const send = (message: object): void => socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  socket.on("message", (data: Buffer) => {
    const { id, method, params = {} } = JSON.parse(data.toString()) as Message;
    if (id === 1) send({ method: "notifications/initialized" });
    if (id === 1) send({ id: 2, method: "tools/call", params: { name: "book", arguments: {} } });
    if (method !== "elicitation/create") return;
    const { message = "" } = params;
    asked.push(message);
    const value = answers[message];
    if (value !== undefined) send({ id, result: { action: "accept", content: { value } } });
  });
  await once(socket, "open");
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: { elicitation: {} },
    clientInfo: { name: "raw", version: "1" },
  };
  send({ id: 1, method: "initialize", params });
  return { socket, asked };
}

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
      const { socket } = await callOverWebSocket(server.url, { "How many nights?": 3 });
      await expect.poll(() => deployment.waitedAt(place), soon).toHaveLength(1);

      socket.terminate();
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
      const { socket, asked } = await callOverWebSocket(server.url, answers);
      deployment.closeGate(place);
      await expect.poll(() => asked, soon).toContain("With breakfast?");
      const question = await untilOpen(server.url, "With breakfast?");
      await answerInInbox(server.url, question, true);
      await expect.poll(() => deployment.waitedAt(place), soon).toHaveLength(1);

      socket.terminate();
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
      const { socket, asked } = await callOverWebSocket(server.url, {});
      await expect.poll(() => asked, soon).toEqual(["How many nights?"]);

      socket.terminate();
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
