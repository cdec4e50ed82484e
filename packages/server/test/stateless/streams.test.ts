/** Notifications before the response, and the form of the response (ARCHITECTURE.md §2.6). */
import { once } from "node:events";
import { ask, emit, tool, type Tool } from "@photon/core";
import { testClock } from "@photon/core/testing";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { verifies } from "../../../../test/requirements.ts";
import { serveStateless, listening, statelessTransports } from "../wire/servers.ts";
import { overConnection, overWebSocket } from "../../../../test/clients/carriers.ts";
import { MessageQueue, type Message } from "../../../../test/clients/messages.ts";
import {
  META,
  StatelessClient,
  accepted,
  callOf,
  questionsIn,
  textOf,
} from "../../../../test/clients/raw-client.ts";
import { Gate } from "../wire/gate.ts";
import { greet, Witness } from "../wire/tools.ts";

/** Tells something before it asks, after it was answered, and in its end. */
const telling = tool({
  name: "telling",
  async *run() {
    try {
      yield emit.status("Looking");
      yield emit.log("info", "looking");
      const name = yield* ask.text("Name?");
      yield emit.progress(0.5, `Found ${name}`);
      yield emit.log("debug", "found");
      return "done";
    } finally {
      yield emit.status("Tidying");
    }
  },
});

const words = (told: readonly Message[]): readonly unknown[] =>
  told.map(({ params }) => params?.["message"] ?? params?.["data"]);

describe("an answer over HTTP", () => {
  const typeOf = ({ headers }: { readonly headers?: { readonly [name: string]: unknown } }): unknown =>
    headers?.["content-type"];

  it(verifies("C5", "is JSON where nothing was told, also where it asks"), async () => {
    const { client } = await serveStateless({ tools: [telling] });

    const asked = await client.call("telling");
    const done = await client.accept(asked, { "ask-1": "it" });
    const listed = await client.request("tools/list");

    for (const received of [asked, done, listed]) {
      expect(typeOf(received)).toBe("application/json");
      expect(received.status).toBe(200);
    }
  });

  it(verifies("C5", "is a stream where something was told, which its answer ends"), async () => {
    const { client } = await serveStateless({ tools: [telling] });

    const asked = await client.call("telling", {}, { meta: { progressToken: "a" } });
    const done = await client.accept(asked, { "ask-1": "it" }, { meta: { progressToken: "b" } });

    for (const received of [asked, done]) {
      expect(typeOf(received)).toBe("text/event-stream");
      expect(received.headers).toMatchObject({
        "x-accel-buffering": "no",
        "cache-control": "no-cache, no-transform",
      });
    }
    expect(asked.answer.result).toMatchObject({ resultType: "input_required" });
    expect(done.answer.result).toMatchObject({ resultType: "complete" });
  });

  it("has no ids of events: nothing could be resumed by them", async () => {
    const { url } = await listening({ tools: [telling] });
    const params = {
      ...callOf("telling"),
      _meta: { [META.version]: "2026-07-28", [META.capabilities]: { elicitation: {} }, progressToken: 1 },
    };
    const answer = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "telling",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    });

    const text = await answer.text();

    expect(text.match(/^data: /gm)).toHaveLength(2);
    expect(text).not.toMatch(/^(id|retry|event):/m);
  });
});

