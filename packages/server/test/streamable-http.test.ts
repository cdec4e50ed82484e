import { once } from "node:events";
import { connect as connectSocket } from "node:net";
import { ask, emit, tool } from "@photon/core";
import { testClock } from "@photon/core/testing";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import type { ListenOptions, ServerOptions } from "../src/index.ts";
import { transportContract } from "./transport-contract.ts";
import { listening, transports } from "./wire/servers.ts";
import { type StreamedEvent, overHttp, readEvents } from "../../../test/clients/carriers.ts";
import type { Fields, Message } from "../../../test/clients/messages.ts";
import { ELICITATION, callOf, textOf } from "../../../test/clients/raw-client.ts";
import { countingClock } from "./wire/counting-clock.ts";
import { echo, greet, Witness, witnessed } from "./wire/tools.ts";

const BOTH = "application/json, text/event-stream";
const json = { "content-type": "application/json", accept: BOTH };

/** One HTTP request after another, by hand. */
class Hand {
  readonly #url: string;
  session: Record<string, string> = {};

  constructor(url: string) {
    this.#url = `${url}/mcp`;
  }

  post(body: unknown, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
    return fetch(this.#url, {
      method: "POST",
      headers: { ...json, ...this.session, ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  request(method: string, params: Fields = {}, headers: Record<string, string> = {}): Promise<Response> {
    return this.post({ jsonrpc: "2.0", id: method, method, params }, headers);
  }

  get(headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
    const all = { accept: "text/event-stream", ...this.session, ...headers };
    return fetch(this.#url, { headers: all, ...(signal === undefined ? {} : { signal }) });
  }

  send(method: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.#url, { method, headers: { ...this.session, ...headers } });
  }

  async initialize(revision = "2025-11-25"): Promise<Response> {
    const answer = await this.request("initialize", {
      protocolVersion: revision,
      capabilities: ELICITATION,
      clientInfo: { name: "hand", version: "1" },
    });
    this.session = {
      "mcp-session-id": answer.headers.get("mcp-session-id") ?? "",
      "mcp-protocol-version": revision,
    };
    return answer;
  }
}

/** The events of a stream, one by one. */
class Events {
  readonly all: StreamedEvent[] = [];
  readonly retries: number[] = [];
  readonly ended: Promise<void>;
  readonly #received: (() => void)[] = [];

  constructor(response: Response) {
    this.ended = readEvents(
      response,
      (event) => {
        this.all.push(event);
        for (const received of this.#received.splice(0)) received();
      },
      { onRetry: (wait) => this.retries.push(wait) },
    );
  }

  /** The first message that fits, with the id of its event. */
  async find(
    fits: (message: Message) => boolean,
  ): Promise<{ readonly id: string; readonly message: Message }> {
    for (let looked = 0; ;) {
      for (; looked < this.all.length; looked++) {
        const { id = "", data = "" } = this.all[looked] ?? {};
        const message = (data === "" ? {} : JSON.parse(data)) as Message;
        if (fits(message)) return { id, message };
      }
      await new Promise<void>((resolve) => {
        this.#received.push(resolve);
      });
    }
  }
}

const isQuestion = ({ method }: Message): boolean => method === "elicitation/create";
const isAnswer = ({ result }: Message): boolean => result !== undefined;
const numbers = (events: Events): (string | undefined)[] => events.all.map(({ id }) => id);

describe("streamable http", () => {
  transportContract(transports["streamable http"], { afterTooBig: "lives" });

  async function open(
    options: ServerOptions = {},
    listen: ListenOptions = {},
    revision = "2025-11-25",
  ): Promise<Hand & Awaited<ReturnType<typeof listening>>> {
    const on = await listening({ tools: [echo, greet], ...options }, listen);
    const hand = new Hand(on.url);
    await hand.initialize(revision);
    return Object.assign(hand, on);
  }

  describe("refuses with", () => {
    it.each([
      ["404 a session that is not there", { "mcp-session-id": "nobody" }, 404],
      ["400 a revision that does not exist", { "mcp-protocol-version": "2023-01-01" }, 400],
      ["406 a client that takes no stream", { accept: "application/json" }, 406],
      ["406 a client that takes no JSON", { accept: "text/event-stream" }, 406],
      ["415 another type", { "content-type": "text/plain" }, 415],
      ["415 a type that only begins like JSON", { "content-type": "application/jsonp" }, 415],
      ["415 compressed messages", { "content-encoding": "gzip" }, 415],
    ] as readonly [string, Record<string, string>, number][])(
      verifies("C9", "%s"),
      async (_, headers, status) => {
        const hand = await open();

        const answer = await hand.request("ping", {}, headers);

        expect(answer.status).toBe(status);
        expect(await answer.json()).toMatchObject({ jsonrpc: "2.0", error: { code: -32600 } });
      },
    );

    it(verifies("C9", "400 a message without a session"), async () => {
      const hand = await open();
      hand.session = {};

      expect((await hand.request("ping")).status).toBe(400);
      expect((await hand.get()).status).toBe(400);
      expect((await hand.send("DELETE")).status).toBe(400);
    });

    it("400 a revision that is newer than the server was told to speak", async () => {
      const hand = await open({ maxRevision: "2025-06-18" });

      expect((await hand.request("ping")).status).toBe(400);
      expect((await hand.request("ping", {}, { "mcp-protocol-version": "2025-06-18" })).status).toBe(200);
    });

    it("400 and -32700 what is no JSON", async () => {
      const answer = await (await open()).post("{");

      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ error: { code: -32700 } });
    });

    it("413 a message that is too big, and the connection goes on", async () => {
      const { server, url } = await listening({ limits: { messageBytes: 1000 } });
      const socket = connectSocket(Number(new URL(url).port), "127.0.0.1");
      let text = "";
      socket.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      const head =
        "Host: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream";
      const big = "x".repeat(1_000_000);

      socket.write(`POST /mcp HTTP/1.1\r\n${head}\r\nContent-Length: ${big.length}\r\n\r\n${big}`);
      socket.write(`GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      await once(socket, "close");

      expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 413", "HTTP/1.1 200"]);
      expect(server.sessions).toBe(0);
    });

    it.each(["PUT", "PATCH", "OPTIONS", "HEAD"])("405 the method %s", async (method) => {
      const answer = await (await open()).send(method);

      expect(answer.status).toBe(405);
      expect(answer.headers.get("allow")).toBe("POST, GET, DELETE");
    });

    it("406 a GET that takes no stream", async () => {
      expect((await (await open()).get({ accept: "application/json" })).status).toBe(406);
    });

    it("403 a Host or an Origin that is not this machine's", async () => {
      const hand = await open();

      expect((await hand.request("ping", {}, { origin: "https://evil.example" })).status).toBe(403);
      expect((await hand.request("ping", {}, { origin: "null" })).status).toBe(403);
      expect((await hand.request("ping", {}, { origin: "http://localhost:1234" })).status).toBe(200);
    });

    it("400 a Last-Event-ID that it never gave", async () => {
      const hand = await open();

      for (const id of ["7.1", "0.99", "x", "1", "1.-1", "1.1.1", "__proto__.0"])
        expect((await hand.get({ "last-event-id": id })).status).toBe(400);
    });
  });

  describe("sessions", () => {
    it(verifies("C9", "begin with initialize, under a name nobody can guess"), async () => {
      const hand = await open();
      const other = new Hand(hand.url);
      const answer = await other.initialize();

      expect(answer.headers.get("content-type")).toBe("application/json");
      expect(answer.headers.get("mcp-session-id")).toMatch(/^[0-9a-f-]{36}$/);
      expect(answer.headers.get("mcp-session-id")).not.toBe(hand.session["mcp-session-id"]);
      expect(hand.server.sessions).toBe(2);
    });

    it("do not begin with an initialize that is refused", async () => {
      const hand = await open();
      hand.session = {};

      const answer = await hand.request("initialize");

      expect(await answer.json()).toMatchObject({ error: { code: -32602 } });
      expect(answer.headers.get("mcp-session-id")).toBeNull();
      expect(hand.server.sessions).toBe(1);
    });

    it("do not begin with an initialize that nobody waits for", async () => {
      const hand = await open();
      hand.session = {};

      expect((await hand.post({ jsonrpc: "2.0", method: "initialize" })).status).toBe(400);
      expect(hand.server.sessions).toBe(1);
    });

    it(verifies("C9", "end with DELETE, and are not found after it"), async () => {
      const witness = new Witness();
      const hand = await open({ tools: [witnessed(witness)] });
      const events = new Events(await hand.request("tools/call", callOf("witnessed")));
      await events.find(isQuestion);

      expect((await hand.send("DELETE")).status).toBe(204);

      expect(witness.ended).toEqual(["witnessed"]);
      expect(hand.server.sessions).toBe(0);
      await events.ended;
      expect((await hand.request("ping")).status).toBe(404);
      expect((await hand.get()).status).toBe(404);
      expect((await hand.send("DELETE")).status).toBe(404);
    });

    it(
      verifies("C9", "end when they were idle for too long, however many others begin meanwhile"),
      async () => {
        const clock = testClock();
        const hand = await open({ clock, idle: 60_000 });
        const busy = new Hand(hand.url);
        await busy.initialize();
        const events = new Events(await busy.request("tools/call", callOf("greet")));
        await events.find(isQuestion);

        for (let round = 0; round < 8; round++) {
          await clock.advance("10s");
          const passing = new Hand(hand.url);
          await passing.initialize();
          await passing.send("DELETE");
        }

        expect((await hand.request("ping")).status).toBe(404);
        expect((await busy.request("ping")).status).toBe(200);
        expect(hand.server.sessions).toBe(1);
      },
    );

    it("end with a question that stays open for ever, when its client has gone for too long", async () => {
      const clock = testClock();
      let isClosed = false;
      const waiting = tool({
        name: "waiting",
        async *run() {
          try {
            yield* ask.text("Name?", { timeout: "none" });
          } finally {
            isClosed = true;
          }
        },
      });
      const hand = await open({ tools: [waiting], clock, idle: 60_000 });
      const leaving = new AbortController();
      const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: callOf("waiting") };
      const events = new Events(await hand.post(message, {}, leaving.signal));
      await events.find(isQuestion);
      leaving.abort();
      await events.ended;

      // The server learns of it a turn of its own later; the clock moves until it has.
      for (let minutes = 0; minutes < 1000 && hand.server.sessions > 0; minutes++) await clock.advance("1m");

      expect(hand.server.sessions).toBe(0);
      expect(isClosed).toBe(true);
    });

    it("are not idle while a stream is open, and are afterwards", async () => {
      const clock = testClock();
      const hand = await open({ clock, idle: 60_000 });
      const ending = new AbortController();
      const stream = await hand.get({}, ending.signal);

      await clock.advance("5m");
      expect(hand.server.sessions).toBe(1);

      ending.abort();
      await readEvents(stream, () => {});
      // The server has heard of it when another stream is let in.
      let again = await hand.get();
      while (again.status === 409) again = await hand.get();
      await again.body?.cancel();
      expect((await hand.request("ping")).status).toBe(200);
      await clock.advance("5m");
      await clock.advance("5m");
      expect(hand.server.sessions).toBe(0);
    });
  });

  it("accepts notifications and answers with 202 and no body", async () => {
    const hand = await open();

    for (const message of [
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: "nobody", result: {} },
    ]) {
      const answer = await hand.post(message);
      expect(answer.status).toBe(202);
      expect(await answer.text()).toBe("");
    }
  });

  it("answers lists with JSON and calls with a stream that ends after the answer", async () => {
    const hand = await open();

    const list = await hand.request("tools/list");
    const call = await hand.request("tools/call", callOf("echo", { text: "hi" }));

    expect(list.headers.get("content-type")).toBe("application/json");
    expect(call.headers.get("content-type")).toBe("text/event-stream");
    const events = new Events(call);
    await events.ended;
    expect(textOf((await events.find(isAnswer)).message)).toBe("hi");
  });

  it("sends a stream whose answer is known at once in one piece, and gives it again", async () => {
    const hand = await open();

    const call = await hand.request("tools/call", callOf("echo", { text: "Grüße" }));
    const text = await call.text();
    const again = await hand.get({ "last-event-id": /^id: (\S+)/.exec(text)?.[1] ?? "" });

    expect(call.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
    expect(text).toMatch(/^id: 1\.0\nretry: 1000\ndata: \n\nid: 1\.1\ndata: \{.*Grüße.*\}\n\n$/);
    expect(await again.text()).toBe(text);
  });

  it(verifies("C9", "puts a question on the stream of its call, and not on the one of GET"), async () => {
    const hand = await open();
    const ending = new AbortController();
    const standing = new Events(await hand.get({}, ending.signal));
    const call = new Events(await hand.request("tools/call", callOf("greet")));

    const { message } = await call.find(isQuestion);
    const answer = await hand.post({
      jsonrpc: "2.0",
      id: message.id,
      result: { action: "accept", content: { value: "Ada" } },
    });

    expect(answer.status).toBe(202);
    expect(textOf((await call.find(isAnswer)).message)).toBe("Hello, Ada");
    await call.ended;
    hand.server.replace({ tools: [echo] });
    await standing.find(({ method }) => method === "notifications/tools/list_changed");
    expect(standing.all.filter(({ data }) => data !== "")).toHaveLength(1);
    ending.abort();
  });

  describe("resuming", () => {
    const counting = tool({
      name: "counting",
      async *run() {
        yield emit.status("one");
        yield emit.status("two");
        const name = yield* ask.text("Name?");
        yield emit.status("three");
        return `Hello, ${name}`;
      },
    });
    const call = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: callOf("counting", {}, { progressToken: 1 }),
    };
    const accept = (question: Message): object => ({
      jsonrpc: "2.0",
      id: question.id,
      result: { action: "accept", content: { value: "Ada" } },
    });

    it(
      verifies("C9", "gives a client that comes back the rest of the call, from a question that is open"),
      async () => {
        const witness = new Witness();
        const hand = await open({ tools: [counting, witnessed(witness)] });
        const ending = new AbortController();
        const before = new Events(await hand.post(call, {}, ending.signal));
        const { message: question, id } = await before.find(isQuestion);
        ending.abort();
        await before.ended;

        const after = new Events(await hand.get({ "last-event-id": id }));
        expect((await hand.post(accept(question))).status).toBe(202);
        await after.ended;

        expect(textOf((await after.find(isAnswer)).message)).toBe("Hello, Ada");
        expect(after.all.some(({ data }) => data.includes("elicitation/create"))).toBe(false);
      },
    );

    it(verifies("C9", "gives the rest of a call whose connection the server has ended itself"), async () => {
      let close: (runId: string) => void = () => {};
      const patient = tool({
        name: "counting",
        async *run(_, { runId }) {
          close(runId);
          yield emit.status("on my own");
          return "Hello again";
        },
      });
      const hand = await open({ tools: [patient] });
      close = (runId) => hand.server.disconnect(runId);

      const before = new Events(await hand.post(call));
      await before.ended;
      const { id } = before.all.at(-1) ?? {};
      const after = new Events(await hand.get({ "last-event-id": id ?? "" }));
      await after.ended;

      expect(textOf((await after.find(isAnswer)).message)).toBe("Hello again");
    });

    it(
      verifies("C9", "goes on with a run whose client is away, and tells it everything when it is back"),
      async () => {
        const hand = await open({ tools: [counting] });
        const ending = new AbortController();
        const before = new Events(await hand.post(call, {}, ending.signal));
        const { message: question } = await before.find(isQuestion);
        const { id } = await before.find(({ params }) => params?.["message"] === "one");
        ending.abort();
        await before.ended;
        expect((await hand.post(accept(question))).status).toBe(202);

        const after = new Events(await hand.get({ "last-event-id": id }));
        await after.ended;

        const said = after.all
          .filter(({ data }) => data !== "")
          .map(({ data }) => JSON.parse(data) as Message);
        expect(said.map(({ method, params }) => params?.["message"] ?? method ?? "answer")).toEqual([
          "two",
          "Name?",
          "three",
          "answer",
        ]);
      },
    );

    it("tells it again as often as it is asked to, though the stream has ended", async () => {
      const hand = await open();
      const first = new Events(await hand.request("tools/call", callOf("echo", { text: "hi" })));
      await first.ended;
      const [primed] = numbers(first);

      for (let round = 0; round < 3; round++) {
        const again = new Events(await hand.get({ "last-event-id": primed ?? "" }));
        await again.ended;
        expect(textOf((await again.find(isAnswer)).message)).toBe("hi");
      }
    });

    it("forgets what a finished stream said a minute later", async () => {
      const clock = testClock();
      const hand = await open({ clock });
      const first = new Events(await hand.request("tools/call", callOf("echo", { text: "hi" })));
      await first.ended;

      await clock.advance("2m");

      expect((await hand.get({ "last-event-id": numbers(first)[0] ?? "" })).status).toBe(400);
    });

    it("never tells one stream's events on another", async () => {
      const hand = await open({ tools: [counting, echo] });
      const one = new Events(await hand.post(call));
      await one.find(isQuestion);
      const other = new Events(await hand.request("tools/call", callOf("echo", { text: "other" })));
      await other.ended;

      const again = new Events(await hand.get({ "last-event-id": numbers(one)[0] ?? "" }));
      await again.find(isQuestion);

      expect(again.all.some(({ data }) => data.includes("other"))).toBe(false);
      await one.ended;
    });

    it("does not give one client what another was told", async () => {
      const hand = await open();
      const first = new Events(await hand.request("tools/call", callOf("echo", { text: "secret" })));
      await first.ended;
      const other = new Hand(hand.url);
      await other.initialize();

      expect((await other.get({ "last-event-id": numbers(first)[0] ?? "" })).status).toBe(400);
    });

    it("does not take a lost connection for a cancelled call", async () => {
      const witness = new Witness();
      const hand = await open({ tools: [echo, witnessed(witness)] });
      const ending = new AbortController();
      const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: callOf("witnessed") };
      const events = new Events(await hand.post(message, {}, ending.signal));
      const { message: question } = await events.find(isQuestion);

      ending.abort();
      await events.ended;
      await hand.request("ping");
      expect(witness.ended).toEqual([]);

      await hand.post(accept(question));
      await witness.afterEnd();
      expect(hand.server.sessions).toBe(1);
    });

    it("gives the numbers in order, each once", async () => {
      const hand = await open({ tools: [counting] });
      const events = new Events(await hand.post(call));
      const { message: question } = await events.find(isQuestion);
      await hand.post(accept(question));
      await events.ended;

      expect(numbers(events)).toEqual(["1.0", "1.1", "1.2", "1.3", "1.4", "1.5"]);
    });
  });

  describe("priming", () => {
    it(verifies("C9", "gives a number to come back with, and when, at once on 2025-11-25"), async () => {
      const hand = await open();
      const call = new Events(await hand.request("tools/call", callOf("echo")));
      await call.ended;
      const ending = new AbortController();
      const standing = new Events(await hand.get({}, ending.signal));
      await standing.find(() => true);
      ending.abort();

      expect(call.all[0]).toMatchObject({ id: "1.0", data: "" });
      expect(call.retries).toEqual([1000]);
      expect(standing.all[0]).toMatchObject({ id: "0.0", data: "" });
    });

    it.each(["2024-11-05", "2025-03-26", "2025-06-18"])(
      verifies("C9", "is left out on %s"),
      async (revision) => {
        const hand = await open({}, {}, revision);
        const call = new Events(await hand.request("tools/call", callOf("echo")));
        await call.ended;

        expect(call.all).toHaveLength(1);
        expect(call.all[0]?.data).not.toBe("");
        expect(call.retries).toEqual([]);
      },
    );
  });

  describe("the stream of GET", () => {
    it(verifies("C9", "is one: a second is refused with 409"), async () => {
      const hand = await open();
      const ending = new AbortController();
      await hand.get({}, ending.signal);

      expect((await hand.get()).status).toBe(409);
      ending.abort();
    });

    it("is taken over by whoever comes back to it", async () => {
      const hand = await open();
      const first = new Events(await hand.get());
      await first.find(() => true);

      const ending = new AbortController();
      const second = new Events(await hand.get({ "last-event-id": numbers(first)[0] ?? "" }, ending.signal));
      await first.ended;
      hand.server.replace({ tools: [echo] });

      const { id } = await second.find(({ method }) => method === "notifications/tools/list_changed");
      expect(id).toBe("0.1");
      ending.abort();
    });

    it("begins with what was said while nobody listened", async () => {
      const hand = await open();
      hand.server.replace({ tools: [echo] });
      const ending = new AbortController();

      const events = new Events(await hand.get({}, ending.signal));

      const { id } = await events.find(({ method }) => method === "notifications/tools/list_changed");
      expect(id).toBe("0.1");
      ending.abort();
    });
  });

  it("keeps no timer for a stream whose client is gone", async () => {
    const clock = countingClock();
    const { server, url } = await listening({ tools: [echo], clock });
    const client = await overHttp(url);
    await client.initialize();
    const before = clock.running;
    const ending = new AbortController();

    const stream = await fetch(`${url}/mcp`, {
      headers: { ...client.headers(), accept: "text/event-stream" },
      signal: ending.signal,
    });
    expect(clock.running).toBe(before + 1);
    ending.abort();
    await readEvents(stream, () => {});
    // The server has heard of it a few turns later.
    while (clock.running > before) await client.request("ping");

    await server.close();
    expect(clock.running).toBe(0);
  });
});
