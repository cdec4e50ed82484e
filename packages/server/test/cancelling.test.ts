import { emit, prompt, tool, type Prompt, type StandardSchema } from "@photon/core";
import { testClock } from "@photon/core/testing";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { createServer, type Message } from "../src/index.ts";
import { OutgoingRequests } from "../src/jsonrpc/outgoing-requests.ts";
import { transports } from "./wire/servers.ts";
import { type Fields, type Message as RawMessage, isResponseTo } from "../../../test/clients/messages.ts";
import { type RawClient, callOf, textOf } from "../../../test/clients/raw-client.ts";
import { echo, greet } from "./wire/tools.ts";

/** A prompt whose completer waits: it says when it was asked, and answers when it is let. */
function hesitant(): {
  readonly letter: Prompt<never>;
  readonly asked: Promise<void>;
  readonly answer: (values: readonly string[]) => void;
} {
  let ask = (): void => {};
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  let answer: (values: readonly string[]) => void = () => {};
  const answered = new Promise<readonly string[]>((resolve) => {
    answer = resolve;
  });
  const letter = prompt({
    name: "letter",
    arguments: {
      to: {
        complete() {
          ask();
          return answered;
        },
      },
    },
    async *run() {
      return "Dear";
    },
  });
  return { letter, asked, answer };
}

const completion: Fields = {
  ref: { type: "ref/prompt", name: "letter" },
  argument: { name: "to", value: "A" },
};

describe.each(Object.entries(transports))("cancelling over %s", (_, set) => {
  async function open(options: Parameters<typeof set>[0]): Promise<RawClient> {
    const client = await (await set({ grace: "50ms", ...options })).connect();
    await client.initialize();
    return client;
  }
  const ask = (client: RawClient, id: string, method: string, params: Fields): Promise<void> =>
    client.send({ jsonrpc: "2.0", id, method, params });
  const answersTo = (client: RawClient, id: string): readonly unknown[] =>
    client.messages.all.filter((message) => isResponseTo(id)(message as RawMessage));

  it("ends a completion that hangs, gives it no answer, and frees its id", async () => {
    const { letter, asked, answer } = hesitant();
    const client = await open({ tools: [echo], prompts: [letter] });
    const taken = ask(client, "same", "completion/complete", completion);
    await asked;

    await client.notify("notifications/cancelled", { requestId: "same" });
    // Over Streamable HTTP this is the end of the response.
    await taken;
    void ask(client, "same", "tools/call", callOf("echo", { text: "mine" }));

    expect(textOf(await client.answerTo("same"))).toBe("mine");
    answer(["Ada"]);
    expect(await client.request("ping")).toHaveProperty("result");
    expect(answersTo(client, "same")).toHaveLength(1);
  });

  it("ends the stream of the call at once, however long its body takes to end", async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const stubborn = tool({
      name: "stubborn",
      async *run() {
        try {
          yield { ask: "text", message: "Name?" };
        } finally {
          await held;
          yield emit.log("info", "too late to be heard");
        }
      },
    });
    const client = await open({ tools: [greet, stubborn], grace: "1m" });
    void ask(client, "same", "tools/call", callOf("stubborn", {}, { progressToken: 1 }));
    const first = await client.receive();

    await client.notify("notifications/cancelled", { requestId: "same" });
    void ask(client, "same", "tools/call", callOf("greet"));

    const second = await client.receive();
    release();
    await client.accept(second, "Ada");
    expect(textOf(await client.answerTo("same"))).toBe("Hello, Ada");
    expect((await client.receive("notifications/cancelled")).params).toMatchObject({ requestId: first.id });
    expect(client.messages.all).not.toContainEqual(
      expect.objectContaining({ method: "notifications/message" }),
    );
  });

  it("is not needed for a session to be closed while a completion hangs", async () => {
    const { letter, asked } = hesitant();
    const stage = await set({ prompts: [letter], grace: "50ms" });
    const client = await stage.connect();
    await client.initialize();
    void ask(client, "never", "completion/complete", completion);
    await asked;

    await stage.server.close();

    expect(stage.server.sessions).toBe(0);
  });
});

