/** Whatever a server says, the page does not break: what it can make nothing of it notes, and goes on. */
import { emit, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { resultFrom } from "../src/client/result-from.ts";
import type { Result } from "../src/desk/run.ts";
import { needed, oddServer, type Asked } from "./odd-server.ts";
import { stage } from "./stage.ts";
import { ended, happened, until } from "./tab.ts";
import { onEveryWay } from "./ways.ts";

const resultOf = ({ id }: Asked, text: string): unknown => ({
  jsonrpc: "2.0",
  id,
  result: { resultType: "complete", content: [{ type: "text", text }] },
});

const isCall = ({ method }: Asked): boolean => method === "tools/call";

onEveryWay((how) => {
  it("takes what is no message for nothing", async () => {
    const tab = await oddServer(how, (asked, say) => {
      if (!isCall(asked)) return;
      say("{", "null", "[]", "7", '"text"', '{"jsonrpc":"1.0"}', '{"jsonrpc":"2.0"}', "[".repeat(50_000));
      say({ jsonrpc: "2.0", id: 99_999, result: {} }, { jsonrpc: "2.0", id: asked.id, result: 7 });
      say({ jsonrpc: "2.0", method: "notifications/of/tomorrow", params: [] });
      say({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: asked.id, progress: "much" },
      });
      say({ jsonrpc: "2.0", method: "notifications/message" });
      say(resultOf(asked, "still here"));
    });

    const run = await tab.call("odd");

    expect(await ended(run)).toEqual({ state: "done" });
    expect(happened(run, "result")).toHaveLength(1);
    const isLast = ({ text }: { readonly text: string }): boolean => text.includes("still here");
    const titles = (await until(tab.desk.wire, (all) => all.some(isLast))).map(({ title }) => title);
    expect(titles.filter((title) => title === "no message")).toHaveLength(9);
    expect(titles).toContain("an answer to nothing");
  });

  it("shows ten megabytes, and keeps only the beginning of them in the wire log", async () => {
    const text = "x".repeat(10_000_000);
    const tab = await oddServer(how, (asked, say) => {
      if (isCall(asked)) say(resultOf(asked, text));
    });

    const run = await tab.call("odd");
    await ended(run);
    const wire = await until(tab.desk.wire, (all) => all.some(({ size }) => size > text.length));

    const [entry] = happened(run, "result") as [{ readonly result: Result }];
    const [block] = entry.result.content;
    // Compared by its length: nobody wants to read what the difference is.
    expect(block?.type === "text" ? block.text.length : 0).toBe(text.length);
    expect(Math.max(...wire.map((one) => one.text.length))).toBeLessThan(20_000);
  });

  it("is not overrun by a flood", async () => {
    const tab = await oddServer(how, (asked, say) => {
      if (!isCall(asked)) return;
      const log = { level: "info", logger: "odd", data: "x".repeat(100) };
      say(
        ...Array.from({ length: 20_000 }, () => ({
          jsonrpc: "2.0",
          method: "notifications/message",
          params: log,
        })),
      );
      say(resultOf(asked, "done"));
    });

    const run = await tab.call("odd");
    await ended(run);

    expect(run.timeline.value.length).toBeLessThanOrEqual(10_001);
    expect(run.timeline.value.at(-1)).toMatchObject({ kind: "result" });
    expect(happened(run, "note")).toMatchObject([
      { message: expect.stringMatching(/^\d+ earlier/) as unknown },
    ]);
    await until(tab.desk.wireDropped, (dropped) => dropped > 10_000);
    expect(tab.desk.wire.value.length).toBeLessThanOrEqual(2000);
    tab.desk.clearWire();
    expect(tab.desk.wire.value).toEqual([]);
  });

  it("lists what is an offer among more items than a call takes arguments", async () => {
    const tools = [...Array.from({ length: 500_000 }, () => 0), { name: "last" }];
    const tab = await oddServer(
      how,
      () => {},
      (method) => (method === "tools/list" ? { tools } : needed(method)),
    );

    const offers = await until(tab.desk.offers, (all) => all.length > 0);

    expect(offers.map(({ name }) => name)).toEqual(["last"]);
  });

  it("fails a call whose answer is an error of any shape", async () => {
    const tab = await oddServer(how, (asked, say) => {
      if (isCall(asked)) say({ jsonrpc: "2.0", id: asked.id, error: { code: "much", data: { why: "?" } } });
    });

    const run = await tab.call("odd");

    expect(await ended(run)).toMatchObject({
      state: "failed",
      problem: "The server did not say what went wrong.",
    });
    expect(happened(run, "error")).toMatchObject([{ data: { why: "?" } }]);
  });
});