describe.each(Object.entries(statelessTransports))("what a call tells over %s", (_, set) => {
  it(
    verifies(
      "C5",
      "comes before its questions and before its result, in order, with the token of its own request",
    ),
    async () => {
      const client = await (await set({ tools: [telling] })).connect();

      const asked = await client.call(
        "telling",
        {},
        { meta: { progressToken: "a", [META.logLevel]: "debug" } },
      );
      const done = await client.accept(
        asked,
        { "ask-1": "it" },
        { meta: { progressToken: "b", [META.logLevel]: "info" } },
      );

      expect(words(asked.told)).toEqual(["Looking", "looking"]);
      expect(words(done.told)).toEqual(["Found it", "Tidying"]);
      expect(asked.told[0]?.params?.["progressToken"]).toBe("a");
      expect(done.told.map(({ params }) => params?.["progressToken"])).toEqual(["b", "b"]);
      const figures = [...asked.told, ...done.told]
        .flatMap(({ params }) => params?.["progress"] ?? [])
        .map(Number);
      expect(figures).toEqual(figures.toSorted((one, other) => one - other));
      expect(new Set(figures).size).toBe(3);
    },
  );

  it("is nothing, where the request wants none of it: each says for itself", async () => {
    const client = await (await set({ tools: [telling] })).connect();

    const asked = await client.call("telling");
    const done = await client.accept(asked, { "ask-1": "it" }, { meta: { progressToken: 7 } });

    expect(asked.told).toEqual([]);
    expect(words(done.told)).toEqual(["Found it", "Tidying"]);
  });

  it("is all there before its questions, a hundred times", async () => {
    const chatty = tool({
      name: "chatty",
      async *run() {
        for (let count = 1; count <= 100; count++) yield emit.status(`${count}`);
        yield* ask.text("Enough?");
        return "done";
      },
    });
    const client = await (await set({ tools: [chatty] })).connect();

    const asked = await client.call("chatty", {}, { meta: { progressToken: 0 } });

    expect(words(asked.told)).toEqual(Array.from({ length: 100 }, (__, at) => `${at + 1}`));
    expect(Object.keys(questionsIn(asked))).toEqual(["ask-1"]);
  });

  it("is nothing any more once it was given up, and there is no answer", async () => {
    const gate = new Gate();
    const witness = new Witness();
    const slow: Tool<never> = tool({
      name: "slow",
      async *run(__, { signal }) {
        try {
          yield emit.status("Working");
          await gate.passed(signal);
          return "done";
        } finally {
          witness.end("slow");
          yield emit.status("Tidying");
        }
      },
    });
    const client = await (await set({ tools: [slow, greet] })).connect();
    const call = client.begin("tools/call", callOf("slow"), { id: "slow", meta: { progressToken: "slow" } });
    await call.messages.next(({ method }) => method === "notifications/progress");

    await call.leave();
    await witness.afterEnd();
    await client.request("server/discover");

    const received = (call.messages.all as readonly Message[]).filter(
      ({ id, params }) => id === "slow" || params?.["progressToken"] === "slow",
    );
    expect(words(received)).toEqual(["Working"]);
  });
});

describe("a line", () => {
  it(
    verifies("C5", "is never sent a request, nor anything after the answer that it belongs to"),
    async () => {
      const { url } = await listening({ tools: [telling] });
      const line = await overWebSocket(url);
      const client = new StatelessClient(overConnection(line));

      const asked = await client.call("telling", {}, { meta: { progressToken: "a" } });
      await client.retry(asked, accepted({ "ask-1": "it" }), { meta: { progressToken: "b" } });
      await client.request("server/discover");

      const all = line.messages.all as readonly Message[];
      expect(all.filter(({ id, method }) => method !== undefined && id !== undefined)).toEqual([]);
      expect(all.map(({ id, params }) => id ?? params?.["progressToken"])).toEqual(["a", 0, "b", "b", 1, 2]);
    },
  );

  it("is answered once it has read what it was told before, whatever else it is asked to show that it reads", async () => {
    // It stands still: nobody is too impatient to wait.
    const { url } = await listening({ tools: [telling], clock: testClock() });
    const socket = new WebSocket(`${url.replace("http", "ws")}/mcp`, ["mcp"], { autoPong: false });
    const pings: Buffer[] = [];
    const inbox = new MessageQueue();
    const pinged = new MessageQueue();
    socket.on("message", (data) => inbox.push(JSON.parse((data as Buffer).toString())));
    socket.on("ping", (data) => {
      pings.push(data);
      pinged.push({ id: pings.length });
    });
    await once(socket, "open");
    const call = (id: string): void => {
      const meta = {
        [META.version]: "2026-07-28",
        [META.capabilities]: { elicitation: {} },
        progressToken: id,
      };
      const params = { ...callOf("telling"), _meta: meta };
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }));
    };

    call("one");
    await pinged.next();
    call("two");
    await pinged.next();
    socket.pong(pings[0]);
    const first = await inbox.next(({ id }) => id !== undefined);
    const early = (inbox.all as readonly Message[]).filter(({ id }) => id === "two");
    socket.pong(pings[1]);
    const second = await inbox.next(({ id }) => id !== undefined);

    expect([first.id, early, second.id]).toEqual(["one", [], "two"]);
    socket.terminate();
  });

  it("takes a request with the id of one that is under way for none", async () => {
    const gate = new Gate();
    const waiting = tool({
      name: "waiting",
      async *run(_, { signal }) {
        await gate.passed(signal);
        return "done";
      },
    });
    const { url } = await listening({ tools: [waiting] });
    const client = new StatelessClient(overConnection(await overWebSocket(url)));
    const first = client.begin("tools/call", callOf("waiting"), { id: "same" });
    await gate.reached;

    const second = client.begin("tools/call", callOf("waiting"), { id: "same" });
    // Whoever waits first is given what comes first.
    const refused = await first.received;
    gate.open();
    const done = await second.received;

    expect(textOf(refused.answer)).toBe(
      '-32600: The id "same" is in use by a request that is not answered yet.',
    );
    expect(textOf(done.answer)).toBe("done");
  });
});
