/** The `_meta` of a request of 2026-07-28. */
import { emit, logLevels, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { serveStateless, statelessTransports } from "../wire/servers.ts";
import type { Fields, Message } from "../../../../test/clients/messages.ts";
import { META, MODERN, codeIn, textOf } from "../../../../test/clients/raw-client.ts";
import { echo } from "../wire/tools.ts";

const whole: Fields = { [META.version]: MODERN, [META.capabilities]: {} };
const without = (name: string): Fields => ({ ...whole, [name]: undefined });
const list = (id: Message["id"], _meta?: Fields): Message => ({
  jsonrpc: "2.0",
  id: id ?? 1,
  method: "tools/list",
  params: _meta === undefined ? {} : { _meta },
});

describe("the envelope of a request", () => {
  it.each<[string, Fields | undefined]>([
    ["all of it", undefined],
    ["the version", without(META.version)],
    ["what the client can do", without(META.capabilities)],
    ["what the client can do, which is a list", { ...whole, [META.capabilities]: [] }],
    ["what the client can do, which is null", { ...whole, [META.capabilities]: null }],
    ["a version that is a text", { ...whole, [META.version]: 20_260_728 }],
  ])(verifies("C5", "is refused with -32602 and 400 where it lacks %s"), async (_, meta) => {
    const { client } = await serveStateless({ tools: [echo] });

    const { status, answer } = await client.send(list("seven", meta));

    expect(status).toBe(400);
    expect(answer).toMatchObject({ jsonrpc: "2.0", id: "seven", error: { code: -32602 } });
    expect(answer.error?.message).toMatch(/^The _meta of the request is invalid: .+\.$/);
  });

  it("has params: a request without any is refused, too", async () => {
    const { client } = await serveStateless({ tools: [echo] });

    const { status, answer } = await client.send({ jsonrpc: "2.0", id: 1, method: "tools/list" });

    expect(status).toBe(400);
    expect(answer).toMatchObject({ id: 1, error: { code: -32602 } });
  });

  it(verifies("C5", "need not say who the client is"), async () => {
    const who = tool({
      name: "who",
      async *run(_, { client }) {
        return { name: client.name, version: client.version };
      },
    });
    const { client } = await serveStateless({ tools: [who] });

    const nobody = await client.call("who", {}, { meta: { [META.clientInfo]: undefined } });
    const nonsense = await client.call("who", {}, { meta: { [META.clientInfo]: "somebody" } });
    const raw = await client.call("who");

    expect(nobody.answer.result?.["structuredContent"]).toEqual({ name: "", version: "" });
    expect(nonsense.answer.result?.["structuredContent"]).toEqual({ name: "", version: "" });
    expect(raw.answer.result?.["structuredContent"]).toEqual({ name: "raw", version: "1" });
  });

  describe.each(Object.entries(statelessTransports))("over %s", (_, set) => {
    it.each(["2027-01-01", "2025-11-25", ""])(
      verifies("C5", "of revision %j is refused with -32022, which says what there is"),
      async (version) => {
        const client = await (await set({ tools: [echo] })).connect();
        const meta = { ...whole, [META.version]: version };

        const { status, answer } = await client.send(list(3, meta), { "mcp-protocol-version": version });

        expect(answer).toMatchObject({
          id: 3,
          error: { code: -32022, data: { supported: [MODERN], requested: version } },
        });
        expect(status ?? 400).toBe(400);
        const discovered = await client.request("server/discover");
        expect(discovered.answer.result?.["supportedVersions"]).toEqual([MODERN]);
      },
    );

    it("is answered under its own id, be that 0, a text, or nothing to look at", async () => {
      const client = await (await set({ tools: [echo] })).connect();

      for (const id of [0, "", "zero", -1, 2 ** 53 - 1]) {
        const good = await client.call("echo", { text: "hi" }, { id });
        const bad = await client.call("nothing", {}, { id });

        expect(good.answer.id).toBe(id);
        expect(textOf(good.answer)).toBe("hi");
        expect(bad.answer).toMatchObject({ id, error: { code: -32602 } });
      }
    });

    it("has a progress token that is a text or a whole number, 0 as well", async () => {
      const telling = tool({
        name: "telling",
        async *run() {
          yield emit.status("Here");
          return "done";
        },
      });
      const client = await (await set({ tools: [telling] })).connect();

      for (const progressToken of [0, "", "token", 7]) {
        const { told } = await client.call("telling", {}, { meta: { progressToken } });
        expect(told.map(({ params }) => params?.["progressToken"])).toEqual([progressToken]);
      }
      for (const progressToken of [1.5, null, {}, true]) {
        const received = await client.call("telling", {}, { meta: { progressToken } });
        expect(codeIn(received)).toBe(-32602);
      }
      const silent = await client.call("telling");
      expect(silent.told).toEqual([]);
    });
  });

  it.each(["loud", "", 3, null, "INFO"])(
    verifies("C5", "with the log level %j is refused with -32602 and 400"),
    async (level) => {
      const { client } = await serveStateless({ tools: [echo] });

      const received = await client.call("echo", {}, { meta: { [META.logLevel]: level } });

      expect(received.status).toBe(400);
      expect(codeIn(received)).toBe(-32602);
    },
  );

  it(
    verifies("C5", "says from which level on its call is logged, and nothing is logged without one"),
    async () => {
      const logging = tool({
        name: "logging",
        async *run() {
          for (const level of logLevels) yield emit.log(level, { level });
          return "done";
        },
      });
      const { client } = await serveStateless({ tools: [logging] });
      const logged = async (level: string | undefined): Promise<readonly unknown[]> => {
        const { told } = await client.call("logging", {}, { meta: { [META.logLevel]: level } });
        expect(
          told.every(
            ({ method, params }) => method === "notifications/message" && params?.["logger"] === "logging",
          ),
        ).toBe(true);
        return told.map(({ params }) => params?.["level"]);
      };

      expect(await logged(undefined)).toEqual([]);
      expect(await logged("debug")).toEqual(logLevels);
      expect(await logged("error")).toEqual(["error", "critical", "alert", "emergency"]);
      expect(await logged("emergency")).toEqual(["emergency"]);
    },
  );

  it(verifies("C5", "carries the context of a trace, which reaches the body as it is"), async () => {
    const traced = tool({
      name: "traced",
      async *run(_, { trace }) {
        return { trace: trace === undefined ? null : { ...trace } };
      },
    });
    const { client } = await serveStateless({ tools: [traced] });
    const trace = {
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      tracestate: "vendor=1",
      baggage: "user=ada",
    };
    const seen = async (meta: Fields): Promise<unknown> =>
      (await client.call("traced", {}, { meta })).answer.result?.["structuredContent"];

    expect(await seen(trace)).toEqual({ trace });
    expect(await seen({ traceparent: trace.traceparent })).toEqual({
      trace: { traceparent: trace.traceparent },
    });
    expect(await seen({})).toEqual({ trace: null });
    expect(await seen({ traceparent: 7, tracestate: "vendor=1" })).toEqual({ trace: null });
  });
});
