import { ask, emit, tool } from "@photon/core";
import { expect, it } from "vitest";
import { createServer } from "../../src/index.ts";
import { verifies } from "../../../../test/requirements.ts";
import { MessageQueue, isResponseTo } from "../../../../test/clients/messages.ts";

it(verifies("B8", "a call that was handed over tells nothing after its answer"), async () => {
  const tidy = tool({
    name: "tidy",
    async *run() {
      try {
        yield* ask.text("A?");
      } finally {
        yield emit.status("cleaning up");
      }
    },
  });
  const server = createServer({ tools: [tidy], whenUnsupported: "relay" });
  const inbox = new MessageQueue();
  const received: unknown[] = [];
  const line = server.open({
    mayMergeReads: false,
    send(message) {
      received.push("method" in message ? message.method : "answer");
      inbox.push(message);
    },
    close() {},
  });
  line.receive({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "raw", version: "1" },
    },
  });
  line.receive({
    jsonrpc: "2.0",
    id: 2,
    method: "tools/call",
    params: { name: "tidy", arguments: {}, _meta: { progressToken: "p" } },
  });
  await inbox.next(isResponseTo(2));

  await server.close();

  expect(received).toEqual(["answer", "answer"]);
});
