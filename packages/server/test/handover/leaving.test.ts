/** Whoever goes while the page of their call is being opened. */
import type { Clock } from "@photon/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { createServer, type PhotonServer } from "../../src/index.ts";
import { countingClock } from "../wire/counting-clock.ts";
import { overConnection } from "../../../../test/clients/carriers.ts";
import { MessageQueue } from "../../../../test/clients/messages.ts";
import { StatelessClient, RawClient, callOf } from "../../../../test/clients/raw-client.ts";
import { Witness, witnessed } from "../wire/tools.ts";

/** A client in this process: what it says is heard at once. */
function meet(server: PhotonServer): RawClient {
  const inbox = new MessageQueue();
  const line = server.open({ mayMergeReads: false, send: (message) => inbox.push(message), close() {} });
  return new RawClient(
    {
      async sendText(text) {
        line.receive(JSON.parse(text));
      },
      close: () => Promise.resolve(line.close()),
      gone: new Promise(() => {}),
    },
    inbox,
  );
}

/** Begins a call of a tool that asks, for a client that shows no questions; gives what cancels it. */
type Begin = (client: RawClient) => Promise<() => void>;

const onSession: Begin = async (client) => {
  await client.initialize("2025-11-25", {});
  const requestId = client.begin("tools/call", callOf("witnessed"));
  return () => void client.notify("notifications/cancelled", { requestId });
};

const alone: Begin = async (client) => {
  const call = new StatelessClient(overConnection(client), {}).begin("tools/call", callOf("witnessed"));
  return () => void call.leave();
};

describe.each([
  ["2025-11-25", onSession],
  ["2026-07-28", alone],
])("a call of %s that is cancelled while its page is being opened", (_, begin) => {
  it(verifies("B8", "ends, and keeps no place"), async () => {
    const counting = countingClock();
    const witness = new Witness();
    let enter = (): void => {};
    const entered = new Promise<void>((resolve) => {
      enter = resolve;
    });
    // A call is looked for from the moment it has its place; its page is opened right after that.
    const clock: Clock = {
      now: () => counting.now(),
      after(wait, callback) {
        if (server.parked === 1) enter();
        return counting.after(wait, callback);
      },
    };
    const server = createServer({ tools: [witnessed(witness)], whenUnsupported: "page", clock });
    onTestFinished(() => server.close());
    const client = meet(server);
    const cancel = await begin(client);

    await entered;
    expect(server.parked).toBe(1);
    cancel();

    await witness.afterEnd();
    await expect.poll(() => server.parked).toBe(0);
    await server.close();
    expect(counting.running).toBe(0);
    expect(JSON.stringify(client.messages.all)).not.toContain("/ask/");
  });
});
