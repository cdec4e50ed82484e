/** Requests that are JSON and nothing sensible: each costs its sender an error, and nobody's log a line (ARCHITECTURE §4.6). */
import { ask, prompt, resource, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { statelessTransports } from "../wire/servers.ts";
import type { Fields, Message } from "../../../../test/clients/messages.ts";
import { type StatelessClient, accepted, codeIn, textOf } from "../../../../test/clients/raw-client.ts";
import { greet } from "../wire/tools.ts";

const anything = tool({
  name: "anything",
  input: { type: "object" },
  async *run() {
    return yield* ask.text("Name?");
  },
});
const greeting = prompt({
  name: "greeting",
  async *run() {
    return "Hello";
  },
});
const note = resource({
  uri: "note://today",
  async *run() {
    return "Buy milk";
  },
});

/** Puts something deeper than anybody's stack where it says so. */
const serialize = (message: Message): string =>
  JSON.stringify(message).replace('"DEEP"', `${'{"a":['.repeat(25_000)}${"]}".repeat(25_000)}`);

/** What no text can be made of. */
const untold = JSON.parse('{ "toString": null, "valueOf": null }') as Fields;

describe.each(Object.entries(statelessTransports))("over %s", (_, set) => {
  async function meet(): Promise<{
    readonly client: StatelessClient;
    readonly reported: readonly unknown[];
  }> {
    const reported: unknown[] = [];
    const stage = await set({
      tools: [greet, anything],
      prompts: [greeting],
      resources: [note],
      report: (error) => reported.push(error),
    });
    return { client: await stage.connect(), reported };
  }

  it.each<[string, string, Fields]>([
    ["a tool's name is an object", "tools/call", { name: untold }],
    ["a tool's name is a list", "tools/call", { name: ["greet"] }],
    ["a tool's name is a number", "tools/call", { name: 7, arguments: {} }],
    ["a tool has no name", "tools/call", { arguments: {} }],
    ["a prompt's name is an object", "prompts/get", { name: untold }],
    ["an address is an object", "resources/read", { uri: untold }],
    ["an address is null", "resources/read", { uri: null }],
    ["a state is an object", "tools/call", { name: "greet", requestState: untold }],
    ["a prompt's arguments are a list", "prompts/get", { name: "greeting", arguments: [] }],
  ])(verifies("C5", "a request is refused with -32602 where %s"), async (__, method, params) => {
    const { client, reported } = await meet();

    const received = await client.request(method, params);

    expect(codeIn(received)).toBe(-32602);
    expect(reported).toEqual([]);
  });

  it.each([[], "text", 7, null, true])(
    "arguments that are %j are an error of the tool's, which says so",
    async (given) => {
      const { client, reported } = await meet();

      const { answer } = await client.request("tools/call", { name: "greet", arguments: given });

      expect(answer.result ?? {}).toMatchObject(
        given === null ? { resultType: "input_required" } : { isError: true },
      );
      expect(reported).toEqual([]);
    },
  );

  it("arguments and answers that are deeper than anybody looks are refused, and others are served", async () => {
    const { client, reported } = await meet();
    const asked = await client.call("anything");

    const call = await client.call("anything", { a: "DEEP" }, { serialize });
    const retry = await client.retry(asked, { "ask-1": "DEEP" }, { serialize });
    const beside = await client.retry(
      asked,
      { ...accepted({ "ask-1": "Ada" }), other: "DEEP" },
      { serialize },
    );

    expect([call, retry, beside].map(codeIn)).toEqual([-32600, -32600, -32600]);
    expect(reported).toEqual([]);
    expect(textOf((await client.accept(asked, { "ask-1": "Ada" })).answer)).toBe("Ada");
  });
});
