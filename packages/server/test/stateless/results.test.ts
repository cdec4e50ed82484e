/** The results and methods of 2026-07-28. */
import { ask, prompt, resource, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { serveStateless, statelessTransports } from "../wire/servers.ts";
import type { Fields } from "../../../../test/clients/messages.ts";
import { META, MODERN, codeIn } from "../../../../test/clients/raw-client.ts";
import { echo, greet } from "../wire/tools.ts";

const greeting = prompt({
  name: "greeting",
  arguments: { mood: { complete: () => ["calm", "merry"] } },
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
const page = resource({
  uri: "page://{number}",
  async *run({ number }) {
    return yield* ask.text(`What is on page ${number}?`);
  },
});
const all = { tools: [greet, echo], prompts: [greeting], resources: [page, note] };

const lists = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];

describe("every result", () => {
  const requests: readonly (readonly [string, Fields])[] = [
    ["server/discover", {}],
    ...lists.map((method) => [method, {}] as const),
    ["tools/call", { name: "echo", arguments: { text: "hi" } }],
    ["tools/call", { name: "echo", arguments: { text: 7 } }],
    ["prompts/get", { name: "greeting" }],
    ["resources/read", { uri: "note://today" }],
    [
      "completion/complete",
      { ref: { type: "ref/prompt", name: "greeting" }, argument: { name: "mood", value: "" } },
    ],
  ];

  describe.each(Object.entries(statelessTransports))("over %s", (_, set) => {
    it(verifies("C5", "says that it is complete, and who gave it"), async () => {
      const client = await (
        await set({ ...all, name: "house", version: "3.1", title: "The house" })
      ).connect();

      for (const [method, params] of requests) {
        const { answer } = await client.request(method, params);
        expect(answer.result).toMatchObject({
          resultType: "complete",
          _meta: { [META.serverInfo]: { name: "house", version: "3.1", title: "The house" } },
        });
      }
    });

    it(verifies("C5", "that asks says so, has questions and a state, and is not to be kept"), async () => {
      const client = await (await set(all)).connect();

      for (const [method, params] of [
        ["tools/call", { name: "greet", arguments: {} }],
        ["resources/read", { uri: "page://7" }],
      ] as const) {
        const { answer } = await client.request(method, params);
        expect(Object.keys(answer.result ?? {}).toSorted()).toEqual([
          "_meta",
          "inputRequests",
          "requestState",
          "resultType",
        ]);
        expect(answer.result).toMatchObject({
          resultType: "input_required",
          inputRequests: { "ask-1": { method: "elicitation/create" } },
          requestState: expect.stringMatching(/^[\w-]+$/),
          _meta: { [META.serverInfo]: { name: "photon" } },
        });
      }
    });
  });

  it(verifies("C5", "that may be kept says for how long, and by whom; none other does"), async () => {
    const { client } = await serveStateless({ ...all, cacheFor: "1m" });
    const kept = async (method: string, params?: Fields): Promise<unknown> => {
      const { result = {} } = (await client.request(method, params)).answer;
      return [result["ttlMs"], result["cacheScope"]];
    };

    for (const method of ["server/discover", ...lists.filter((one) => one !== "tools/list")])
      expect(await kept(method)).toEqual([60_000, "public"]);
    // Clients that take only so many rounds of questions in one call are listed a tool that others are not.
    expect(await kept("tools/list")).toEqual([60_000, "private"]);
    expect(await kept("resources/read", { uri: "note://today" })).toEqual([0, "private"]);
    const asked = await client.request("resources/read", { uri: "page://7" });
    const read = await client.accept(asked, { "ask-1": "text" });
    expect(read.answer.result).toMatchObject({
      ttlMs: 0,
      cacheScope: "private",
      contents: [{ text: "text" }],
    });
    expect(await kept("tools/call", { name: "echo", arguments: {} })).toEqual([undefined, undefined]);
    expect(await kept("prompts/get", { name: "greeting" })).toEqual([undefined, undefined]);
  });

  it("may be kept for no time at all, unless the server says otherwise", async () => {
    const { client } = await serveStateless(all);

    const { answer } = await client.request("tools/list");

    expect(answer.result).toMatchObject({ ttlMs: 0 });
  });
});

describe("the discovery", () => {
  it(verifies("C5", "says which revisions there are, what the server can do, and what to know"), async () => {
    const { client } = await serveStateless({ ...all, instructions: "Ask nicely." });

    const { answer, status } = await client.request("server/discover", {}, { can: {} });

    expect(status).toBe(200);
    expect(answer.result).toEqual({
      resultType: "complete",
      supportedVersions: [MODERN],
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        logging: {},
        completions: {},
      },
      instructions: "Ask nicely.",
      ttlMs: 0,
      cacheScope: "public",
      _meta: { [META.serverInfo]: { name: "photon", version: "0.1.0" } },
    });
  });
});

describe("a list", () => {
  it(verifies("C5", "is in the same order every time, however its entries were given"), async () => {
    const names = ["zebra", "Alpha", "beta", "alpha", "_x", "10", "9"];
    const toolOf = (name: string): ReturnType<typeof tool> =>
      tool({
        name,
        async *run() {
          return name;
        },
      });
    const listed = async (order: readonly string[]): Promise<readonly unknown[]> => {
      const { client } = await serveStateless({
        tools: order.map(toolOf),
        limits: { roundsPerCall: Infinity },
      });
      const answers = [await client.request("tools/list"), await client.request("tools/list")];
      const [once, again] = answers.map(({ answer }) => answer.result?.["tools"] as readonly Fields[]);
      expect(again).toEqual(once);
      return (once ?? []).map(({ name }) => name);
    };

    const forward = await listed(names);
    const backward = await listed(names.toReversed());

    expect(forward).toEqual(["10", "9", "Alpha", "_x", "alpha", "beta", "zebra"]);
    expect(backward).toEqual(forward);
  });
});

describe("a method", () => {
  const removed = ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];
  const unknown = ["unknown/method", "", "toString", "__proto__", "constructor", "notifications/initialized"];

  describe.each(Object.entries(statelessTransports))("over %s", (_, set) => {
    it.each([...removed, ...unknown])(
      verifies("C5", "that there is not is -32601, and 404 over HTTP: %j"),
      async (method) => {
        const client = await (await set(all)).connect();

        const received = await client.request(method, { uri: "note://today", level: "info" }, { id: "gone" });

        expect(received.answer).toMatchObject({ id: "gone", error: { code: -32601 } });
        expect(received.status ?? 404).toBe(404);
      },
    );
  });
});

describe("what is not there", () => {
  it.each(Object.entries(statelessTransports))(
    verifies("C5", "is -32602 over %s; for a resource with its address, and nothing else"),
    async (_, set) => {
      const client = await (await set(all)).connect();

      const { answer } = await client.request("resources/read", { uri: "note://tomorrow" });

      expect(answer.error).toMatchObject({ code: -32602, data: { uri: "note://tomorrow" } });
      expect(Object.keys(answer.error?.data as Fields)).toEqual(["uri"]);
      expect(codeIn(await client.call("nobody"))).toBe(-32602);
      expect(codeIn(await client.request("prompts/get", { name: "nobody" }))).toBe(-32602);
      expect(codeIn(await client.request("tools/call", { arguments: {} }))).toBe(-32602);
      expect(codeIn(await client.request("tools/list", { cursor: "more" }))).toBe(-32602);
    },
  );
});
