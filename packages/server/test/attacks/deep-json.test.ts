/** JSON that is nested deeper than any stack: whoever sends it is told so, and nobody else notices. */
import { tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { statelessTransports, transports } from "../wire/servers.ts";
import type { Fields } from "../../../../test/clients/messages.ts";
import { META, callOf, textOf } from "../../../../test/clients/raw-client.ts";
import { echo, greet } from "../wire/tools.ts";

const DEEP = 25_000;
/** Stands where the deep value goes: no client could spell it otherwise. */
const HERE = "put it here";

const deep = {
  lists: "[".repeat(DEEP) + "]".repeat(DEEP),
  objects: `${'{"a":'.repeat(DEEP)}0${"}".repeat(DEEP)}`,
};

const spelled = (message: unknown, kind: keyof typeof deep): string =>
  JSON.stringify(message).replace(JSON.stringify(HERE), () => deep[kind]);

/** Takes anything. */
const anything = tool({
  name: "anything",
  input: { type: "object", properties: { value: {}, list: { type: "array", uniqueItems: true } } },
  async *run() {
    return "taken";
  },
});

/** Gives back what it is given. */
const mirror = tool({
  name: "mirror",
  input: { type: "object" },
  async *run(input) {
    return input;
  },
});

const options = { tools: [echo, greet, anything, mirror], report() {} };

const requests: readonly (readonly [string, string, unknown])[] = [
  ["the params", "ping", HERE],
  ["a field of the params", "tools/list", { more: HERE }],
  ["the name of a tool", "tools/call", { name: HERE }],
  ["the arguments", "tools/call", { name: "echo", arguments: HERE }],
  ["an argument of another type", "tools/call", callOf("echo", { text: HERE })],
  ["an argument that may be anything", "tools/call", callOf("anything", { value: HERE })],
  ["a list of things that must differ", "tools/call", callOf("anything", { list: [HERE, HERE] })],
  ["an argument that comes back", "tools/call", callOf("mirror", { value: HERE })],
  ["the metadata", "tools/call", { ...callOf("echo"), _meta: { progressToken: HERE } }],
  ["a completion", "completion/complete", { ref: HERE, argument: HERE }],
];

describe.each(Object.entries(transports))("JSON nested 25,000 deep over %s", (_, set) => {
  it.each(["lists", "objects"] as const)("is answered wherever it stands: %s", async (kind) => {
    const { connect } = await set(options);
    const client = await connect();
    await client.initialize();
    for (const [where, method, params] of requests) {
      const id = `deep ${where}`;
      void client.sendText(spelled({ jsonrpc: "2.0", id, method, params }, kind));
      expect([where, textOf(await client.answerTo(id))]).toEqual([where, expect.stringMatching(/^-32600: /)]);
    }
    void client.sendText(deep[kind]);
    await client.refusal();

    expect(textOf(await client.callTool("echo", { text: "still there" }))).toBe("still there");
  });

  it("is refused from 501 levels on, the message itself being the first", async () => {
    const { connect } = await set(options);
    const client = await connect();
    await client.initialize();
    const ping = (id: string, levels: number): void => {
      // The message and its params are two of them.
      const lists = "[".repeat(levels - 2) + "]".repeat(levels - 2);
      void client.sendText(`{"jsonrpc":"2.0","id":"${id}","method":"ping","params":{"more":${lists}}}`);
    };

    ping("deepest", 500);
    ping("too deep", 501);

    expect((await client.answerTo("deepest")).result).toEqual({});
    expect(textOf(await client.answerTo("too deep"))).toBe(
      "-32600: Invalid message: a message is nested at most 500 levels deep.",
    );
  });

  it("is no answer to a question, which can be answered afterwards", async () => {
    const { connect } = await set(options);
    const client = await connect();
    await client.initialize();
    const call = client.begin("tools/call", callOf("greet"));
    const question = await client.receive();
    const answer = {
      jsonrpc: "2.0",
      id: question.id,
      result: { action: "accept", content: { value: HERE } },
    };

    void client.sendText(spelled(answer, "objects"));
    await client.refusal();
    await client.accept(question, "Ada");

    expect(textOf(await client.answerTo(call))).toBe("Hello, Ada");
  });
});

describe.each(Object.entries(statelessTransports))(
  "JSON nested 25,000 deep in 2026-07-28 over %s",
  (_, set) => {
    it("is answered wherever it stands", async () => {
      const { connect } = await set(options);
      const client = await connect();
      const serialize = (message: unknown): string => spelled(message, "lists");
      for (const [where, method, params] of requests) {
        if (typeof params !== "object" || where === "the name of a tool") continue;
        const { answer } = await client.request(method, params as Fields, { serialize });
        expect([where, answer.error?.code]).toEqual([where, -32600]);
      }
      const asked = await client.call("greet");
      for (const responses of [
        HERE,
        { "ask-1": HERE },
        { "ask-1": { action: "accept", content: { value: HERE } } },
      ]) {
        const { answer } = await client.retry(asked, responses, { serialize });
        expect(answer.error?.code).toBe(-32600);
      }
      const { answer } = await client.request(
        "tools/list",
        {},
        { meta: { [META.capabilities]: HERE }, serialize },
      );
      expect(answer.error?.code).toBe(-32600);

      expect(textOf((await client.call("echo", { text: "still there" })).answer)).toBe("still there");
    });
  },
);
