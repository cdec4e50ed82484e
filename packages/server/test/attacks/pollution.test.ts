/** Names that every object knows, as names in what a client sends: they are names like any others. */
import { ask, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { eras, runIn } from "../handover/model.ts";
import { statelessTransports, transports } from "../wire/servers.ts";
import { callOf, textOf } from "../../../../test/clients/raw-client.ts";

const EVIL = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"prototype":1}';

const mirror = tool({
  name: "mirror",
  input: {
    type: "object",
    properties: { given: { type: "object" }, filled: { type: "object", properties: { a: { default: 1 } } } },
  },
  async *run({ given, filled }) {
    const answer = yield* ask.form("Which?", {
      a: ask.optional(ask.text("A")),
      b: ask.optional(ask.text("B")),
    });
    const seen = [given, filled, answer].map((one) => (one as { polluted?: unknown } | undefined)?.polluted);
    return { seen: seen.map((one) => one === undefined), keys: Object.keys(answer) };
  },
});

/** The same of an answer, which holds nothing but texts and the like. */
const EVIL_ANSWER = '{"__proto__":"polluted","constructor":"polluted","toString":"polluted"}';

/** The same message, with evil in the place of each mark. */
const serialize = (message: unknown): string =>
  JSON.stringify(message).replaceAll('"EVIL"', EVIL).replaceAll('"EVIL ANSWER"', EVIL_ANSWER);

const isPolluted = (): boolean => "polluted" in {};

describe("__proto__ and constructor", () => {
  it.each(Object.entries(transports))("change nothing over %s", async (_, set) => {
    const { connect } = await set({ tools: [mirror] });
    const client = await connect();
    await client.initialize();
    void client.sendText(
      serialize({
        jsonrpc: "2.0",
        id: "call",
        method: "tools/call",
        params: callOf("mirror", { given: "EVIL", filled: "EVIL" }),
      }),
    );
    const question = await client.receive();

    void client.sendText(
      serialize({ jsonrpc: "2.0", id: question.id, result: { action: "accept", content: "EVIL ANSWER" } }),
    );

    const seen = { seen: [true, true, true], keys: [] };
    expect(JSON.parse(textOf(await client.answerTo("call")))).toEqual(seen);
    expect(isPolluted()).toBe(false);
  });

  it.each(Object.entries(statelessTransports))("change nothing in 2026-07-28 over %s", async (_, set) => {
    const { connect } = await set({ tools: [mirror] });
    const client = await connect();
    const asked = await client.call("mirror", { given: "EVIL", filled: "EVIL" }, { serialize });

    const responses = { "ask-1": { action: "accept", content: "EVIL ANSWER" } };
    const { answer } = await client.retry(asked, responses, { serialize });

    expect(JSON.parse(textOf(answer))).toEqual({ seen: [true, true, true], keys: [] });
    expect(isPolluted()).toBe(false);
  });

  it.each(Object.entries(eras))("change nothing in what a model passes on, in %s", async (_, meet) => {
    const { model } = await meet({ tools: [mirror], whenUnsupported: "relay" });
    const { call } = await model();
    const handed = await call("mirror");
    const answer: unknown = JSON.parse(EVIL_ANSWER);

    const refused = await call("photon_answer", { run: "__proto__", answer });
    const done = await call("photon_answer", { run: runIn(handed), answer });

    expect(refused.text).toContain("No call waits under that run");
    expect(JSON.parse(done.text)).toEqual({ seen: [true, true, true], keys: [] });
    expect(isPolluted()).toBe(false);
  });

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "are no tool, no method and no key: %s",
    async (name) => {
      const { connect } = await transports.websocket({ tools: [mirror] });
      const client = await connect();
      await client.initialize();

      expect((await client.callTool(name)).error?.code).toBe(-32602);
      expect((await client.request(name)).error?.code).toBe(-32601);
      expect((await client.request("prompts/get", { name })).error?.code).toBe(-32602);
    },
  );
});
