import { JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { ask, prompt, resource, tool } from "@photon/core";
import { testClock } from "@photon/core/testing";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import type { ServerOptions } from "../src/index.ts";
import { type TestServer, transports } from "./wire/servers.ts";
import type { Fields, Message } from "../../../test/clients/messages.ts";
import { type RawClient, callOf, textOf } from "../../../test/clients/raw-client.ts";
import { echo, greet, Witness, witnessed } from "./wire/tools.ts";

/** What is sent, and the id under which it is refused, if it has one. */
const garbage: readonly [what: string, text: string, id?: Message["id"]][] = [
  ["a number", "7"],
  ["null", "null"],
  ["a text", '"hello"'],
  ["an object with nothing in it", "{}"],
  ["no version", '{"id":5,"method":"ping"}', 5],
  ["another version", '{"jsonrpc":"1.0","id":5,"method":"ping"}', 5],
  ["a method that is no text", '{"jsonrpc":"2.0","id":5,"method":5}', 5],
  ["params that are a list", '{"jsonrpc":"2.0","id":5,"method":"ping","params":[1]}', 5],
  ["params that are a text", '{"jsonrpc":"2.0","id":"a","method":"ping","params":"x"}', "a"],
  ["an id that is null", '{"jsonrpc":"2.0","id":null,"method":"ping"}'],
  ["an id that is no whole number", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}'],
  ["an id that is too big for a number", '{"jsonrpc":"2.0","id":1e400,"method":"ping"}'],
  ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"ping"}'],
  ["an id and nothing else", '{"jsonrpc":"2.0","id":5}'],
  ["a result that is no object", '{"jsonrpc":"2.0","id":5,"result":5}'],
  ["a result and an error", '{"jsonrpc":"2.0","id":5,"result":{},"error":{"code":1,"message":""}}'],
  ["an error without a code", '{"jsonrpc":"2.0","id":5,"error":{"message":"no"}}'],
  ["an error whose id is none", '{"jsonrpc":"2.0","id":{},"error":{"code":1,"message":"no"}}'],
  ["an error whose message is no text", '{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":{}}}'],
];