onEveryWay(
  (how) => {
    it("fails a call that asks for what nobody here has", async () => {
      const tab = await oddServer(how, (asked, say) => {
        const inputRequests = { folders: { method: "roots/list" } };
        if (isCall(asked))
          say({ jsonrpc: "2.0", id: asked.id, result: { resultType: "input_required", inputRequests } });
      });

      const run = await tab.call("odd");

      expect(await ended(run)).toMatchObject({
        state: "failed",
        problem: expect.stringContaining("roots/list") as unknown,
      });
    });

    it("calls again later where a server asks for nothing but that", async () => {
      const states: unknown[] = [];
      const tab = await oddServer(how, (asked, say) => {
        if (!isCall(asked)) return;
        states.push(asked.params?.["requestState"]);
        const later = { resultType: "input_required", requestState: `state-${states.length}` };
        say(states.length < 3 ? { jsonrpc: "2.0", id: asked.id, result: later } : resultOf(asked, "now"));
      });

      const run = await tab.call("odd");

      expect(await ended(run)).toEqual({ state: "done" });
      expect(states).toEqual([undefined, "state-1", "state-2"]);
    });
  },
  ["2026-07-28"],
);

onEveryWay(
  (how) => {
    it("answers a ping, and refuses what it does not have", async () => {
      const heard: Asked[] = [];
      const tab = await oddServer(how, (asked, say) => {
        if (isCall(asked)) {
          say({ jsonrpc: "2.0", id: "p", method: "ping" }, { jsonrpc: "2.0", id: "r", method: "roots/list" });
          say(resultOf(asked, "done"));
        } else heard.push(asked);
      });

      await ended(await tab.call("odd"));
      await until(
        tab.desk.wire,
        (all) => all.filter(({ title, from }) => from === "page" && /ping|roots/.test(title)).length === 2,
      );

      expect(tab.desk.wire.value).toContainEqual(
        expect.objectContaining({ title: "ping", kind: "response", from: "page" }),
      );
      expect(tab.desk.wire.value).toContainEqual(
        expect.objectContaining({ title: "roots/list", kind: "error", from: "page" }),
      );
    });
  },
  ["2025-11-25"],
);

onEveryWay((how) => {
  it("says that a server refused the greeting, and tries again", async () => {
    const refusal = { code: -32601, message: "Nobody says hello here." };
    const tab = await oddServer(
      how,
      ({ id }, say) => say({ jsonrpc: "2.0", id, error: refusal }),
      () => undefined,
    );

    const lost = await until(tab.desk.connection, ({ state }) => state === "lost");

    expect(lost).toMatchObject({ problem: "The server refused the greeting: Nobody says hello here." });
  });
});

describe("a timeline", () => {
  it("grows once per frame, however much is told", async () => {
    const talkative = tool({
      name: "talkative",
      description: "Talks",
      async *run() {
        for (let count = 0; count < 5000; count += 1) yield emit.log("info", count);
        return "Done";
      },
    });
    const frames: (() => void)[] = [];
    const { open } = await stage({ tools: [talkative] });
    const tab = open({}, { onFrame: (callback) => void frames.push(callback) });
    const run = await tab.call("talkative");
    let changes = -1;
    run.timeline.subscribe(() => (changes += 1));

    await ended(run);

    // Without a frame it is shown when it is over, and not before.
    expect(changes).toBe(1);
    expect(run.timeline.value).toHaveLength(5001);
    expect(happened(run, "log").map((entry) => (entry as { readonly data: number }).data)).toEqual(
      Array.from({ length: 5000 }, (_, count) => count),
    );
    for (const frame of frames) frame();
    expect(changes).toBe(1);
  });
});

describe("a result", () => {
  it("shows what it does not know as it is", () => {
    const odd = [
      { type: "hologram", beam: 1 },
      { type: "image" },
      "text",
      null,
      { type: "resource", resource: 7 },
    ];

    const { content } = resultFrom("tools/call", { content: odd });

    expect(content).toEqual([
      { type: "other", value: odd[0] },
      { type: "other", value: odd[1] },
      { type: "other", value: "text" },
      { type: "other", value: null },
      { type: "other", value: 7 },
    ]);
    expect(resultFrom("tools/call", { content: "none" })).toEqual({ isError: false, content: [] });
  });
});
