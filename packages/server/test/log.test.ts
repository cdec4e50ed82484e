import { ask, emit, tool, type Log } from "@photon/core";
import { describe, expect, it } from "vitest";
import { createServer } from "../src/index.ts";
import { MessageQueue, isResponseTo } from "../../../test/clients/messages.ts";

describe("the log of a server", () => {
  it("hears what tools log, by their names, whatever the client wants to hear, and never a secret", async () => {
    const received: [Log, string][] = [];
    const chatty = tool({
      name: "chatty",
      async *run() {
        yield emit.log("debug", { free: 3 });
        const key = yield* ask.secret("Key?");
        yield emit.log("alert", `with ${key.reveal()}`);
      },
    });
    const server = createServer({
      tools: [chatty],
      answerers: [{ name: "a person", answer: () => ({ action: "accept", value: "hunter2" }) }],
      log: (entry, name) => void received.push([entry, name]),
    });
    const inbox = new MessageQueue();
    const line = server.open({ send: (message) => inbox.push(message), close() {}, mayMergeReads: false });

    line.receive({ jsonrpc: "2.0", id: 1, method: "initialize", params: initialize });
    line.receive({ jsonrpc: "2.0", id: 2, method: "logging/setLevel", params: { level: "emergency" } });
    line.receive({ jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "chatty", arguments: {} } });
    await inbox.next(isResponseTo(3));

    expect(received).toMatchObject([
      [{ emit: "log", level: "debug", data: { free: 3 } }, "chatty"],
      [{ emit: "log", level: "alert", data: "with [secret]" }, "chatty"],
    ]);
    await server.close();
  });

  it("ends no call by failing itself", async () => {
    const server = createServer({
      tools: [
        tool({
          name: "say",
          async *run() {
            yield emit.log("info", "said");
            return "done";
          },
        }),
      ],
      log() {
        throw new Error("the disk is full");
      },
    });
    const inbox = new MessageQueue();
    const line = server.open({ send: (message) => inbox.push(message), close() {}, mayMergeReads: false });

    line.receive({ jsonrpc: "2.0", id: 1, method: "initialize", params: initialize });
    line.receive({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "say", arguments: {} } });

    expect(await inbox.next(isResponseTo(2))).toMatchObject({
      result: { content: [{ type: "text", text: "done" }] },
    });
    await server.close();
  });
});

const initialize = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "raw", version: "1" },
};