it("an initialize is answered, whoever cancels it", async () => {
  const client = await (await transports.stdio({ tools: [echo] })).connect();
  const params = { protocolVersion: "2025-11-25", capabilities: {} };
  const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params };
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };

  // Both in one piece: the second is read before the first is answered.
  await client.sendText(`${JSON.stringify(initialize)}\n${JSON.stringify(cancelled)}`);

  expect(await client.answerTo(1)).toHaveProperty("result.protocolVersion");
  expect(textOf(await client.callTool("echo", { text: "open" }))).toBe("open");
});

it("a list is not answered where it is cancelled in time", async () => {
  const client = await (await transports.stdio({ tools: [echo] })).connect();
  await client.initialize();
  const list = { jsonrpc: "2.0", id: "list", method: "tools/list" };
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "list" } };

  await client.sendText(`${JSON.stringify(list)}\n${JSON.stringify(cancelled)}`);

  expect(await client.request("ping")).toHaveProperty("result");
  expect(client.messages.all.filter((message) => (message as RawMessage).id === "list")).toEqual([]);
});

describe("closing a session", () => {
  it("waits for the answer of a call whose body has ended, and whose result is still looked at", async () => {
    let pass = (): void => {};
    const looking = new Promise<void>((resolve) => {
      pass = resolve;
    });
    let look = (): void => {};
    const looked = new Promise<void>((resolve) => {
      look = resolve;
    });
    const json = { type: "object", properties: { sum: { type: "number" } } };
    const slow: StandardSchema<{ sum: number }> = {
      "~standard": {
        version: 1,
        vendor: "slow",
        async validate(value) {
          look();
          await looking;
          return { value: value as { sum: number } };
        },
        jsonSchema: { input: () => json, output: () => json },
      },
    };
    const add = tool({
      name: "add",
      output: slow,
      async *run() {
        return { sum: 3 };
      },
    });
    const sent: unknown[] = [];
    const server = createServer({ tools: [add] });
    const line = server.open({
      mayMergeReads: false,
      send: (message: Message | readonly Message[]) => void sent.push(message),
      close() {},
    });
    const params = { protocolVersion: "2025-11-25", capabilities: {} };
    line.receive({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    line.receive({ jsonrpc: "2.0", id: 2, method: "tools/call", params: callOf("add") });
    await looked;

    const closed = line.close();
    setImmediate(() => setImmediate(pass));
    await closed;

    expect(sent).toContainEqual(
      expect.objectContaining({ id: 2, result: expect.objectContaining({ structuredContent: { sum: 3 } }) }),
    );
  });
});

describe("requests to a client", () => {
  it("that are taken back say so, and are cancelled on the wire", () => {
    const sent: object[] = [];
    const requests = new OutgoingRequests({ send: (message) => void sent.push(message) });
    const ended: unknown[] = [];
    const handler = {
      countsAsQuestion: true,
      onResult: (result: unknown) => void ended.push(result),
      onError: (error: unknown) => void ended.push(error),
    };
    requests.send({ id: "a", method: "roots/list" }, handler);

    requests.cancel({ id: "a" });
    requests.resolve({ jsonrpc: "2.0", id: "a", result: { roots: [] } });

    expect(sent[1]).toMatchObject({ method: "notifications/cancelled", params: { requestId: "a" } });
    expect(requests.size).toBe(0);
    expect(ended).toEqual([]);
  });

  it(verifies("B8", "count no pings among the questions that are open"), async () => {
    const busy = tool({
      name: "busy",
      async *run() {
        yield emit.status("working");
        return "done";
      },
    });
    const stage = await transports.stdio({
      tools: [busy, greet],
      limits: { asksPerSession: 1 },
      clock: testClock(),
    });
    const client = await stage.connect();
    await client.initialize();
    const id = client.begin("tools/call", callOf("busy", {}, { progressToken: 1 }));
    const ping = await client.receive("ping");

    const greeted = client.begin("tools/call", callOf("greet"));

    await client.accept(await client.receive(), "Ada");
    expect(textOf(await client.answerTo(greeted))).toBe("Hello, Ada");
    await client.reply(ping, {});
    expect(textOf(await client.answerTo(id))).toBe("done");
  });
});
