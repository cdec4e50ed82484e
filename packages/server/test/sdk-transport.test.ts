import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport as SdkTransport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ElicitResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { ask, emit, tool, type Body } from "@photon/core";
import express from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { verifies } from "../../../test/requirements.ts";
import { createServer, type Message, type ClientConnection, type Transport } from "../src/index.ts";
import { mountTools, sdkOpen, serveSdk, type ServeSdkOptions } from "../src/sdk/index.ts";
import { acceptValue, leaveOpen } from "../../../test/clients/answers.ts";
import { connectInMemory, connectV1 } from "../../../test/clients/connect.ts";

// Node 20 has none of its own, and the SDK's client needs one.
Object.assign(globalThis, { WebSocket });

const greet = tool({
  name: "greet",
  description: "Greets",
  async *run() {
    yield emit.status("Thinking of you");
    return `Hello, ${yield* ask.text("Name?")}.`;
  },
});

/** Listens until the test is over; gives the address. */
async function listenOn(http: HttpServer, close: () => Promise<void>): Promise<string> {
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(async () => {
    await close();
    http.closeAllConnections();
    http.close();
  });
  // A server that listens on a port has an address with that port.
  return `127.0.0.1:${(http.address() as AddressInfo).port}`;
}

describe("an SDK transport handed to our server", () => {
  it(verifies("C10", "carries calls, questions and progress"), async () => {
    const server = createServer({ tools: [greet] });
    const client = await connectInMemory(server, { answer: acceptValue("Ada") });

    const { text } = await client.call("greet", {}, { onprogress: () => {} });

    expect(text).toBe("Hello, Ada.");
    expect(client.receivedOf("notifications/progress")).toMatchObject([{ message: "Thinking of you" }]);
    expect(server.sessions).toBe(1);
  });

  it(
    verifies("C10", "carries a question on the stream of its call, where it is Streamable HTTP"),
    async () => {
      const server = createServer({ tools: [greet] });
      const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => "one" });
      await server.connect(transport);
      const http = createHttpServer((request, response) => {
        // Without the standalone stream, there is only the call's.
        if (request.method === "GET") response.writeHead(405).end();
        else void transport.handleRequest(request, response);
      });
      const host = await listenOn(http, () => server.close());
      const client = await connectV1(
        { transport: new StreamableHTTPClientTransport(new URL(`http://${host}`)) },
        { answer: acceptValue("Ada") },
      );

      expect((await client.call("greet")).text).toBe("Hello, Ada.");
    },
  );

  it("answers with an error where an author made an answer that is no JSON", async () => {
    const reported: unknown[] = [];
    const odd = tool({
      name: "odd",
      // What no type allows, and a program without types can do.
      annotations: { title: 10n } as object,
      async *run() {},
    });
    const server = createServer({ tools: [odd], report: (error) => void reported.push(error) });
    onTestFinished(() => server.close());
    let receive: (text: string) => void = () => {};
    const received = new Promise<string>((resolve) => {
      receive = resolve;
    });
    const transport: Transport = {
      async start() {},
      async send(message) {
        receive(JSON.stringify(message));
      },
      async close() {},
    };
    await server.connect(transport);
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };

    transport.onmessage?.({ jsonrpc: "2.0", id: 0, method: "tools/list", params: { _meta: meta } });

    expect(JSON.parse(await received)).toMatchObject({ id: 0, error: { code: -32603 } });
    expect(reported).toEqual([expect.any(TypeError)]);
  });

  it(verifies("C10", "ends its session when the client hangs up, and the body with it"), async () => {
    const question = leaveOpen();
    let close = (): void => {};
    const closed = new Promise<void>((resolve) => {
      close = resolve;
    });
    const patient = tool({
      name: "patient",
      description: "Waits",
      async *run(): Body<void> {
        try {
          yield* ask.text("Name?");
        } finally {
          close();
        }
      },
    });
    const server = createServer({ tools: [patient] });
    const client = await connectInMemory(server, { answer: question.answer });

    const called = client.call("patient");
    await question.asked;
    await client.sdk.close();

    await expect(called).rejects.toThrow("Connection closed");
    await closed;
    expect(server.sessions).toBe(0);
  });

  it(verifies("C10", "is closed with the server"), async () => {
    const server = createServer({ tools: [greet] });
    const client = await connectInMemory(server);
    const gone = new Promise<void>((resolve) => {
      Object.assign(client.sdk, { onclose: resolve });
    });

    await server.close();

    await gone;
    expect(server.sessions).toBe(0);
  });

  it(verifies("C10", "goes on telling those who listened to it before"), async () => {
    const server = createServer({ tools: [greet] });
    const [here, there] = InMemoryTransport.createLinkedPair();
    const told: string[] = [];
    Object.assign(there, {
      onmessage: (message: Message) => told.push("method" in message ? message.method : "answer"),
      onclose: () => told.push("closed"),
    });

    await server.connect(there);
    const client = await connectV1({ transport: here });
    await client.sdk.close();

    expect(told).toEqual(["initialize", "notifications/initialized", "closed"]);
  });

  it("leaves no session behind where it does not start", async () => {
    const server = createServer();
    const broken: Transport = {
      start: () => Promise.reject(new Error("No route")),
      send: () => Promise.resolve(),
      close: () => Promise.resolve(),
    };

    await expect(server.connect(broken)).rejects.toThrow("No route");

    expect(server.sessions).toBe(0);
  });

  it("has what it could not send reported, and its server goes on", async () => {
    const reported: string[] = [];
    const server = createServer({ report: (error) => reported.push(String(error)) });
    const deaf: Transport = {
      start: () => Promise.resolve(),
      send: () => Promise.reject(new Error("Broken pipe")),
      close: () => Promise.resolve(),
    };

    await server.connect(deaf);
    deaf.onmessage?.({ jsonrpc: "2.0", id: 1, method: "ping" });
    deaf.onerror?.(new Error("Static"));
    await expect.poll(() => reported).toEqual(["Error: Static", "Error: Broken pipe"]);
    await server.close();
  });
});

