import { ask, emit, tool } from "@photon/core";
import { expect, it } from "vitest";
import { createServer } from "../../src/index.ts";
import { verifies } from "../../../../test/requirements.ts";
import { answers, Inbox } from "../wire/inbox.ts";

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
  const inbox = new Inbox();
  const heard: unknown[] = [];
  const line = server.open({
    mayMergeReads: false,
    send(message) {
      heard.push("method" in message ? message.method : "answer");
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
  await inbox.next(answers(2));

  await server.close();

  expect(heard).toEqual(["answer", "answer"]);
});