describe.each(Object.entries(transports))("JSON-RPC over %s", (_, set) => {
  let stage: TestServer;

  async function open(options: ServerOptions = {}, revision = "2025-11-25"): Promise<RawClient> {
    stage = await set({ tools: [echo, greet], ...options });
    const client = await stage.connect();
    await client.initialize(revision);
    return client;
  }

  async function assertAlive(client: RawClient): Promise<void> {
    expect(textOf(await client.callTool("echo", { text: "still here" }))).toBe("still here");
  }

  it.each(["", "{", "not JSON", '{"jsonrpc":"2.0",', "\u0000", "[1,"])(
    "answers %j, which is not JSON, with -32700, and goes on",
    async (text) => {
      const client = await open();

      // An empty line is no message on stdio; a space before the brace keeps it one.
      await client.sendText(text === "" ? "{ " : text);

      const refusal = await client.refusal();
      expect(refusal).toMatchObject({ jsonrpc: "2.0", error: { code: -32700 } });
      expect(refusal).not.toHaveProperty("id");
      await assertAlive(client);
    },
  );

  it.each(garbage)("answers %s with -32600, and goes on", async (_what, text, id) => {
    const client = await open();

    await client.sendText(text);

    const refusal = await client.messages.next(({ error }) => error !== undefined);
    expect(refusal).toMatchObject({ jsonrpc: "2.0", error: { code: -32600 } });
    expect("id" in refusal ? refusal.id : undefined).toBe(id);
    // As the SDK's clients read it.
    expect(() => JSONRPCMessageSchema.parse(refusal)).not.toThrow();
    await assertAlive(client);
  });

  it("answers an unknown method with -32601", async () => {
    const client = await open();

    for (const method of ["tools/dance", "toString", "__proto__", ""])
      expect(await client.request(method)).toMatchObject({ error: { code: -32601 } });
    await assertAlive(client);
  });

  it("answers an unknown tool, prompt or list parameter with -32602", async () => {
    const client = await open();

    expect(await client.callTool("constructor")).toMatchObject({ error: { code: -32602 } });
    expect(await client.request("tools/call", { name: 5 })).toMatchObject({ error: { code: -32602 } });
    expect(await client.request("prompts/get", { name: "nope" })).toMatchObject({ error: { code: -32602 } });
    expect(await client.request("tools/list", { cursor: "x" })).toMatchObject({ error: { code: -32602 } });
    expect(await client.request("resources/read", { uri: "x://y" })).toMatchObject({
      error: { code: -32002 },
    });
  });

  it("ignores notifications it does not know", async () => {
    const client = await open();

    await client.notify("notifications/dance");
    await client.notify("notifications/cancelled");
    await client.notify("notifications/cancelled", { requestId: 999 });

    await assertAlive(client);
  });

  it("refuses requests before initialize, except ping, and goes on", async () => {
    stage = await set({ tools: [echo] });
    const client = await stage.connect();

    void client.send({ jsonrpc: "2.0", id: "early", method: "tools/list" });

    expect(await client.messages.next()).toMatchObject({ error: { code: -32600 } });
    expect(await client.initialize()).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
    await assertAlive(client);
  });

  it("refuses an initialize without a version, and takes the next", async () => {
    stage = await set({ tools: [echo] });
    const client = await stage.connect();

    expect(await client.request("initialize")).toMatchObject({ error: { code: -32602 } });
    expect(await client.initialize()).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
    await assertAlive(client);
  });

  it("drops answers to nothing", async () => {
    const client = await open();

    await client.send({ jsonrpc: "2.0", id: "nobody", result: {} });
    await client.send({ jsonrpc: "2.0", id: 12, error: { code: 1, message: "no" } });
    await client.send({ jsonrpc: "2.0", id: null, error: { code: 1, message: "no" } });

    await assertAlive(client);
    expect(client.messages.all).toHaveLength(2);
  });

  it("takes 0, negative numbers and any text for an id", async () => {
    const client = await open();

    for (const id of [0, -3, 2 ** 40, "", "0", "ÿ 😀"]) {
      void client.send({ jsonrpc: "2.0", id, method: "ping" });
      expect(await client.answerTo(id)).toEqual({ jsonrpc: "2.0", id, result: {} });
    }
  });

  it("refuses an id that is in use, and the request that uses it goes on", async () => {
    const client = await open();
    const call = { jsonrpc: "2.0", id: "twice", method: "tools/call", params: callOf("greet") };
    void client.send(call);
    const question = await client.receive();

    void client.send(call);

    expect(await client.messages.next()).toMatchObject({ error: { code: -32600 } });
    await client.accept(question, "Ada");
    expect(textOf(await client.answerTo("twice"))).toBe("Hello, Ada");
  });

  it("does not take a message that is none for the answer to the request whose id it has", async () => {
    const client = await open();
    const id = client.begin("tools/call", callOf("greet"));
    const question = await client.receive();

    void client.send({ jsonrpc: "1.0", id, method: "ping" });

    expect(await client.messages.next()).toMatchObject({ error: { code: -32600 } });
    await client.accept(question, "Ada");
    expect(textOf(await client.answerTo(id))).toBe("Hello, Ada");
  });

  it("answers with -32603 where what an author wrote is no JSON, and says nothing of the inside", async () => {
    const odd = tool({
      name: "odd",
      annotations: { title: 1n as unknown as string },
      async *run() {},
    });
    const reported: unknown[] = [];
    const client = await open({ tools: [echo, odd], report: (error) => reported.push(error) });

    const answer = await client.request("tools/list");

    expect(answer).toMatchObject({ error: { code: -32603 } });
    expect(answer.error?.message).not.toContain("BigInt");
    expect(String(reported[0])).toContain("BigInt");
    await assertAlive(client);
  });

  it("survives a report that throws", async () => {
    const odd = prompt({
      name: "odd",
      async *run(): AsyncGenerator<never, string> {
        throw new Error("inside");
      },
    });
    const client = await open({
      prompts: [odd],
      report() {
        throw new Error("the log is full");
      },
    });

    expect(await client.request("prompts/get", { name: "odd" })).toMatchObject({ error: { code: -32603 } });
    await assertAlive(client);
  });

  it(verifies("B2", "drops the second answer to a question"), async () => {
    const client = await open();
    const id = client.begin("tools/call", callOf("greet"));
    const question = await client.receive();

    await client.accept(question, "Ada");
    await client.accept(question, "Bob");

    expect(textOf(await client.answerTo(id))).toBe("Hello, Ada");
    await assertAlive(client);
  });

  it(
    verifies("B2", "cancels a question whose time is over, and drops an answer that comes late"),
    async () => {
      const clock = testClock();
      const client = await open({ clock, askTimeout: "10s" });
      const id = client.begin("tools/call", callOf("greet"));
      const question = await client.receive();

      await clock.advance("10s");

      const cancelled = await client.receive("notifications/cancelled");
      expect(cancelled.params).toMatchObject({ requestId: question.id });
      expect((await client.answerTo(id)).result?.["isError"]).toBe(true);
      await client.accept(question, "Ada");
      await assertAlive(client);
      expect(client.messages.all).toHaveLength(5);
    },
  );

  it("drops an answer to another client's question", async () => {
    const client = await open();
    const other = await stage.connect();
    await other.initialize();
    const id = client.begin("tools/call", callOf("greet"));
    const question = await client.receive();

    await other.accept(question, "Mallory");
    await assertAlive(other);

    await client.accept(question, "Ada");
    expect(textOf(await client.answerTo(id))).toBe("Hello, Ada");
  });

  it(
    verifies("B8", "cancels the open question when the call is cancelled, and does not answer it"),
    async () => {
      const witness = new Witness();
      const client = await open({ tools: [echo, witnessed(witness)] });
      const id = client.begin("tools/call", callOf("witnessed"));
      const question = await client.receive();

      await client.notify("notifications/cancelled", { requestId: id, reason: "changed my mind" });

      const cancelled = await client.receive("notifications/cancelled");
      expect(cancelled.params).toMatchObject({ requestId: question.id });
      await witness.afterEnd();
      await client.accept(question, "too late");
      await assertAlive(client);
      expect(client.messages.all.filter((message) => (message as Message).id === id)).toEqual([]);
    },
  );

  it("gives the id of a cancelled call to the next, and mixes up neither", async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const witness = new Witness();
    const slow = tool({
      name: "slow",
      async *run() {
        try {
          yield* ask.text("Name?");
        } finally {
          await held;
          witness.end("slow");
        }
      },
    });
    const client = await open({ tools: [echo, greet, slow] });
    const call = (name: string): Promise<void> =>
      client.send({ jsonrpc: "2.0", id: "same", method: "tools/call", params: callOf(name) });
    void call("slow");
    await client.receive();
    await client.notify("notifications/cancelled", { requestId: "same" });
    await client.receive("notifications/cancelled");

    void call("greet");
    const question = await client.receive();
    release();
    await witness.afterEnd();
    await client.accept(question, "Ada");

    expect(textOf(await client.answerTo("same"))).toBe("Hello, Ada");
  });

  it("gives no completions under the names that every object inherits", async () => {
    const plain = prompt({
      name: "plain",
      arguments: { a: {} },
      async *run() {
        return "x";
      },
    });
    const page = resource({
      uri: "page://{number}",
      complete: { number: () => ["1"] },
      async *run({ number }) {
        return number;
      },
    });
    const client = await open({ prompts: [plain], resources: [page] });
    const complete = (ref: Fields, name: string): Promise<Message> =>
      client.request("completion/complete", { ref, argument: { name, value: "typed" } });

    for (const name of ["a", "constructor", "__proto__", "toString"]) {
      const none = { result: { completion: { values: [], total: 0, hasMore: false } } };
      expect(await complete({ type: "ref/prompt", name: "plain" }, name)).toMatchObject(none);
      expect(await complete({ type: "ref/resource", uri: "page://{number}" }, name)).toMatchObject(none);
    }
  });
});