/** An SDK server with a tool of its own that asks, and one of ours. */
function sdkServer(): McpServer {
  const server = new McpServer({ name: "host", version: "1.0.0" });
  server.registerTool("own", {}, async ({ sendRequest }) => {
    const requestedSchema = { type: "object" as const, properties: { value: { type: "string" as const } } };
    const { content } = await sendRequest(
      { method: "elicitation/create", params: { mode: "form", message: "Name?", requestedSchema } },
      ElicitResultSchema,
    );
    return { content: [{ type: "text", text: `Hello, ${String(content?.["value"])}, from the SDK.` }] };
  });
  mountTools(server, [greet]);
  return server;
}

/** SDK servers behind our door. */
async function listen(create: () => McpServer, options: ServeSdkOptions = {}): Promise<string> {
  const door = await serveSdk(create, options);
  const http = createHttpServer(express().use(door.router));
  http.on("upgrade", (request, socket, head) => door.upgrade(request, socket, head));
  return listenOn(http, () => door.close());
}

const ways: readonly (readonly [string, (host: string) => SdkTransport])[] = [
  ["WebSocket", (host) => new WebSocketClientTransport(new URL(`ws://${host}/mcp`))],
  // oxlint-disable-next-line typescript/no-deprecated -- the client of the transport that is tested here
  ["SSE", (host) => new SSEClientTransport(new URL(`http://${host}/sse`))],
];

