/** One principal that fills the memory of the server, within every other limit: what is new is refused, and others notice nothing. */
import { once } from "node:events";
import { request as httpRequest, type ClientRequest, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ask, emit, resource, tool } from "@photon/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import type { ServerOptions } from "../../src/index.ts";
import { bearer, initialize, post, tokens } from "../auth/callers.ts";
import { listening, transports } from "../wire/servers.ts";
import {
  headersFor,
  overConnection,
  overStatelessHttp,
  overWebSocket,
} from "../../../../test/clients/carriers.ts";
import type { Fields, Message } from "../../../../test/clients/messages.ts";
import {
  ELICITATION,
  type Exchange,
  StatelessClient,
  type RawClient,
  accepted,
  callOf,
  codeIn,
  questionsIn,
  textOf,
} from "../../../../test/clients/raw-client.ts";
import { Gate } from "../wire/gate.ts";

const OVER_LIMIT = -31001;
const KIB = 1024;
const [ada, eve] = [bearer(tokens.ada), bearer(tokens.eve)];
const input = { type: "object", properties: { text: { type: "string" } } } as const;
const long = (bytes: number): string => "x".repeat(bytes);

const echo = tool({
  name: "echo",
  input,
  async *run({ text = "" }) {
    return text;
  },
});
const asking = tool({
  name: "asking",
  input,
  async *run({ text = "" }) {
    const names: string[] = [];
    for (;;) {
      const name = yield* ask.text(`Name? ${text.length}`);
      if (name === "") return String(names.join("").length);
      names.push(name);
    }
  },
});
/** Gives back a result of so many bytes. */
const large = tool({
  name: "large",
  input: { type: "object", properties: { bytes: { type: "integer" } }, required: ["bytes"] },
  async *run({ bytes }) {
    return long(bytes);
  },
});

const options: ServerOptions = {
  tools: [echo, asking, large],
  tokens,
  limits: { bytesPerPrincipal: 256 * KIB, bytes: 800 * KIB, messageBytes: 110 * KIB },
};

/** An object that takes some 40 KiB, of 4 KiB on the wire. */
const manyNames = (call: number): Fields =>
  Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`${(call * 400 + at).toString(36)}z`, 1.5]));

const named = (url: string, headers: { readonly authorization: string }): StatelessClient =>
  new StatelessClient(overStatelessHttp(url, headers));

/** That a principal is served as if there were no others. */
async function assertServed(client: StatelessClient): Promise<void> {
  const asked = await client.call("asking", { text: long(10 * KIB) });
  expect(Object.keys(questionsIn(asked))).toEqual(["ask-1"]);
  expect(textOf((await client.retry(asked, accepted({ "ask-1": "" }))).answer)).toBe("0");
  expect(textOf((await client.call("echo", { text: "in" })).answer)).toBe("in");
}

