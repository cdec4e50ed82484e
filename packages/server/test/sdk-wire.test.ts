import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { ask, emit, tool, type Effect, type Tool } from "@photon/core";
import { testClock } from "@photon/core/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { mountTools, type MountOptions } from "../src/sdk/index.ts";
import { acceptValue } from "../../../test/clients/answers.ts";
import { connectInMemory, connectV1 } from "../../../test/clients/connect.ts";

function asking(question: Effect): Tool<never> {
  return tool({
    name: "it",
    description: "Asks",
    async *run() {
      const answer: unknown = yield question;
      return { answer };
    },
  });
}

interface Raw {
  /** Sends a message, and gives the next one that comes back. */
  say(message: object): Promise<JSONRPCMessage>;
}

/** A client that sends what it likes, in a revision that it likes. */
async function rawClient(question: Effect, revision: string, options: MountOptions = {}): Promise<Raw> {
  const server = new McpServer({ name: "host", version: "1.0.0" });
  mountTools(server, [asking(question)], options);
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  onTestFinished(() => server.close());
  let receive: (message: JSONRPCMessage) => void = () => {};
  Object.assign(here, {
    onmessage(message: JSONRPCMessage) {
      const isPing = "method" in message && "id" in message && message.method === "ping";
      if (isPing) void here.send({ jsonrpc: "2.0", id: message.id, result: {} });
      else receive(message);
    },
  });
  await here.start();
  const say = (message: object): Promise<JSONRPCMessage> =>
    new Promise((resolve) => {
      receive = resolve;
      // Whatever a client may send, also what no client of the SDK would.
      void here.send({ jsonrpc: "2.0", ...message } as JSONRPCMessage);
    });
  await say({
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: revision,
      clientInfo: { name: "raw", version: "1" },
      capabilities: { elicitation: {} },
    },
  });
  return { say };
}

const calling = { id: 2, method: "tools/call", params: { name: "it" } };

describe("a tool on an SDK server", () => {
  it(verifies("C10", "asks in the shape of the revision that was agreed on"), async () => {
    const question = ask.multiselect("Rooms?", { s: "Single", d: "Double" });
    const old = await rawClient(question, "2025-06-18");
    const recent = await rawClient(question, "2025-11-25");

    expect(await old.say(calling)).toMatchObject({
      method: "elicitation/create",
      params: {
        requestedSchema: {
          properties: { "value.s": { type: "boolean" }, "value.d": { type: "boolean" } },
        },
      },
    });
    expect(await recent.say(calling)).toMatchObject({
      method: "elicitation/create",
      params: { mode: "form", requestedSchema: { properties: { value: { type: "array" } } } },
    });
  });

  it(verifies("C10", "holds the server to the newest revision it is told to speak"), async () => {
    const server = new McpServer({ name: "host", version: "1.0.0" });
    mountTools(server, [asking(ask.multiselect("Rooms?", ["s", "d"]))], { maxRevision: "2025-06-18" });

    const answer = () => ({ action: "accept", content: { "value.s": true } }) as const;
    const client = await connectInMemory(server, { answer, capabilities: { elicitation: {} } });

    expect(JSON.parse((await client.call("it")).text)).toEqual({ answer: ["s"] });
  });

  it(verifies("C10", "takes a revision that is older than ours for our oldest"), async () => {
    const old = await rawClient(ask.text("Name?"), "2024-10-07");

    expect(await old.say({ id: 2, method: "tools/list" })).toMatchObject({
      result: { tools: [{ name: "it", description: "Asks" }] },
    });
  });

  it(verifies("C10", "never asks under the id 0, which SDK clients cannot have cancelled"), async () => {
    const raw = await rawClient(ask.text("Name?"), "2025-11-25");

    expect(await raw.say(calling)).toMatchObject({ id: 1, method: "elicitation/create" });
  });

  it.each([
    [
      "is none by its shape",
      { result: { action: "accept", content: { value: { deep: true } } } },
      "cannot be asked",
    ],
    ["has no known action", { result: { action: "perhaps" } }, "cannot be asked"],
    ["is an error", { error: { code: -32603, message: "No screen" } }, "was cancelled"],
  ])(verifies(["C10", "B1"], "takes an answer that %s for none"), async (_, answer, sentence) => {
    const reported: unknown[] = [];
    const raw = await rawClient(ask.confirm("Sure?"), "2025-11-25", {
      report: (error) => reported.push(error),
    });

    await raw.say(calling);
    const response = await raw.say({ id: 1, ...answer });

    expect(response).toMatchObject({ id: 2, result: { isError: true } });
    expect(JSON.stringify(response)).toContain(sentence);
    expect(reported.length).toBeGreaterThan(0);
  });

  it(
    verifies(["C10", "B4"], "takes a refusal of the question's method for a client that cannot be asked"),
    async () => {
      const raw = await rawClient(ask.confirm("Sure?"), "2025-11-25");

      await raw.say(calling);
      const response = await raw.say({ id: 1, error: { code: -32601, message: "Method not found" } });

      expect(JSON.stringify(response)).toContain("the client refused it");
    },
  );

  it(
    verifies("C10", "waits once, and no more, for a client that answers no pings to have read the progress"),
    async () => {
      const clock = testClock();
      const busy = tool({
        name: "busy",
        description: "Is busy",
        async *run() {
          yield emit.status("Busy");
        },
      });
      const server = new McpServer({ name: "host", version: "1.0.0" });
      const mounted = mountTools(server, [busy], { clock });
      const [here, there] = InMemoryTransport.createLinkedPair();
      await server.connect(there);
      onTestFinished(() => server.close());
      const answered: unknown[] = [];
      Object.assign(here, {
        onmessage: (message: JSONRPCMessage) => "result" in message && answered.push(message.id),
      });
      const call = async (id: number): Promise<void> => {
        const params = { name: "busy", _meta: { progressToken: id } };
        await here.send({ jsonrpc: "2.0", id, method: "tools/call", params });
        await expect.poll(() => mounted.calls).toBe(1);
      };

      await call(1);
      await clock.advance("1s");
      await expect.poll(() => answered).toEqual([1]);
      await call(2);
      await clock.advance("10ms");
      await expect.poll(() => answered).toEqual([1, 2]);
    },
  );

  it(verifies("C10", "asks on the stream of its call, where a client has no other"), async () => {
    const server = new McpServer({ name: "host", version: "1.0.0" });
    mountTools(server, [asking(ask.text("Name?"))]);
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => "one" });
    await server.connect(transport);
    const http = createHttpServer((request, response) => {
      // Without the standalone stream, there is only the call's.
      if (request.method === "GET") response.writeHead(405).end();
      else void transport.handleRequest(request, response);
    });
    await new Promise<void>((resolve) => {
      http.listen(0, "127.0.0.1", resolve);
    });
    onTestFinished(async () => {
      await server.close();
      http.closeAllConnections();
      http.close();
    });
    const { port } = http.address() as AddressInfo;
    const client = await connectV1(
      { transport: new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/`)) },
      { answer: acceptValue("Ada") },
    );

    expect(JSON.parse((await client.call("it")).text)).toEqual({ answer: "Ada" });
  });
});