describe.each(ways)("our %s handed to an SDK server", (_, dial) => {
  it(verifies("C10", "carries the calls and questions of both kinds of tools"), async () => {
    const client = await connectV1(
      { transport: dial(await listen(sdkServer)) },
      { answer: acceptValue("Ada") },
    );

    expect((await client.sdk.listTools()).tools.map(({ name }) => name)).toEqual(["own", "greet"]);
    expect((await client.call("own")).text).toBe("Hello, Ada, from the SDK.");
    const seen: unknown[] = [];
    const { text } = await client.call("greet", {}, { onprogress: ({ message }) => seen.push(message) });
    expect(text).toBe("Hello, Ada.");
    expect(seen).toEqual(["Thinking of you"]);
  });

  it(verifies("C10", "takes back the question of a call that was cancelled"), async () => {
    const question = leaveOpen();
    const client = await connectV1({ transport: dial(await listen(sdkServer)) }, { answer: question.answer });
    const call = new AbortController();

    const called = client.call("greet", {}, { signal: call.signal });
    await question.asked;
    call.abort("changed my mind");

    await expect(called).rejects.toThrow("changed my mind");
    await question.cancelled;
  });

  it(verifies("C10", "gives each client a server of its own, closed when the client goes"), async () => {
    let closed = 0;
    let made = 0;
    const host = await listen(() => {
      made += 1;
      const server = sdkServer();
      Object.assign(server.server, { onclose: () => (closed += 1) });
      return server;
    });
    const ada = await connectV1({ transport: dial(host) }, { answer: acceptValue("Ada") });
    const bob = await connectV1({ transport: dial(host) }, { answer: acceptValue("Bob") });

    const texts = await Promise.all([ada.call("greet"), bob.call("greet")]);
    await ada.sdk.close();

    expect(texts.map(({ text }) => text)).toEqual(["Hello, Ada.", "Hello, Bob."]);
    expect(made).toBe(2);
    await expect.poll(() => closed).toBe(1);
    expect((await bob.call("greet")).text).toBe("Hello, Bob.");
  });

  it("hangs up on the client when the server does", async () => {
    const servers: McpServer[] = [];
    const host = await listen(() => {
      const server = sdkServer();
      servers.push(server);
      return server;
    });
    const client = await connectV1({ transport: dial(host) });
    const gone = new Promise<void>((resolve) => {
      Object.assign(client.sdk, { onclose: resolve, onerror: () => resolve() });
    });

    await servers[0]?.close();

    await expect(gone).resolves.toBeUndefined();
  });

  it("is closed when the bodies of mounted tools have ended, and not before", async () => {
    const ended: string[] = [];
    const slow = tool({
      name: "slow",
      async *run() {
        try {
          yield* ask.text("Name?");
        } finally {
          // More turns than a close takes that does not wait.
          for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
          ended.push("slow");
        }
      },
    });
    const door = await serveSdk(() => {
      const server = new McpServer({ name: "host", version: "1.0.0" });
      mountTools(server, [slow]);
      return server;
    });
    const http = createHttpServer(express().use(door.router));
    http.on("upgrade", (request, socket, head) => door.upgrade(request, socket, head));
    const question = leaveOpen();
    const client = await connectV1(
      { transport: dial(await listenOn(http, () => door.close())) },
      { answer: question.answer },
    );
    // An event stream is taken up again by the SDK's client, so that its call does not fail.
    void client.call("slow").catch(() => {});
    await question.asked;

    await door.close();

    expect(ended).toEqual(["slow"]);
  });

  it("refuses one client more than the limit allows", async () => {
    const host = await listen(sdkServer, { limits: { sessions: 1 } });
    await connectV1({ transport: dial(host) });

    await expect(connectV1({ transport: dial(host) })).rejects.toThrow(/./);
  });
});

describe("a line to an SDK server", () => {
  /** Somebody at the other end of a line, and what came to them. */
  function someone(): {
    readonly connection: ClientConnection;
    readonly received: unknown[];
    readonly hungUp: Promise<void>;
  } {
    const received: unknown[] = [];
    let close = (): void => {};
    const hungUp = new Promise<void>((resolve) => {
      close = resolve;
    });
    return {
      connection: { mayMergeReads: true, send: (message) => void received.push(message), close },
      received,
      hungUp,
    };
  }
  const ping = (id: number): object => ({ jsonrpc: "2.0", id, method: "ping" });

  it.each([
    ["a text", "hello"],
    ["a batch", [ping(1)]],
    ["an object that is no message", { jsonrpc: "2.0" }],
  ])("refuses %s, and goes on", async (_, garbage) => {
    const { connection, received } = someone();
    const line = sdkOpen(sdkServer)(connection);

    line.receive(garbage);
    line.receive(ping(2));

    await expect.poll(() => received).toMatchObject([{ error: { code: -32600 } }, { id: 2, result: {} }]);
  });

  it("keeps what comes before a server is made that takes its time", async () => {
    const { connection, received } = someone();
    const line = sdkOpen(() => Promise.resolve().then(sdkServer))(connection);

    line.receive(ping(1));
    line.receive(ping(2));

    await expect.poll(() => received).toMatchObject([{ id: 1 }, { id: 2 }]);
  });

  it("hangs up, and reports it, where the server cannot be made", async () => {
    const reported: unknown[] = [];
    const { connection, hungUp } = someone();
    const broken = new Error("No database");

    sdkOpen(
      () => {
        throw broken;
      },
      (error) => reported.push(error),
    )(connection);

    await hungUp;
    expect(reported).toEqual([broken]);
  });

  it("closes a server that was made after its client had gone", async () => {
    const { connection } = someone();
    const server = sdkServer();
    const closed = new Promise<void>((resolve) => {
      Object.assign(server.server, { onclose: resolve });
    });
    const line = sdkOpen(() => Promise.resolve(server))(connection);

    await line.close();

    await expect(closed).resolves.toBeUndefined();
  });
});