describe("calls that wait with long arguments", () => {
  it("of 2026-07-28 are refused over the limit of their principal, and nobody else's; one that ends makes room", async () => {
    const { url } = await listening(options);
    const [one, other] = [named(url, ada), named(url, eve)];
    const parked: Exchange[] = [];

    let refused: Exchange | undefined;
    while (refused === undefined && parked.length < 20) {
      const received = await one.call("asking", { text: long(50 * KIB) });
      if (codeIn(received) === undefined) parked.push(received);
      else refused = received;
    }

    expect(refused?.answer.error).toMatchObject({ code: OVER_LIMIT });
    expect(refused?.answer.error?.message).toContain("limits.bytesPerPrincipal");
    expect(parked.length).toBeLessThanOrEqual(5);
    await assertServed(other);
    for (const received of parked)
      expect(textOf((await one.retry(received, accepted({ "ask-1": "" }))).answer)).toBe("0");
    await assertServed(one);
  });

  it("of 2026-07-28 are refused over the limit of all, whoever calls", async () => {
    const limits = { bytesPerPrincipal: 256 * KIB, bytes: 300 * KIB };
    const { url } = await listening({ ...options, limits });
    const [one, other] = [named(url, ada), named(url, eve)];
    for (const client of [one, one, one]) await client.call("asking", { text: long(50 * KIB) });

    const received = [];
    for (let count = 0; count < 3; count++)
      received.push(await other.call("asking", { text: long(50 * KIB) }));

    expect(received.at(-1)?.answer.error?.message).toContain("limits.bytes)");
    expect(textOf((await other.call("echo", { text: "in" })).answer)).toBe("in");
  });

  it("are weighed by what is in them: many small objects take more than their text", async () => {
    const { url } = await listening({
      ...options,
      tools: [
        tool({
          name: "any",
          async *run() {
            return yield* ask.text("Name?");
          },
          input: { type: "object" },
        }),
      ],
    });
    const client = named(url, ada);

    // 9 KiB on the wire, some ten times as much in memory.
    const received = [];
    for (let count = 0; count < 4; count++)
      received.push(await client.call("any", { list: Array.from({ length: 3000 }, () => ({})) }));

    expect(codeIn(received.at(-1) as Exchange)).toBe(OVER_LIMIT);
  });

  it.each([
    ["names that no other object has", (call: number) => manyNames(call), 5],
    ["a character of two bytes", () => ({ text: `☃${long(40 * KIB)}` }), 3],
  ])("are weighed by what V8 takes for %s", async (_, data, most) => {
    const any = tool({
      name: "any",
      async *run() {
        return yield* ask.text("Name?");
      },
      input: { type: "object" },
    });
    const { url } = await listening({ ...options, tools: [any] });
    const client = named(url, ada);

    let waiting = 0;
    while (waiting < 10 && codeIn(await client.call("any", data(waiting))) === undefined) waiting += 1;

    expect(waiting).toBeLessThanOrEqual(most);
  });

  it("are not weighed for more than three times as much where objects are alike", async () => {
    const any = tool({
      name: "any",
      async *run() {
        return yield* ask.text("Name?");
      },
      input: { type: "object" },
    });
    const { url } = await listening({ ...options, tools: [any] });
    const client = named(url, ada);
    // 90 KiB in memory.
    const list = Array.from({ length: 1000 }, (_, at) => ({ id: at, name: "Ada", isOpen: true }));

    expect(codeIn(await client.call("any", { list }))).toBeUndefined();
  });

  it("count the answers that they were given, too", async () => {
    const { url } = await listening(options);
    const client = named(url, ada);
    let received = await client.call("asking");

    let rounds = 1;
    while (codeIn(received) === undefined && rounds < 20) {
      received = await client.retry(received, accepted({ [`ask-${rounds}`]: long(50 * KIB) }));
      rounds += 1;
    }

    expect(codeIn(received)).toBe(OVER_LIMIT);
    expect(rounds).toBeLessThanOrEqual(9);
    await assertServed(client);
  });

  describe.each(Object.entries(transports))("on a session over %s", (_, set) => {
    async function joined(connectTo: () => Promise<RawClient>): Promise<RawClient> {
      const client = await connectTo();
      await client.initialize();
      return client;
    }

    it("are refused over the limit; one that ends makes room", async () => {
      const stage = await set({ ...options, tokens: undefined });
      const client = await joined(stage.connect);
      const ids: number[] = [];
      for (let count = 0; count < 4; count++) {
        ids.push(client.begin("tools/call", callOf("asking", { text: long(50 * KIB) })));
        await client.receive();
      }

      const refused = await client.callTool("asking", { text: long(60 * KIB) });

      expect(refused.error ?? refused).toMatchObject({ code: OVER_LIMIT });
      expect(textOf(await client.callTool("echo", { text: "in" }))).toBe("in");
      for (const id of ids) await client.notify("notifications/cancelled", { requestId: id });
      await vi.waitFor(async () =>
        expect(textOf(await client.callTool("echo", { text: long(60 * KIB) }))).toBe(long(60 * KIB)),
      );
    });

    it("count themselves, however short they are", async () => {
      const limits = { bytesPerPrincipal: 64 * KIB, messageBytes: 16 * KIB };
      const stage = await set({ ...options, limits, tokens: undefined });
      const client = await joined(stage.connect);
      const isAskedOrAnswered = ({ method, id }: Message): boolean =>
        method === "elicitation/create" || typeof id === "number";

      let asked = 0;
      let refused: Message | undefined;
      while (refused === undefined && asked < 60) {
        client.begin("tools/call", callOf("asking"));
        const received = await client.messages.next(isAskedOrAnswered);
        if (received.error === undefined) asked += 1;
        else refused = received;
      }

      expect(refused?.error?.code).toBe(OVER_LIMIT);
    });

    it("count the answers that they were given: one too many is refused, and the question stays open", async () => {
      const stage = await set({ ...options, tokens: undefined });
      const client = await joined(stage.connect);
      const id = client.begin("tools/call", callOf("asking"));
      let question = await client.receive();
      // As much as there is room for, and one message more.
      for (let count = 0; count < 7; count++) {
        await client.accept(question, long(45 * KIB));
        question = await client.receive();
      }

      await client.accept(question, long(60 * KIB));

      const { error } = await client.messages.next((message) => message.error !== undefined);
      expect(error?.code).toBe(OVER_LIMIT);
      await client.accept(question, "");
      expect(textOf(await client.answerTo(id))).toBe(String(7 * 45 * KIB));
    });

    it("leave nothing counted, however they end", async () => {
      const stage = await set({ ...options, tokens: undefined });
      const text = long(30 * KIB);
      for (let count = 0; count < 10; count++) {
        const client = await joined(stage.connect);
        expect(textOf(await client.callTool("echo", { text }))).toBe(text);
        const failing = await client.callTool("asking", { text: 1 });
        expect(failing.error ?? failing.result).toBeDefined();
        const cancelled = client.begin("tools/call", callOf("asking", { text }));
        await client.receive();
        await client.notify("notifications/cancelled", { requestId: cancelled });
        const answered = client.begin("tools/call", callOf("asking", { text }));
        await client.accept(await client.receive(), long(30 * KIB));
        await client.accept(await client.receive(), "");
        expect(textOf(await client.answerTo(answered))).toBe(String(30 * KIB));
        client.begin("tools/call", callOf("asking", { text }));
        await client.receive();
        await client.close();
      }
    });
  });

  it("of 2026-07-28 leave nothing counted, however they end", async () => {
    const { url } = await listening(options);
    const text = long(30 * KIB);
    for (let count = 0; count < 10; count++) {
      for (const client of [named(url, ada), new StatelessClient(overConnection(await socketOf(url)))]) {
        expect(textOf((await client.call("echo", { text })).answer)).toBe(text);
        const asked = await client.call("asking", { text });
        expect(Object.keys(questionsIn(asked))).toEqual(["ask-1"]);
        const again = await client.retry(asked, accepted({ "ask-1": text }));
        expect(textOf((await client.retry(again, accepted({ "ask-2": "" }))).answer)).toBe(String(30 * KIB));
        const left = client.begin("tools/call", callOf("echo", { text }));
        await left.leave();
        await client.close();
      }
    }
  });

  const socketOf = async (url: string): Promise<RawClient> => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/mcp`, ["mcp"], { headers: ada });
    onTestFinished(() => socket.terminate());
    return overWebSocket(url, ["mcp"], socket);
  };
});

describe.each(Object.entries(transports))(
  "answers over %s that wait for the rest of their batch",
  (_, set) => {
    const call = (id: string): object => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: callOf("asking"),
    });
    /** Answered at once, with a text of its own id. */
    const pings = (of: number): readonly object[] =>
      Array.from({ length: 49 }, (__, at) => ({
        jsonrpc: "2.0",
        id: `${of}-${at}-${long(200)}`,
        method: "ping",
      }));
    const joined = async (): Promise<RawClient> => {
      const client = await (await set({ ...options, tokens: undefined })).connect();
      await client.initialize("2025-03-26");
      return client;
    };
    const isBatch = (message: unknown): boolean => Array.isArray(message);

    it("are counted: one call too many is refused, and the others make room when they end", async () => {
      const client = await joined();
      const open: string[] = [];

      let refused: unknown;
      while (refused === undefined && open.length < 20) {
        const id = `call-${open.length}`;
        void client.send([call(id), ...pings(open.length)]);
        const received = await client.messages.next(
          (message) => isBatch(message) || message.method === "elicitation/create",
        );
        if (isBatch(received)) refused = received;
        else open.push(id);
        // The answers of the batch are there once a later request is answered.
        await client.request("ping");
      }

      expect(open.length).toBeLessThan(15);
      expect(refused).toContainEqual(
        expect.objectContaining({ error: expect.objectContaining({ code: OVER_LIMIT }) }),
      );
      for (const id of open) {
        await client.notify("notifications/cancelled", { requestId: id });
        await client.messages.next(isBatch);
      }
      await vi.waitFor(async () =>
        expect(textOf(await client.callTool("echo", { text: long(60 * KIB) }))).toBe(long(60 * KIB)),
      );
    });

    it("are no longer counted when the session ends", async () => {
      const stage = await set({ ...options, tokens: undefined });
      for (let count = 0; count < 15; count++) {
        const client = await stage.connect();
        await client.initialize("2025-03-26");
        void client.send([call("call"), ...pings(count)]);
        await client.receive();
        expect((await client.request("ping")).error).toBeUndefined();
        await client.close();
      }
    });

    it("are weighed one by one: a long call among short ones counts while it waits", async () => {
      const client = await joined();
      const longCall = (id: string): object => ({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: callOf("asking", { text: long(60 * KIB) }),
      });

      let asked = 0;
      let refused: unknown;
      while (refused === undefined && asked < 10) {
        void client.send([longCall(`call-${asked}`), ...pings(asked).slice(0, 20)]);
        const received = await client.messages.next(
          (message) => isBatch(message) || message.method === "elicitation/create",
        );
        if (isBatch(received)) refused = received;
        else asked += 1;
        await client.request("ping");
      }

      expect(asked).toBeLessThanOrEqual(4);
    });

    it("an id has at most 256 characters: a longer one costs its request an error", async () => {
      const client = await joined();
      const id = long(257);

      void client.send({ jsonrpc: "2.0", id, method: "ping" });

      expect((await client.answerTo(id)).error).toMatchObject({
        code: -32600,
        message: "Invalid message: an id has at most 256 characters.",
      });
      void client.send({ jsonrpc: "2.0", id: long(256), method: "ping" });
      expect((await client.answerTo(long(256))).result).toEqual({});
    });
  },
);

describe("what a session keeps of its client", () => {
  it("is nothing of a handshake that is refused", async () => {
    const { url } = await listening({ limits: { bytesPerPrincipal: 64 * KIB } });
    const client = await overWebSocket(url);
    const clientInfo = { name: long(20 * KIB), version: "1" };

    const refused: unknown[] = [];
    for (let count = 0; count < 5; count++) {
      const { error } = await client.request("initialize", {
        protocolVersion: 5,
        capabilities: {},
        clientInfo,
      });
      refused.push(error?.code);
    }

    expect(refused).toEqual(Array.from({ length: 5 }, () => -32_602));
    expect(await client.initialize()).toHaveProperty("result");
  });

  it("counts what it said of itself in the handshake", async () => {
    const { url } = await listening({
      ...options,
      tokens: undefined,
      resources: [
        resource({
          uri: "note://{name}",
          async *run() {
            return "note";
          },
          watch() {},
        }),
      ],
    });
    const heavy = {
      ...initialize,
      params: { ...initialize.params, clientInfo: { name: long(60 * KIB), version: "1" } },
    };

    const statuses = [];
    for (let count = 0; count < 3; count++) {
      const answer = await post(`${url}/mcp`, heavy);
      statuses.push((JSON.parse(await answer.body()) as { error?: { code: number } }).error?.code);
    }
    expect(statuses).toEqual([undefined, undefined, OVER_LIMIT]);
  });

  it("counts subscriptions until they end", async () => {
    const { connect: open } = await transports.websocket({
      ...options,
      tokens: undefined,
      resources: [
        resource({
          uri: "note://{name}",
          async *run() {
            return "note";
          },
          watch() {},
        }),
      ],
    });
    const client = await open();
    await client.initialize();
    const uri = (at: number): string => `note://${at}${long(40 * KIB)}`;
    const answers = [];
    for (let at = 0; at < 6; at++)
      answers.push(await client.request("resources/subscribe", { uri: uri(at) }));

    expect(answers.at(-1)?.error?.code).toBe(OVER_LIMIT);
    for (let at = 0; at < 6; at++) await client.request("resources/unsubscribe", { uri: uri(at) });
    expect((await client.request("resources/subscribe", { uri: uri(7) })).error).toBeUndefined();
  });

  it.each(Object.entries(transports))(
    "counts nothing of sessions over %s that have ended",
    async (_, set) => {
      const stage = await set({ ...options, tokens: undefined });
      // Forty of them are more than the limit, by what they said of themselves as by what a session takes.
      const capabilities = { ...ELICITATION, experimental: { text: { text: long(8 * KIB) } } };
      for (let count = 0; count < 40; count++) {
        const client = await stage.connect();
        expect((await client.initialize("2025-11-25", capabilities)).error).toBeUndefined();
        await client.close();
      }
    },
  );
});

