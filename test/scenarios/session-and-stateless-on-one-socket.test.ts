/** A session and stateless requests on one WebSocket. No client of the SDK does that; a gateway may. */
import { createServer } from "@photon/server";
import { describe, expect, it, onTestFinished } from "vitest";
import { overWebSocket } from "../clients/carriers.ts";
import { META, type RawClient, accepted, callOf } from "../clients/raw-client.ts";
import { EventLog } from "../clients/event-log.ts";
import { verifies } from "../requirements.ts";
import { createDefinitions } from "./tools.mjs";

/** What every stateless request has. */
const meta = { [META.version]: "2026-07-28", [META.capabilities]: { elicitation: {} } };

/** A client that has discovered 2026-07-28, and then begun a session. */
async function openSession(log: EventLog<string>): Promise<RawClient> {
  const server = createServer(createDefinitions({ log: (line) => log.add(line), replace() {} }));
  onTestFinished(() => server.close());
  const { url } = await server.listen();
  const client = await overWebSocket(url);
  await expect(client.request("server/discover", { _meta: meta })).resolves.toMatchObject({
    result: { supportedVersions: ["2026-07-28"] },
  });
  await expect(client.initialize("2025-06-18")).resolves.toMatchObject({
    result: { protocolVersion: "2025-06-18" },
  });
  return client;
}

const text = (result: string): object => ({ content: [{ type: "text", text: result }] });

describe("one socket with a session and stateless requests", () => {
  it(
    verifies(["C2", "C6"], "is asked in both ways at once, and every call receives its answer"),
    async () => {
      const client = await openSession(new EventLog());

      const onSession = client.begin("tools/call", callOf("numbered", { number: 1 }));
      const call = { ...callOf("numbered", { number: 2 }), _meta: meta };
      const stateless = client.begin("tools/call", call);
      const question = await client.receive();
      const { result = {} } = await client.answerTo(stateless);
      const { inputRequests, requestState } = result;
      const inputResponses = accepted({ "ask-1": "stateless" });
      const retried = await client.request("tools/call", { ...call, inputResponses, requestState });
      await client.accept(question, "on a session");

      expect(question.params).toMatchObject({ message: "Question 1?" });
      expect(inputRequests).toMatchObject({ "ask-1": { params: { message: "Question 2?" } } });
      expect(retried.result).toMatchObject({ resultType: "complete", ...text("2: stateless") });
      await expect(client.answerTo(onSession)).resolves.toMatchObject({ result: text("1: on a session") });
    },
  );

  it(verifies(["C2", "B8"], "cancels a stateless call without an effect on the session"), async () => {
    const log = new EventLog<string>();
    const client = await openSession(log);

    const onSession = client.begin("tools/call", callOf("waits"));
    const question = await client.receive();
    const stateless = client.begin("tools/call", { ...callOf("works"), _meta: meta });
    await log.until((line) => line === "works began");
    await client.notify("notifications/cancelled", { requestId: stateless, _meta: meta });
    await log.until((line) => line === "works ended");
    await client.accept(question, true);

    await expect(client.answerTo(onSession)).resolves.toMatchObject({ result: text("true") });
  });
});
