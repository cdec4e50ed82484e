/** A second `initialize` on one pipe or socket: gateways keep one process for all their clients. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { queryObjects } from "node:v8";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ElicitRequestSchema, type JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { ask, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { verifies } from "../../../test/requirements.ts";
import { createServer, memoryStore, openInbox } from "../src/index.ts";
import { listening, transports } from "./wire/servers.ts";
import { overHttp } from "../../../test/clients/carriers.ts";
import { type Message, isResponseTo } from "../../../test/clients/messages.ts";
import { callOf, textOf } from "../../../test/clients/raw-client.ts";
import { echo, greet } from "./wire/tools.ts";

const { "streamable http": streamable, ...pipes } = transports;

describe.each(Object.entries(pipes))("a second initialize over %s", (_, set) => {
  it(verifies("C1", "replaces what was agreed in the first"), async () => {
    const { server, connect } = await set({ tools: [greet] });
    const client = await connect();
    await client.initialize("2025-06-18", {});

    const second = await client.initialize("2024-11-05");
    const id = client.begin("tools/call", callOf("greet"));
    await client.accept(await client.receive(), "Ada");

    expect(second).toMatchObject({ result: { protocolVersion: "2024-11-05" } });
    expect(textOf(await client.answerTo(id))).toBe("Hello, Ada");
    expect(server.sessions).toBe(1);
  });

  it("cancels the calls that are open, which are not answered: their ids are free", async () => {
    let closed = (): void => {};
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const patient = tool({
      name: "patient",
      async *run() {
        try {
          return yield* ask.text("Name?");
        } finally {
          closed();
        }
      },
    });
    const { connect } = await set({ tools: [patient, echo], report() {} });
    const client = await connect();
    await client.initialize();
    void client.send({ jsonrpc: "2.0", id: "same", method: "tools/call", params: callOf("patient") });
    const question = await client.receive();

    await client.initialize();
    await isClosed;
    await client.accept(question, "Ada");
    const params = callOf("echo", { text: "new" });
    void client.send({ jsonrpc: "2.0", id: "same", method: "tools/call", params });

    expect(textOf(await client.answerTo("same"))).toBe("new");
    await client.request("ping");
    expect((client.messages.all as readonly Message[]).filter(isResponseTo("same"))).toHaveLength(1);
  });

  it(
    verifies("E4", "detaches a durable call: its run waits in the store, and can be answered there"),
    async () => {
      const keys = [randomBytes(32).toString("base64")];
      const store = memoryStore();
      const durable = tool({
        name: "durable",
        durable: true,
        async *run() {
          return `Hello, ${yield* ask.text("Name?", { id: "name" })}`;
        },
      });
      const { connect } = await set({ tools: [durable], store, keys, report() {} });
      const client = await connect();
      await client.initialize();
      client.begin("tools/call", callOf("durable"));
      await client.receive();

      await client.initialize();
      const inbox = openInbox({ store, keys });
      const [waiting] = (await inbox.list()).runs;
      await inbox.answer(waiting?.run ?? "", "name", { action: "accept", value: "Ada" });

      const result = async (): Promise<string> => JSON.stringify(await inbox.result(waiting?.run ?? ""));
      await expect.poll(result).toContain("Hello, Ada");
    },
  );

  it("changes nothing where it is refused itself", async () => {
    const { connect } = await set({ tools: [greet] });
    const client = await connect();
    await client.initialize();
    const id = client.begin("tools/call", callOf("greet"));
    const question = await client.receive();

    expect(await client.request("initialize")).toMatchObject({ error: { code: -32602 } });
    await client.accept(question, "Ada");

    expect(textOf(await client.answerTo(id))).toBe("Hello, Ada");
  });

  it("forgets what the first client refused", async () => {
    const { connect } = await set({ tools: [greet], report() {} });
    const client = await connect();
    await client.initialize();
    const refused = client.begin("tools/call", callOf("greet"));
    const error = { code: -32601, message: "Method not found" };
    await client.send({ jsonrpc: "2.0", id: (await client.receive()).id, error });
    await client.answerTo(refused);

    await client.initialize();
    const id = client.begin("tools/call", callOf("greet"));
    await client.accept(await client.receive(), "Ada");

    expect(textOf(await client.answerTo(id))).toBe("Hello, Ada");
  });
});

describe("over Streamable HTTP", () => {
  it("a second initialize in a session is refused, and the session goes on as agreed", async () => {
    const { server, connect } = await streamable({ tools: [echo] });
    const client = await connect();
    await client.initialize("2025-06-18");

    expect(await client.initialize("2024-11-05")).toMatchObject({ error: { code: -32600 } });
    expect(server.sessions).toBe(1);
    expect(textOf(await client.callTool("echo", { text: "still" }))).toBe("still");
  });

  it("an initialize that names no session begins another one", async () => {
    const { server, url } = await listening({ tools: [echo] });
    const [one, two] = [await overHttp(url), await overHttp(url)];
    await one.initialize();

    await two.initialize();

    expect(server.sessions).toBe(2);
    expect(textOf(await one.callTool("echo", { text: "still" }))).toBe("still");
  });
});

/** A client's side of a socket that several share, one after another, as a gateway does it: everything comes to everybody. */
class Shared implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #socket: WebSocket;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  async start(): Promise<void> {
    this.#socket.on("message", (data) =>
      this.onmessage?.(JSON.parse((data as Buffer).toString("utf8")) as JSONRPCMessage),
    );
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#socket.send(JSON.stringify(message));
  }

  async close(): Promise<void> {}
}

it.each([
  ["accepted", "2025-11-25"],
  ["refused", 5],
])(
  verifies("B8", "an initialize that is %s leaves nothing behind, while its connection stays open"),
  async (_, protocolVersion) => {
    const server = createServer();
    const connection = server.open({ mayMergeReads: false, send() {}, close() {} });
    const clientInfo = { name: "one of many", version: "1" };
    const initialize = async (version: unknown, times: number): Promise<number> => {
      for (let id = 0; id < times; id++) {
        const params = { protocolVersion: version, capabilities: {}, clientInfo };
        connection.receive({ jsonrpc: "2.0", id, method: "initialize", params });
      }
      await nextTurn();
      return queryObjects(Array, { format: "count" });
    };
    await initialize("2025-11-25", 10);
    const before = await initialize(protocolVersion, 10);

    const after = await initialize(protocolVersion, 2000);

    expect(after - before).toBeLessThan(500);
    await server.close();
  },
);

it("clients of the SDK that come one after another over one socket are all served", async () => {
  const { url } = await listening({ tools: [greet] });
  const socket = new WebSocket(`${url.replace("http", "ws")}/mcp`, ["mcp"]);
  await once(socket, "open");
  const said: unknown[] = [];
  for (const name of ["Ada", "Grace", "Mary"]) {
    const client = new Client({ name, version: "1" }, { capabilities: { elicitation: {} } });
    const transport = new Shared(socket);
    client.setRequestHandler(ElicitRequestSchema, async () => ({
      action: "accept",
      content: { value: name },
    }));
    await client.connect(transport);
    said.push((await client.callTool({ name: "greet", arguments: {} })).content);
    socket.removeAllListeners("message");
  }
  socket.close();

  expect(said).toEqual(["Ada", "Grace", "Mary"].map((name) => [{ type: "text", text: `Hello, ${name}` }]));
});