describe("messages that are never whole", () => {
  /** Sends the head of a message, and so many bytes of it. */
  async function begun(
    url: string,
    headers: { readonly authorization: string },
    bytes: number,
  ): Promise<ClientRequest> {
    const request = httpRequest(`${url}/mcp`, {
      method: "POST",
      agent: false,
      headers: {
        ...headersFor({ method: "tools/list" }),
        ...headers,
        "content-length": String(100 * KIB),
      },
    });
    onTestFinished(() => void request.destroy());
    request.on("error", () => {});
    await new Promise<void>((resolve) => {
      request.write(long(bytes), () => resolve());
    });
    return request;
  }

  it("over HTTP are refused over the limit of their principal, with 429; others send theirs", async () => {
    const { url } = await listening(options);
    const requests = [];
    for (let count = 0; count < 7; count++) requests.push(await begun(url, ada, 60 * KIB));

    // However fast the server has read the others, it has read them before all of these.
    const answers: Promise<unknown[]>[] = [];
    for (let count = 0; count < 4; count++) {
      const request = await begun(url, ada, 60 * KIB);
      answers.push(once(request, "response"));
      requests.push(request);
    }

    const [refused] = (await Promise.race(answers)) as [IncomingMessage];
    expect(refused.statusCode).toBe(429);
    await assertServed(named(url, eve));
    for (const request of requests) request.destroy();
    await vi.waitFor(() => assertServed(named(url, ada)));
  });

  it("over WebSocket cost their sender the socket; others send theirs", async () => {
    const { url } = await listening(options);
    const sockets: WebSocket[] = [];
    for (let count = 0; count < 10; count++) {
      const socket = new WebSocket(`${url.replace("http", "ws")}/mcp`, ["mcp"], { headers: ada });
      onTestFinished(() => socket.terminate());
      socket.on("error", () => {});
      await once(socket, "open");
      sockets.push(socket);
    }
    const closes = sockets.map((socket) => once(socket, "close").then(([code]) => code as number));

    // Each is a message in several frames, of which the last never comes.
    for (const socket of sockets) socket.send(long(60 * KIB), { fin: false });

    expect(await Promise.race(closes)).toBe(1013);
    await assertServed(named(url, eve));
    for (const socket of sockets) socket.terminate();
    await vi.waitFor(() => assertServed(named(url, ada)));
  });

  /** Sockets of one principal, and the codes with which they are closed. */
  async function opened(
    url: string,
    count: number,
  ): Promise<{ readonly sockets: readonly WebSocket[]; readonly closes: readonly Promise<number>[] }> {
    const sockets: WebSocket[] = [];
    for (let at = 0; at < count; at++) {
      const socket = new WebSocket(`${url.replace("http", "ws")}/mcp`, ["mcp"], { headers: ada });
      onTestFinished(() => socket.terminate());
      socket.on("error", () => {});
      await once(socket, "open");
      sockets.push(socket);
    }
    return {
      sockets,
      closes: sockets.map((socket) => once(socket, "close").then(([code]) => code as number)),
    };
  }
  /** The server has read everything before. */
  async function untilRead(socket: WebSocket): Promise<void> {
    if (socket.readyState !== socket.OPEN) return;
    socket.ping();
    await Promise.race([once(socket, "pong"), once(socket, "close")]);
  }

  it("over WebSocket count with all their fragments, however small those are", async () => {
    const { url } = await listening(options);
    const { sockets, closes } = await opened(url, 16);

    // 1,750 bytes on the wire each, and some 30 KiB in memory.
    for (const socket of sockets) {
      for (let count = 0; count < 250; count++) socket.send("x", { fin: false });
      await untilRead(socket);
    }

    expect(await Promise.race(closes)).toBe(1013);
  });

  it("over WebSocket have at most some hundred fragments", async () => {
    const { url } = await listening(options);
    const { sockets, closes } = await opened(url, 1);

    for (let count = 0; count < 300; count++) sockets[0]?.send("x", { fin: false });

    expect(await Promise.race(closes)).toBe(1008);
  });

  it("over WebSocket count although a ping came after them", async () => {
    const { url } = await listening(options);
    const { sockets, closes } = await opened(url, 10);

    for (const socket of sockets) {
      socket.send(long(60 * KIB), { fin: false });
      await untilRead(socket);
      // In a read of its own.
      await untilRead(socket);
    }

    expect(await Promise.race(closes)).toBe(1013);
  });

  it("over WebSocket count by how many reads they came in", async () => {
    const { url } = await listening(options);
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => {}).setNoDelay();
    const head = { host: "localhost", ...ada, connection: "upgrade", upgrade: "websocket" };
    const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(
      `GET /mcp HTTP/1.1\r\n${lines.join("")}sec-websocket-version: 13\r\nsec-websocket-protocol: mcp\r\nsec-websocket-key: ${Buffer.alloc(16).toString("base64")}\r\n\r\n`,
    );
    await once(socket, "data");
    // The head of a text of 60 KiB, masked with zeros.
    socket.write(Buffer.from([0x81, 0xfe, 0xf0, 0x00, 0, 0, 0, 0]));

    const told: Buffer[] = [];
    socket.on("data", (data: Buffer) => told.push(data));
    for (let count = 0; told.length === 0 && count < 6000; count++) {
      await new Promise<void>((resolve) => {
        socket.write("x", () => resolve());
      });
      // The server runs in this process: it has read the byte when all that was ready is done.
      await nextTurn();
    }

    // A close frame.
    expect(told[0]?.readUInt16BE(2)).toBe(1013);
  });

  it("over WebSocket are no longer counted once they are whole, while their sockets stay open", async () => {
    const { url } = await listening({ ...options, tokens: undefined });
    const text = long(100 * KIB);

    for (let count = 0; count < 6; count++) {
      const client = await overWebSocket(url);
      onTestFinished(() => client.socket.terminate());
      await client.initialize();
      client.socket.ping(long(100));
      const message = JSON.stringify({
        jsonrpc: "2.0",
        id: "whole",
        method: "tools/call",
        params: callOf("echo", { text }),
      });
      client.socket.send(message.slice(0, 50 * KIB), { fin: false });
      client.socket.send(message.slice(50 * KIB), { fin: true });
      expect(textOf(await client.answerTo("whole"))).toBe(text);
    }
  });
});

