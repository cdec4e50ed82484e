import { once } from "node:events";
import { connect as connectSocket } from "node:net";
import { emit, resource, tool, type Tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { createServer, defaultLimits, type Limits, type ServerOptions } from "../src/index.ts";
import { bearer, tokens } from "./auth/callers.ts";
import { multipart, multipartType } from "./pages/multipart.ts";
import { Visitor, type Seen } from "./pages/visitor.ts";
import { answerPage } from "./secrets/person.ts";
import { login, upload } from "./secrets/tools.ts";
import { type TestServer, serveStateless, listening, transports } from "./wire/servers.ts";
import {
  overHttp,
  overStatelessHttp,
  overSse,
  overWebSocket,
  readEvents,
} from "../../../test/clients/carriers.ts";
import {
  type Exchange,
  StatelessClient,
  type RawClient,
  callOf,
  questionsIn,
  textOf,
} from "../../../test/clients/raw-client.ts";
import { echo, greet, Witness, witnessed } from "./wire/tools.ts";

const OVER_LIMIT = -31001;
/** The address of the page that somebody is to answer on. */
const urlIn = (received: Exchange): string => String(questionsIn(received)["ask-1"]?.params?.["url"]);

/**
 * Every limit there is has a test below; those of 2026-07-28 alone have theirs in `stateless/limits.test.ts`, those of runs without
 * their clients in `durable/background.test.ts`, those of memory in `attacks/memory.test.ts`, those of sessions and requests for each
 * principal in `attacks/many-sessions.test.ts`, those of connections in `attacks/many-connections.test.ts`.
 */
const tested = [
  "asksPerSession",
  "batch",
  "bytes",
  "bytesPerPrincipal",
  "connections",
  "connectionsPerAddress",
  "events",
  "statelessRequests",
  "statelessRequestsPerPrincipal",
  "messageBytes",
  "messageKeys",
  "messageValues",
  "outcomeBytes",
  "outcomes",
  "pages",
  "pagesPerPrincipal",
  "parked",
  "parkedPerPrincipal",
  "queueBytes",
  "records",
  "roundsPerCall",
  "runsPerSession",
  "sessions",
  "sessionsPerPrincipal",
  "stateBytes",
  "subscriptions",
  "backgroundRuns",
  "backgroundRunsPerPrincipal",
  "uploadBytes",
];

describe("limits", () => {
  it("are all tested", () => {
    expect(Object.keys(defaultLimits).toSorted()).toEqual(tested.toSorted());
  });

  async function joined({ connect }: TestServer): Promise<RawClient> {
    const client = await connect();
    await client.initialize();
    return client;
  }

  describe("of sessions", () => {
    const open = (options: ServerOptions = {}): ReturnType<typeof listening> =>
      listening({ tools: [echo, greet], limits: { sessions: 2 }, ...options });

    /** Two clients that are in, and stay. */
    async function full(url: string): Promise<readonly RawClient[]> {
      const clients = [await overWebSocket(url), await overHttp(url)];
      for (const client of clients) await client.initialize();
      return clients;
    }

    it("refuse one more over HTTP with 503 and a sentence, and serve the others", async () => {
      const { server, url } = await open();
      const clients = await full(url);
      const late = await overHttp(url);

      late.begin("initialize", { protocolVersion: "2025-11-25" });

      expect(await late.refusal()).toMatchObject({
        error: {
          code: OVER_LIMIT,
          message: "This server has reached its limit of sessions; try again later.",
        },
      });
      const sse = await fetch(`${url}/sse`);
      expect(sse.status).toBe(503);
      expect(sse.headers.get("retry-after")).toBe("10");
      await expect(overWebSocket(url)).rejects.toThrow("503");
      for (const client of clients) expect(textOf(await client.callTool("echo", { text: "in" }))).toBe("in");
      expect(server.sessions).toBe(2);
    });

    it("let somebody in once somebody else has gone", async () => {
      const { url } = await open();
      const [, http] = await full(url);

      await http?.close();

      const late = await overSse(url);
      expect(await late.initialize()).toHaveProperty("result");
    });

    it("are not got around by a session id that nobody has", async () => {
      const { server, url } = await open();
      await full(url);

      const answer = await fetch(`${url}/mcp`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-session-id": "made-up",
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "initialize",
          params: { protocolVersion: "x" },
        }),
      });

      expect(answer.status).toBe(404);
      expect(server.sessions).toBe(2);
    });

    it("are not got around by coming all at once", async () => {
      const { server, url } = await open();
      const clients = await Promise.all(Array.from({ length: 20 }, () => overHttp(url)));

      await Promise.all(
        clients.map(async (client) => {
          client.begin("initialize", { protocolVersion: "2025-11-25" });
          await client.messages.next();
        }),
      );

      expect(server.sessions).toBe(2);
    });

    it("hold for lines that are opened by other means", () => {
      const server = createServer({ limits: { sessions: 1 } });
      const connection = { mayMergeReads: false, send() {}, close() {} };
      server.open(connection);

      expect(() => server.open(connection)).toThrow("This server has reached its limit of sessions");
    });
  });

  describe.each(Object.entries(transports))("over %s", (_, set) => {
    it("of runs refuse one more, and take it when one has ended", async () => {
      const stage = await set({ tools: [greet], limits: { runsPerSession: 2 } });
      const client = await joined(stage);
      const other = await joined(stage);
      const ids = [1, 2].map(() => client.begin("tools/call", callOf("greet")));
      const questions = [await client.receive(), await client.receive()];

      expect(await client.callTool("greet")).toMatchObject({
        error: {
          code: OVER_LIMIT,
          message: "This session has reached its limit of calls under way (2); wait for one to end.",
        },
      });
      expect(await other.request("ping")).toHaveProperty("result");

      for (const question of questions) await client.accept(question, "Ada");
      for (const id of ids) await client.answerTo(id);
      expect(await client.request("ping")).toHaveProperty("result");
    });

    it("of runs count a cancelled one until its body has ended", async () => {
      let release = (): void => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const witness = new Witness();
      const stubborn = tool({
        name: "stubborn",
        async *run() {
          try {
            yield { ask: "text", message: "Name?" };
          } finally {
            await held;
            witness.end("stubborn");
          }
        },
      });
      const client = await joined(await set({ tools: [stubborn], limits: { runsPerSession: 1 } }));
      const id = client.begin("tools/call", callOf("stubborn"));
      await client.receive();
      await client.notify("notifications/cancelled", { requestId: id });
      await client.receive("notifications/cancelled");

      expect(await client.request("ping")).toHaveProperty("result");
      expect(await client.request("tools/call", callOf("stubborn"))).toMatchObject({
        error: { code: OVER_LIMIT },
      });
      release();
      await witness.afterEnd();
      client.begin("tools/call", callOf("stubborn"));
      expect(await client.receive("elicitation/create")).toBeDefined();
    });

    it(verifies("B8", "of questions refuse one more, and close the body that asked it"), async () => {
      const witness = new Witness();
      const stage = await set({ tools: [greet, witnessed(witness)], limits: { asksPerSession: 2 } });
      const client = await joined(stage);
      const ids = [1, 2].map(() => client.begin("tools/call", callOf("greet")));
      const questions = [await client.receive(), await client.receive()];

      expect(await client.callTool("witnessed")).toMatchObject({
        error: { code: OVER_LIMIT, message: "This session has reached its limit of open questions (2)." },
      });
      expect(witness.ended).toEqual(["witnessed"]);

      for (const question of questions) await client.accept(question, "Ada");
      for (const id of ids) expect(textOf(await client.answerTo(id))).toBe("Hello, Ada");
    });

    it("of a message take exactly that many bytes, and not one more", async () => {
      const stage = await set({ tools: [echo], limits: { messageBytes: 1000 } });
      const client = await joined(stage);
      const other = await joined(stage);
      const message = (bytes: number): string => {
        const text = JSON.stringify({ jsonrpc: "2.0", id: "x", method: "ping", params: { pad: "" } });
        return text.replace('""', `"${"é".repeat((bytes - text.length) / 2)}"`);
      };
      expect(Buffer.byteLength(message(1000))).toBe(1000);

      await client.sendText(message(1000));
      expect(await client.answerTo("x")).toHaveProperty("result");
      void client.sendText(`${message(1000)} `);

      await Promise.race([
        client.refusal().then(({ error }) => expect(error?.code).toBe(-32600)),
        client.gone,
      ]);
      expect(await other.request("ping")).toHaveProperty("result");
    });

    it("of subscriptions refuse one more, and take it when one is given up", async () => {
      const page = resource({
        uri: "page://{number}",
        async *run({ number }) {
          return number;
        },
      });
      const client = await joined(await set({ resources: [page], limits: { subscriptions: 2 } }));
      const subscribe = (number: number): Promise<object> =>
        client.request("resources/subscribe", { uri: `page://${number}` });
      await subscribe(1);
      await subscribe(2);
      expect(await subscribe(1)).toHaveProperty("result");

      expect(await subscribe(3)).toMatchObject({
        error: { code: OVER_LIMIT, message: "This session has reached its limit of subscriptions (2)." },
      });
      await client.request("resources/unsubscribe", { uri: "page://1" });
      expect(await subscribe(3)).toHaveProperty("result");
    });
  });

  it("of what waits for a client bound the answers to a batch as well", async () => {
    const long = tool({
      name: "long",
      async *run() {
        return "x".repeat(10_000);
      },
    });
    const { connect } = await transports.websocket({ tools: [long], limits: { queueBytes: 100_000 } });
    const client = await connect();
    await client.initialize("2025-03-26");
    const batch = Array.from({ length: 20 }, (_, id) => ({
      jsonrpc: "2.0",
      id: `long ${id}`,
      method: "tools/call",
      params: callOf("long"),
    }));

    await client.send([...batch, { garbage: true }]);
    const answers = (await client.messages.next((message) =>
      Array.isArray(message),
    )) as unknown as readonly Record<string, unknown>[];

    expect(answers).toHaveLength(21);
    expect(answers.filter((one) => "result" in one).length).toBeGreaterThan(4);
    expect(answers.findLast((one) => one["id"] !== undefined)).toMatchObject({
      error: {
        code: OVER_LIMIT,
        message:
          "The answers to a batch take at most 100000 bytes of memory together; send fewer requests in one batch.",
      },
    });
  });

  it.each(Object.entries(transports))(
    "of a batch are answered over %s, and what is no message at its end",
    async (_, set) => {
      const { connect } = await set({});
      const client = await connect();
      await client.initialize("2025-03-26");
      const pings = Array.from({ length: 200 }, (__, id) => ({
        jsonrpc: "2.0",
        id: `p${id}`,
        method: "ping",
      }));

      void client.send([...pings, { garbage: true }]);

      expect(await client.messages.next((message) => Array.isArray(message))).toHaveLength(201);
    },
  );

  it("of a batch take exactly that many messages, and not one more", async () => {
    const { connect } = await transports.websocket({ limits: { batch: 3 } });
    const client = await connect();
    await client.initialize("2025-03-26");
    const pings = (count: number): readonly object[] =>
      Array.from({ length: count }, (__, id) => ({ jsonrpc: "2.0", id: `p${id}`, method: "ping" }));

    await client.send(pings(4));
    expect(await client.refusal()).toMatchObject({
      error: { code: OVER_LIMIT, message: "A batch has at most 3 messages." },
    });
    await client.send(pings(3));
    expect(await client.messages.next()).toHaveLength(3);
  });

  describe("of pages", () => {
    const FULL =
      '"Password?" (ask-1) cannot be asked here: this server has reached its limit of open pages (1).';

    it("refuse one more on a session: the question cannot be asked", async () => {
      const client = await joined(await transports.websocket({ tools: [login], limits: { pages: 1 } }));
      client.begin("tools/call", callOf("login"));
      await client.receive();

      expect(textOf(await client.callTool("login"))).toBe(FULL);
    });

    it("refuse one more in 2026-07-28, and take it when the first was answered", async () => {
      const { client } = await serveStateless({ tools: [login], limits: { pages: 1 } });
      const first = await client.call("login");
      const refused = await client.call("login");
      await answerPage(urlIn(first), "correct horse");

      expect(textOf(refused.answer)).toBe(FULL);
      expect(urlIn(await client.call("login"))).toContain("/ask/");
    });

    it("of one principal refuse them one more, and nobody else", async () => {
      const limits = { pages: 10, pagesPerPrincipal: 1 };
      const { url } = await listening({ tools: [login], tokens, limits });
      const ada = new StatelessClient(overStatelessHttp(url, bearer(tokens.ada)));
      const eve = new StatelessClient(overStatelessHttp(url, bearer(tokens.eve)));
      const first = await ada.call("login");
      const refused = await ada.call("login");

      expect(textOf(refused.answer)).toBe(
        '"Password?" (ask-1) cannot be asked here: you have reached your limit of open pages (1).',
      );
      expect(urlIn(await eve.call("login"))).toContain("/ask/");
      await answerPage(urlIn(first), "correct horse");
      expect(urlIn(await ada.call("login"))).toContain("/ask/");
    });

    it("of a file that is uploaded to one are told on the page, and the question stays open", async () => {
      const { client } = await serveStateless({ tools: [upload], limits: { uploadBytes: 10 } });
      const url = urlIn(await client.call("upload"));
      const visitor = new Visitor();
      await visitor.open(url);
      const send = (bytes: string): Promise<Seen> => {
        const form = multipart(["proof", visitor.proof], ["do", "accept"], { name: "a.txt", bytes });
        return visitor.send(url, form, multipartType);
      };

      const [large, fitting] = [await send("01234567890"), await send("0123456789")];

      expect([large.status, fitting.status]).toEqual([413, 200]);
      expect(large.text).toContain("Must have at most 10 bytes.");
    });
  });

  describe("of what may wait for a slow client", () => {
    it("end an event stream that is over it, and serve the others", async () => {
      const witness = new Witness();
      const chatty = tool({
        name: "chatty",
        async *run() {
          try {
            for (;;) yield emit.status("x".repeat(100_000));
          } finally {
            witness.end("chatty");
          }
        },
      });
      const { server, url } = await listening({ tools: [echo, chatty], limits: { queueBytes: 200_000 } });
      const other = await overSse(url);
      await other.initialize();
      // A stream that nobody reads: not even its first event.
      const { hostname, port } = new URL(url);
      const slow = connectSocket(Number(port), hostname);
      let head = "";
      slow.setEncoding("utf8").on("data", (chunk: string) => {
        head += chunk;
      });
      slow.write("GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n");
      while (!head.includes("sessionId=")) await once(slow, "data");
      slow.pause();
      const [address = ""] = /\/messages\?sessionId=[0-9a-f-]+/.exec(head) ?? [];
      const post = (message: object): Promise<Response> =>
        fetch(`${url}${address}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ jsonrpc: "2.0", ...message }),
        });
      await post({
        id: 0,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {} },
      });

      for (let id = 1; id <= 20; id++)
        await post({ id, method: "tools/call", params: callOf("chatty", {}, { progressToken: id }) });
      await witness.afterEnd();

      expect(textOf(await other.callTool("echo", { text: "here" }))).toBe("here");
      expect(server.sessions).toBe(1);
      slow.destroy();
    });
  });

  describe("of kept events", () => {
    const chattyIn = (character: string): Tool<never> =>
      tool({
        name: "chatty",
        async *run() {
          for (let count = 1; count <= 10; count++)
            yield emit.status(String(count).padStart(10_000, character));
          return "done";
        },
      });

    async function run(
      limits: Partial<Limits>,
      character = " ",
    ): Promise<(after: string) => Promise<Response>> {
      const { url } = await listening({ tools: [chattyIn(character)], limits });
      const client = await overHttp(url);
      await client.initialize();
      await client.callTool("chatty", {}, { progressToken: 1 });
      return (after) =>
        fetch(`${url}/mcp`, {
          headers: { ...client.headers(), accept: "text/event-stream", "last-event-id": after },
        });
    }

    it("keep exactly that many, and refuse a client that would miss one", async () => {
      // Ten progress notifications and the result: eleven events.
      const comeBack = await run({ events: 5 });

      const answer = await comeBack("1.6");
      expect(answer.status).toBe(200);
      const events: string[] = [];
      await readEvents(answer, ({ id = "" }) => events.push(id));
      expect(events).toEqual(["1.7", "1.8", "1.9", "1.10", "1.11"]);
      const refusal = await comeBack("1.5");
      expect(refusal.status).toBe(400);
      expect(await refusal.json()).toMatchObject({
        error: { message: 'The events after "1.5" are no longer buffered.' },
      });
    });

    it("keep no more bytes than may wait for a slow client", async () => {
      const comeBack = await run({ queueBytes: 50_000 });

      expect((await comeBack("1.0")).status).toBe(400);
      expect((await comeBack("1.9")).status).toBe(200);
    });

    it("count bytes, not characters", async () => {
      // Three bytes each: 10 events are 100,000 characters and 300,000 bytes.
      const comeBack = await run({ queueBytes: 200_000 }, "€");

      expect((await comeBack("1.0")).status).toBe(400);
      expect((await comeBack("1.5")).status).toBe(200);
    });
  });
});
