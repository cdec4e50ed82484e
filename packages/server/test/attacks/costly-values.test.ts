/** Values that are small to send and long to check: by a pattern, by what must differ, by all that is wrong with them. */
import { ask, tool, type Tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { transports } from "../wire/servers.ts";
import { callOf, textOf } from "../../../../test/clients/raw-client.ts";
import { echo } from "../wire/tools.ts";

/** On each of these, matching what does not match takes longer the longer it is: by a power of two, or of the length. */
const patterns: readonly (readonly [string, string])[] = [
  ["^(a+)+$", `${"a".repeat(60)}!`],
  ["^(a|aa)+$", `${"a".repeat(120)}!`],
  ["^(a|a)*$", `${"a".repeat(60)}!`],
  ["^([a-z]{1,9}){1,40}$", `${"a".repeat(100)}!`],
  ["a+$", `${"a".repeat(400_000)}!`],
];

/** Asks for what a pattern lets through, in each way that there is. */
const matching = (pattern: string): Tool<never> =>
  tool({
    name: "matching",
    input: { type: "object", properties: { text: { type: "string", pattern } } },
    async *run() {
      yield* ask.text("Which?", { pattern });
    },
  });

describe("a pattern that would match for years", () => {
  it.each(patterns)("%s is given up on, in an argument and in an answer", async (pattern, text) => {
    const { connect } = await transports.websocket({ tools: [matching(pattern), echo] });
    const client = await connect();
    await client.initialize();

    const refused = await client.callTool("matching", { text });
    const call = client.begin("tools/call", callOf("matching"));
    await client.accept(await client.receive(), text);
    const answered = await client.answerTo(call);

    expect(textOf(refused)).toContain("takes too long to check");
    expect(textOf(answered)).toContain("takes too long to check");
    expect(textOf(await client.callTool("echo", { text: "still there" }))).toBe("still there");
  });

  it("still lets through what it matches", async () => {
    const { connect } = await transports.websocket({ tools: [matching("^(a+)+$")] });
    const client = await connect();
    await client.initialize();
    const call = client.begin("tools/call", callOf("matching", { text: "a".repeat(5000) }));

    await client.accept(await client.receive(), "aaa");

    expect((await client.answerTo(call)).result?.["isError"]).toBeUndefined();
  });
});

describe("a list of 25,000", () => {
  const lists = tool({
    name: "lists",
    input: {
      type: "object",
      properties: {
        texts: { type: "array", items: { type: "string" } },
        different: { type: "array", uniqueItems: true },
      },
    },
    async *run() {
      return yield* ask.form("Which?", { some: ask.multiselect("Some", ["a", "b"]) });
    },
  });
  const many = Array.from({ length: 25_000 }, (_, index) => `x${index}`);

  it("wrong items is refused in one sentence", async () => {
    const { connect } = await transports.websocket({ tools: [lists] });
    const client = await connect();
    await client.initialize();

    const refused = textOf(await client.callTool("lists", { texts: many.map((_, index) => index) }));

    expect(refused).toContain("texts.0 must be text");
    expect(refused.length).toBeLessThan(1000);
  });

  it("things that must differ is looked through once", async () => {
    const { connect } = await transports.websocket({ tools: [lists] });
    const client = await connect();
    await client.initialize();

    const twice = await client.callTool("lists", {
      different: [...many.map((text) => ({ text })), { text: "x0" }],
    });
    const call = client.begin("tools/call", callOf("lists", { different: many }));
    const question = await client.receive();
    await client.reply(question, { action: "accept", content: { some: many } });

    expect(textOf(twice)).toContain("different must not contain the same value twice");
    expect(textOf(await client.answerTo(call))).toContain("some.0 must be one of a, b");
  });
});

describe.each(Object.entries(transports))("over %s, a message", (_, set) => {
  const mirror = tool({
    name: "mirror",
    input: { type: "object" },
    async *run({ value }) {
      return typeof value === "string" ? value.length : "taken";
    },
  });
  const options = { tools: [mirror], limits: { messageValues: 100, messageKeys: 20 } };
  /** As clients of the SDK spell a request: its id comes last. */
  const spelled = (value: string): string =>
    `{"method":"tools/call","params":{"name":"mirror","arguments":{"value":${value}}},"jsonrpc":"2.0","id":"last"}`;

  it.each([
    ["values", `[${"[],".repeat(100)}[]]`],
    ["values", `[${" 1 ,".repeat(100)}1]`],
    ["keys", `{${Array.from({ length: 20 }, (__, index) => `"k\\"${index}":1`).join(",")}}`],
  ])("with too many %s is refused under its id, and the next is taken", async (what, value) => {
    const { connect } = await set(options);
    const client = await connect();
    await client.initialize();

    void client.sendText(spelled(value));

    expect(textOf(await client.answerTo("last"))).toMatch(new RegExp(`^-31001: .*at most \\d+ ${what}`));
    expect(textOf(await client.callTool("mirror", { value: [1] }))).toBe("taken");
  });

  it("with as many values as it may have is taken, whatever is in its texts", async () => {
    const { connect } = await set(options);
    const client = await connect();
    await client.initialize();
    const text = `\\",[{:`.repeat(1000);
    // The message, its four members, the two of params, and the one of the arguments.
    const list = Array.from({ length: 100 - 8 }, () => []);

    expect(textOf(await client.callTool("mirror", { value: text }))).toBe(String(text.length));
    void client.sendText(spelled(JSON.stringify(list)));
    expect(textOf(await client.answerTo("last"))).toBe("taken");
  });
});