describe("results that are not read", () => {
  const limits = { bytesPerPrincipal: 12 * KIB * KIB, bytes: 40 * KIB * KIB, messageBytes: 64 * KIB };
  /** More than the operating system takes for a socket. */
  const BYTES = 8 * KIB * KIB;
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name: "large",
      arguments: { bytes: BYTES },
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  };

  /** Calls for a large result, and reads its head only. */
  async function unread(url: string, headers: { readonly authorization: string }): Promise<Socket> {
    const { port, hostname } = new URL(url);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => {});
    const body = JSON.stringify(message);
    const head = {
      ...headersFor(message),
      ...headers,
      host: "localhost",
      "content-length": String(body.length),
    };
    const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST /mcp HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
    await once(socket, "readable");
    return socket;
  }

  it.each(["read", "given up"])(
    "over HTTP keep their principal from calling, and nobody else, until they are %s",
    async (how) => {
      const { url } = await listening({ ...options, limits });
      const sockets = [];
      for (let count = 0; count < 6; count++) sockets.push(await unread(url, ada));

      await vi.waitFor(async () =>
        expect((await named(url, ada).call("echo", { text: "in" })).answer.error?.code).toBe(OVER_LIMIT),
      );

      await assertServed(named(url, eve));
      for (const socket of sockets)
        if (how === "read") socket.resume();
        else socket.destroy();
      await vi.waitFor(() => assertServed(named(url, ada)));
    },
  );

  it.each(["read", "given up"])("over WebSocket likewise, until they are %s", async (how) => {
    const { url } = await listening({ ...options, limits });
    const sockets: WebSocket[] = [];
    for (let count = 0; count < 6; count++) {
      const socket = new WebSocket(`${url.replace("http", "ws")}/mcp`, ["mcp"], { headers: ada });
      onTestFinished(() => socket.terminate());
      socket.on("error", () => {});
      await once(socket, "open");
      sockets.push(socket);
    }
    for (const socket of sockets) {
      socket.pause();
      socket.send(JSON.stringify(message));
    }

    await vi.waitFor(async () =>
      expect((await named(url, ada).call("echo", { text: "in" })).answer.error?.code).toBe(OVER_LIMIT),
    );

    await assertServed(named(url, eve));
    for (const socket of sockets)
      if (how === "read") socket.resume();
      else socket.terminate();
    await vi.waitFor(() => assertServed(named(url, ada)));
  });

  it("make an error of the large result of a call that was under way before", async () => {
    const gate = new Gate();
    let waiting = 0;
    const later = tool({
      name: "later",
      async *run(_, { signal }) {
        waiting += 1;
        await gate.passed(signal);
        return long(BYTES);
      },
    });
    const { url } = await listening({ ...options, limits, tools: [echo, large, later] });
    const clients = [named(url, ada), new StatelessClient(overConnection(await overWebSocketAs(url, ada)))];
    const calls = clients.map((client) => client.begin("tools/call", callOf("later")));
    await expect.poll(() => waiting).toBe(2);
    for (let count = 0; count < 6; count++) await unread(url, ada);
    await vi.waitFor(async () =>
      expect((await named(url, ada).call("echo", { text: "in" })).answer.error?.code).toBe(OVER_LIMIT),
    );

    gate.open();

    for (const { received } of calls) expect(codeIn(await received)).toBe(OVER_LIMIT);
  });

  it("are no longer counted once they are read, however large they are", async () => {
    const { url } = await listening({ ...options, limits });
    const line = await overWebSocketAs(url, ada);
    for (let count = 0; count < 4; count++)
      for (const client of [named(url, ada), new StatelessClient(overConnection(line))])
        expect(textOf((await client.call("large", { bytes: BYTES })).answer).length).toBe(BYTES);
  });

  const overWebSocketAs = (url: string, headers: { readonly authorization: string }): Promise<RawClient> =>
    overWebSocket(url, ["mcp"], new WebSocket(`${url.replace("http", "ws")}/mcp`, ["mcp"], { headers }));
});

