/** Durable calls whose questions a model passes on, where there is a store: any process goes on with them (rows E1, E2, E4, E6). */
import { ask, step, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { verifies } from "../../../../test/requirements.ts";
import { openInbox } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { yes } from "../durable/waiting.ts";
import { countingClock } from "../wire/counting-clock.ts";
import { runIn } from "./model.ts";
import { eras, keys, order, process, twoProcesses } from "./processes.ts";

describe.each(Object.entries(eras))("a durable call of %s that is relayed", (_, arrive) => {
  it(
    verifies(["E1", "E4"], "goes on in whichever process it is answered, and does each step once"),
    async () => {
      const done: string[] = [];
      const { a, b } = await twoProcesses(arrive, { tools: [order(done)], whenUnsupported: "relay" });
      const [here, there] = [await a.model(), await b.model()];

      const asked = await here.call("order");
      const next = await there.call("photon_answer", { run: runIn(asked), answer: "tea" });
      const last = await here.call("photon_answer", { run: runIn(next), answer: true });

      expect(asked.text).toContain("- What? (a text)");
      expect(next.text).toContain("- Paid? (yes or no)");
      expect(last).toMatchObject({ text: "tea paid", isError: false });
      expect(done).toEqual(["tea"]);
      await expect.poll(() => [a.server.parked, b.server.parked]).toEqual([0, 0]);
    },
  );

  it(verifies(["E1", "E2"], "is not lost with its process, nor ended by the end of that"), async () => {
    const store = memoryStore();
    const done: string[] = [];
    const ended: string[] = [];
    const guarded = tool({
      name: "order",
      durable: true,
      async *run() {
        try {
          const what = yield* ask.text("What?");
          yield* step("order", () => void done.push(what));
          return what;
        } finally {
          ended.push("ended");
        }
      },
    });
    const options = { store, tools: [guarded], whenUnsupported: "relay" } as const;
    const first = await process(arrive, options);
    const asked = await (await first.model()).call("order");
    await first.server.close();
    expect(ended).toEqual([]);

    const second = await process(arrive, options);
    const last = await (await second.model()).call("photon_answer", { run: runIn(asked), answer: "tea" });

    expect(last.text).toBe("tea");
    expect(done).toEqual(["tea"]);
  });

  it(
    verifies(["E1", "E4"], "gives the same answer once more what has come of the first, anywhere"),
    async () => {
      const done: string[] = [];
      const { a, b } = await twoProcesses(arrive, { tools: [order(done)], whenUnsupported: "relay" });
      const [here, there] = [await a.model(), await b.model()];
      const run = runIn(await here.call("order"));

      const nexts = [
        await here.call("photon_answer", { run, answer: "tea" }),
        await here.call("photon_answer", { run, answer: "tea" }),
        await there.call("photon_answer", { run, answer: "tea" }),
      ];
      const other = await there.call("photon_answer", { run, answer: "coffee" });
      const next = runIn(nexts[0] ?? { text: "", isError: false, wire: {} });
      const lasts = [
        await there.call("photon_answer", { run: next, answer: false }),
        await here.call("photon_answer", { run: next, answer: false }),
        await here.call("photon_answer", { run, answer: "tea" }),
        await here.call("photon_continue", { run }),
      ];

      expect(new Set(nexts.map(({ text }) => text)).size).toBe(1);
      expect(nexts[0]?.text).toContain("- Paid?");
      expect(other).toMatchObject({
        isError: true,
        text: expect.stringContaining("the first answer counts"),
      });
      expect(lasts.map(({ text }) => text)).toEqual(["tea open", "tea open", "tea open", "tea open"]);
      expect(done).toEqual(["tea"]);
    },
  );

  it("counts one of two answers that come at the same time to two processes", async () => {
    const done: string[] = [];
    const { a, b } = await twoProcesses(arrive, { tools: [order(done)], whenUnsupported: "relay" });
    const [here, there] = [await a.model(), await b.model()];
    const run = runIn(await here.call("order"));

    const [one, two] = await Promise.all([
      here.call("photon_answer", { run, answer: "tea" }),
      there.call("photon_answer", { run, answer: "coffee" }),
    ]);

    expect(one.isError).not.toBe(two.isError);
    expect(done).toEqual([one.isError ? "coffee" : "tea"]);
  });

  it(verifies("E6", "is in the inbox, and goes on when it is answered there"), async () => {
    const done: string[] = [];
    const { store, a, b } = await twoProcesses(arrive, { tools: [order(done)], whenUnsupported: "relay" });
    const [here, there] = [await a.model(), await b.model()];
    const asked = await here.call("order");
    const inbox = openInbox({ store, keys });
    const [waiting] = (await inbox.list()).runs;
    const run = waiting?.run ?? "";

    await inbox.answer(run, "what", yes("tea"));
    const next = await inbox.wait(run);
    const late = await there.call("photon_answer", { run: runIn(asked), answer: "coffee" });
    await inbox.answer(run, "paid", yes(true));
    await inbox.wait(run);
    const last = await here.call("photon_continue", { run: runIn(asked) });

    expect(waiting).toMatchObject({ tool: "order", questions: [{ key: "what", message: "What?" }] });
    expect(next).toMatchObject({ questions: [{ key: "paid" }] });
    expect(late.text).toContain("- Paid?");
    expect(last.text).toBe("tea paid");
    expect(await inbox.result(run)).toMatchObject({ result: { content: [{ text: "tea paid" }] } });
    expect(done).toEqual(["tea"]);
    await expect.poll(() => [a.server.parked, b.server.parked]).toEqual([0, 0]);
  });

  it(verifies("B3", "says of an answer that does not fit, and the log knows nothing of it"), async () => {
    const done: string[] = [];
    const { store, a, b } = await twoProcesses(arrive, { tools: [order(done)], whenUnsupported: "relay" });
    const asked = await (await a.model()).call("order");
    const there = await b.model();

    const unfit = await there.call("photon_answer", { run: runIn(asked), answer: 7 });
    const again = await there.call("photon_continue", { run: runIn(asked) });
    const wrong = await there.call("photon_answer", { run: runIn(asked), action: "yes", answer: "tea" });

    expect(unfit.text).toMatch(/^That answer does not fit: it .+\n.*Ask them/);
    expect(runIn(unfit)).toBe(runIn(asked));
    expect(again.text).toBe(asked.text);
    expect(wrong).toMatchObject({ isError: true, text: "action must be accept, decline or cancel." });
    expect((await openInbox({ store, keys }).list()).runs).toHaveLength(1);
  });

  it(verifies("B3", "checks by the tool's own code, before the log knows of it"), async () => {
    const even = z.object({ pages: z.number().refine((pages) => pages % 2 === 0, "must be even") });
    const print = tool({
      name: "print",
      durable: true,
      async *run() {
        return `${(yield* ask.form("How many?", even)).pages} pages`;
      },
    });
    const { store, a, b } = await twoProcesses(arrive, { tools: [print], whenUnsupported: "relay" });
    const run = runIn(await (await a.model()).call("print"));
    const there = await b.model();

    const odd = await there.call("photon_answer", { run, answer: { pages: 3 } });
    const [waiting] = (await openInbox({ store, keys }).list()).runs;
    const done = await there.call("photon_answer", { run, answer: { pages: 4 } });

    expect(odd.text).toMatch(/^That answer does not fit: it .*must be even/);
    expect(runIn(odd)).toBe(run);
    expect(waiting?.questions).toMatchObject([{ attempt: 1 }]);
    expect(done.text).toBe("4 pages");
  });

  it(verifies("B1", "is told a no by another process, and ends there"), async () => {
    const { a, b } = await twoProcesses(arrive, { tools: [order([])], whenUnsupported: "relay" });
    const asked = await (await a.model()).call("order");

    const last = await (await b.model()).call("photon_answer", { run: runIn(asked), action: "decline" });

    expect(last).toMatchObject({ isError: true, text: expect.stringContaining("declined") });
  });

  it("takes the answers to several questions, all of them or none", async () => {
    const both = tool({
      name: "both",
      durable: true,
      async *run() {
        const { one, two } = yield* ask.all({ one: ask.text("One?"), two: ask.confirm("Two?") });
        return `${one} ${two}`;
      },
    });
    const { a, b } = await twoProcesses(arrive, { tools: [both], whenUnsupported: "relay" });
    const [here, there] = [await a.model(), await b.model()];
    const run = runIn(await here.call("both"));

    const half = await there.call("photon_answer", { run, answer: { one: "a" } });
    const done = await there.call("photon_answer", { run, answer: { one: "a", two: true } });
    const declined = runIn(await here.call("both"));
    const no = await there.call("photon_answer", { run: declined, action: "decline" });

    expect(half.text).toMatch(/^That answer does not fit/);
    expect(done.text).toBe("a true");
    expect(no).toMatchObject({ isError: true, text: expect.stringContaining("declined") });
  });

  it(verifies("B2", "is told that it was too late, by whichever process"), async () => {
    const clock = countingClock();
    const { a, b } = await twoProcesses(arrive, {
      tools: [order([])],
      whenUnsupported: "relay",
      askTimeout: "5m",
      clock,
    });
    const asked = await (await a.model()).call("order");

    clock.leap(14 * 60_000);
    const late = await (await b.model()).call("photon_answer", { run: runIn(asked), answer: "tea" });

    expect(late).toMatchObject({ isError: true, text: 'No answer to "What?" (what) arrived in time.' });
  });

  it("is gone when its time is over", async () => {
    const clock = countingClock();
    const { a, b } = await twoProcesses(arrive, {
      store: memoryStore(clock),
      tools: [order([])],
      whenUnsupported: "relay",
      askTimeout: "5m",
      clock,
    });
    const asked = await (await a.model()).call("order");
    expect(a.server.parked).toBe(1);

    clock.leap(7 * 86_400_000 + 16 * 60_000);
    const gone = await (await b.model()).call("photon_answer", { run: runIn(asked), answer: "tea" });

    expect(gone).toMatchObject({ isError: true, text: expect.stringContaining("No call waits") });
    await expect.poll(() => a.server.parked).toBe(0);
  });

  it("counts for the address of a client without a name, in each process that was asked how it stands", async () => {
    const limits = { parkedPerPrincipal: 1 };
    const { a, b } = await twoProcesses(arrive, { tools: [order([])], whenUnsupported: "relay", limits });
    const run = runIn(await (await a.model()).call("order"));
    const there = await b.model();
    await there.call("photon_continue", { run });
    expect(b.server.parked).toBe(1);

    const refused = await there.call("order");

    expect(refused.text).toContain("limit of calls that wait for answers (1)");
  });

  it(verifies(["B4", "B6"], "is never answered what is dangerous, whatever run is named"), async () => {
    const launch = tool({
      name: "launch",
      durable: true,
      async *run() {
        yield* ask.text("Why?");
        return (yield* ask.confirm("Launch?", { dangerous: true })) ? "launched" : "kept";
      },
    });
    const { a, b } = await twoProcesses(arrive, { tools: [launch], whenUnsupported: "relay" });
    const run = runIn(await (await a.model()).call("launch"));

    const refused = await (await b.model()).call("photon_answer", { run, answer: "because" });

    expect(refused.text).toContain("a yes to a dangerous question never passes through a model");
  });
});