describe.each(Object.entries(transports))("batches over %s", (_, set) => {
  let stage: TestServer;

  async function open(revision: string, tools = [echo, greet]): Promise<RawClient> {
    stage = await set({ tools });
    const client = await stage.connect();
    await client.initialize(revision);
    return client;
  }
  const ping = (id: number | string): object => ({ jsonrpc: "2.0", id, method: "ping" });
  const batch = (client: RawClient): Promise<readonly Message[]> =>
    client.messages.next((message) => Array.isArray(message)) as Promise<unknown> as Promise<
      readonly Message[]
    >;
  const byId = (responses: readonly Message[]): object =>
    Object.fromEntries(responses.map((one) => [String(one.id ?? "none"), one.error?.code ?? "ok"]));

  it("are answered in one on 2025-03-26, whatever is in them", async () => {
    const client = await open("2025-03-26");

    void client.send([ping(100), 7, ping("b"), { jsonrpc: "2.0", method: "notifications/x" }, { id: 9 }, []]);

    const responses = await batch(client);
    expect(responses).toHaveLength(5);
    expect(byId(responses)).toEqual({ "100": "ok", b: "ok", "9": -32600, none: -32600 });
    expect(await client.request("ping")).toMatchObject({ result: {} });
  });

  it("may ask, and are answered when everything in them has ended", async () => {
    const client = await open("2025-03-26");

    void client.send([
      { jsonrpc: "2.0", id: "call", method: "tools/call", params: callOf("greet") },
      ping("quick"),
    ]);
    // A client of 2025-03-26 that declares elicitation is asked.
    const question = await client.receive();
    await client.accept(question, "Ada");

    const responses = await batch(client);
    expect(byId(responses)).toEqual({ call: "ok", quick: "ok" });
  });

  it("of notifications and answers alone are answered with nothing", async () => {
    const client = await open("2025-03-26");

    await client.send([
      { jsonrpc: "2.0", method: "notifications/x" },
      { jsonrpc: "2.0", id: "nobody", result: {} },
    ]);

    expect(await client.request("ping")).toMatchObject({ result: {} });
    expect(client.messages.all).toHaveLength(2);
  });

  it("leave out a call that is cancelled, and answer the rest", async () => {
    const client = await open("2025-03-26");
    const call = (id: string): object => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: callOf("greet"),
    });
    void client.send([call("one"), call("two"), { nonsense: true }]);
    const questions = [await client.receive(), await client.receive()];

    await client.notify("notifications/cancelled", { requestId: "one" });
    const cancelled = await client.receive("notifications/cancelled");
    const left = questions.find(({ id }) => id !== cancelled.params?.["requestId"]);
    await client.accept(left ?? {}, "Ada");

    expect(byId(await batch(client))).toEqual({ two: "ok", none: -32600 });
    expect(await client.request("ping")).toMatchObject({ result: {} });
  });

  it("send no response to a response that is no answer", async () => {
    const client = await open("2025-03-26");
    const id = client.begin("tools/call", callOf("greet"));
    const question = await client.receive();

    void client.send([{ jsonrpc: "2.0", id: question.id, result: { action: "shrug" } }, ping("p")]);

    expect(byId(await batch(client))).toEqual({ p: "ok" });
    expect(textOf(await client.answerTo(id))).toContain("cannot be asked");
  });

  it("that are empty are refused", async () => {
    const client = await open("2025-03-26");

    await client.send([]);

    expect(await client.refusal()).toMatchObject({ error: { code: -32600 } });
    expect(await client.request("ping")).toMatchObject({ result: {} });
  });

  it("that are longer than 1,000 messages are refused", async () => {
    const client = await open("2025-03-26");

    await client.send(Array.from({ length: 1001 }, () => 7));

    expect(await client.refusal()).toMatchObject({ error: { code: -31001 } });
    expect(await client.request("ping")).toMatchObject({ result: {} });
  });

  it.each(["2024-11-05", "2025-06-18", "2025-11-25"])(
    "are refused on %s, and its ids are free",
    async (revision) => {
      const client = await open(revision);

      await client.send([
        { jsonrpc: "2.0", id: "a", method: "tools/call", params: callOf("echo") },
        { jsonrpc: "2.0", id: "b", method: "ping" },
      ]);

      expect(await client.refusal()).toMatchObject({ error: { code: -32600 } });
      void client.send({ jsonrpc: "2.0", id: "a", method: "ping" });
      expect(await client.answerTo("a")).toMatchObject({ result: {} });
    },
  );
});