describe("events that are kept for a client that comes back", () => {
  const telling = tool({
    name: "telling",
    async *run() {
      for (let count = 0; count < 10; count++) yield emit.log("info", long(8 * KIB));
      return "told";
    },
  });
  const headers = { "mcp-protocol-version": "2025-11-25" };
  const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "telling", arguments: {} } };

  /** A session whose buffer of events is full. */
  async function told(
    url: string,
    who: { readonly authorization: string },
  ): Promise<() => Promise<number | undefined>> {
    const begun = await post(`${url}/mcp`, initialize, who);
    const session = { ...headers, ...who, "mcp-session-id": String(begun.headers["mcp-session-id"]) };
    await begun.body();
    const level = { jsonrpc: "2.0", id: 1, method: "logging/setLevel", params: { level: "debug" } };
    await (await post(`${url}/mcp`, level, session)).body();
    expect(await (await post(`${url}/mcp`, call, session)).body()).toContain("told");
    return async () => {
      const request = httpRequest(`${url}/mcp`, {
        agent: false,
        headers: { ...session, accept: "text/event-stream", "last-event-id": "1.1" },
      }).end();
      const [response] = (await once(request, "response")) as [IncomingMessage];
      request.on("error", () => {}).destroy();
      return response.statusCode;
    };
  }

  it("make room for newer ones of their principal, and for calls; those of others stay", async () => {
    const { url } = await listening({ ...options, tools: [telling, asking, echo] });
    const others = await told(url, eve);
    const sessions = [];
    for (let count = 0; count < 6; count++) sessions.push(await told(url, ada));

    // 256 KiB have room for two sessions.
    expect([await sessions[0]?.(), await sessions[4]?.(), await sessions[5]?.()]).toEqual([400, 200, 200]);
    expect(await others()).toBe(200);
    const client = named(url, ada);
    for (let count = 0; count < 3; count++)
      expect(codeIn(await client.call("asking", { text: long(50 * KIB) }))).toBeUndefined();
    expect(await sessions[5]?.()).toBe(400);
    expect(await others()).toBe(200);
  });
});
