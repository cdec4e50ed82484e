/** Calls that were handed over, of durable tools, where there is a store: any process goes on with them (rows E1, E2, E4, E6). */
import { randomBytes } from "node:crypto";
import { ask, step, tool, type Tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { openInbox, type PhotonServer, type ServerOptions, type Store } from "../../src/index.ts";
import { PAGE_PATIENCE } from "../../src/pages/run-pages.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { answerPage, declinePage, statusAt } from "../secrets/person.ts";
import { bearer, tokens } from "../auth/callers.ts";
import { overWebSocket } from "../wire/carriers.ts";
import { countingClock } from "../wire/counting-clock.ts";
import { Gate } from "../wire/gate.ts";
import type { Fields } from "../wire/inbox.ts";
import { ModernClient } from "../wire/modern-client.ts";
import { overPosts } from "../wire/modern-ways.ts";
import { callOf, textOf } from "../wire/raw-client.ts";
import { listening } from "../wire/stages.ts";
import { alone, linkIn, onSession, runIn, type Model } from "./model.ts";

const keys = [randomBytes(32).toString("base64")];
const yes = (value: unknown) => ({ action: "accept", value }) as const;

/** Asks, does something, and asks again. */
function order(done: string[], more: { whenUnsupported?: "page" | "relay" } = {}): Tool<never> {
  return tool({
    name: "order",
    durable: true,
    ...more,
    async *run() {
      const what = yield* ask.text("What?", { id: "what" });
      yield* step("order", () => void done.push(what));
      const isPaid = yield* ask.confirm("Paid?", { id: "paid" });
      return `${what} ${isPaid ? "paid" : "open"}`;
    },
  });
}

/** Asks something, for a secret, and something else. */
const mixed = tool({
  name: "mixed",
  durable: true,
  async *run() {
    const name = yield* ask.text("Name?");
    const password = yield* ask.secret("Password?");
    const isSure = yield* ask.confirm("Sure?");
    return `${name} ${password.reveal().length} ${isSure}`;
  },
});

interface Process {
  readonly server: PhotonServer;
  readonly model: (can?: Fields) => Promise<Model>;
}

/** Processes that share a store, each with clients of one era. */
const eras = { "2025-11-25": onSession, "2026-07-28": alone };

async function process(
  arrive: (url: string, can?: Fields) => Promise<Model>,
  options: ServerOptions,
): Promise<Process> {
  const { server, url } = await listening({ keys, lease: "200ms", report() {}, ...options });
  return { server, model: (can) => arrive(url, can) };
}

async function twoProcesses(
  arrive: (url: string, can?: Fields) => Promise<Model>,
  options: ServerOptions,
): Promise<{ readonly store: Store; readonly a: Process; readonly b: Process }> {
  const store = memoryStore();
  const [a, b] = [await process(arrive, { store, ...options }), await process(arrive, { store, ...options })];
  return { store, a, b };
}

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
      expect(next.text).toContain("- Paid? (true or false)");
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
    expect(wrong).toMatchObject({ isError: true, text: "action is accept, decline or cancel." });
    expect((await openInbox({ store, keys }).list()).runs).toHaveLength(1);
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

    expect(late).toMatchObject({ isError: true, text: 'Nobody answered "What?" (what) in time.' });
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

    clock.leap(16 * 60_000);
    const gone = await (await b.model()).call("photon_answer", { run: runIn(asked), answer: "tea" });

    expect(gone).toMatchObject({ isError: true, text: expect.stringContaining("No call waits") });
    await expect.poll(() => a.server.parked).toBe(0);
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

    expect(refused.text).toContain("a yes to what is dangerous never passes through a model");
  });
});

describe.each(Object.entries(eras))("a durable call of %s that is answered on a page", (_, arrive) => {
  it(verifies(["E1", "E4"], "goes on in every process once the page was answered"), async () => {
    const done: string[] = [];
    const { a, b } = await twoProcesses(arrive, { tools: [order(done)], whenUnsupported: "page" });
    const [here, there] = [await a.model(), await b.model()];
    const asked = await here.call("order");

    await answerPage(linkIn(asked), "tea");
    const next = await there.call("photon_continue", { run: runIn(asked) });
    await declinePage(linkIn(next));
    const last = await here.call("photon_continue", { run: runIn(next) });

    expect(next.text).toContain("- Paid?\n  http");
    expect(last.text).toBe("tea open");
    expect(done).toEqual(["tea"]);
    await expect.poll(() => [a.server.parked, b.server.parked]).toEqual([0, 0]);
  });

  it(verifies(["E1", "E2"], "has another page for the same question where its process is gone"), async () => {
    const store = memoryStore();
    const done: string[] = [];
    const options = { store, tools: [order(done)], whenUnsupported: "page" } as const;
    const first = await process(arrive, options);
    const asked = await (await first.model()).call("order");
    await first.server.close();
    const clock = countingClock();
    const second = await process(arrive, { ...options, clock });
    const { call } = await second.model();

    const waiting = call("photon_continue", { run: runIn(asked) });
    await expect.poll(() => clock.runningFor(PAGE_PATIENCE)).toBe(1);
    clock.leap(PAGE_PATIENCE);
    const again = await waiting;
    await answerPage(linkIn(again), "tea");
    const next = await call("photon_continue", { run: runIn(again) });

    expect(again.text).toMatch(/^Nobody has answered yet\./);
    expect(runIn(again)).toBe(runIn(asked));
    expect(linkIn(again)).not.toBe(linkIn(asked));
    expect(next.text).toContain("- Paid?");
    expect(done).toEqual(["tea"]);
  });

  it("has the same page as long as nobody has answered, and none once somebody has", async () => {
    const clock = countingClock();
    const { store, a } = await twoProcesses(arrive, { tools: [order([])], whenUnsupported: "page", clock });
    const { call } = await a.model();
    const asked = await call("order");
    const waiting = call("photon_continue", { run: runIn(asked) });
    await expect.poll(() => clock.runningFor(PAGE_PATIENCE)).toBe(1);
    clock.leap(PAGE_PATIENCE);
    const again = await waiting;
    expect(linkIn(again)).toBe(linkIn(asked));
    expect(await statusAt(linkIn(asked))).toBe(200);

    const inbox = openInbox({ store, keys });
    const [{ run } = { run: "" }] = (await inbox.list()).runs;
    await inbox.answer(run, "what", yes("tea"));

    await expect.poll(() => statusAt(linkIn(asked))).toBe(410);
    expect((await call("photon_continue", { run: runIn(asked) })).text).toContain("- Paid?");
  });

  it("is told at once, while it waits for the page, that it was answered elsewhere", async () => {
    const clock = countingClock();
    const { store, a } = await twoProcesses(arrive, { tools: [order([])], whenUnsupported: "page", clock });
    const { call } = await a.model();
    const asked = await call("order");
    const waiting = call("photon_continue", { run: runIn(asked) });
    await expect.poll(() => clock.runningFor(PAGE_PATIENCE)).toBe(1);

    const inbox = openInbox({ store, keys });
    const [{ run } = { run: "" }] = (await inbox.list()).runs;
    await inbox.answer(run, "what", yes("tea"));

    expect((await waiting).text).toContain("- Paid?");
  });

  it(
    verifies(
      "B6",
      "asks for a secret once in one process, again in another, and tells the store nothing of it",
    ),
    async () => {
      const login = tool({
        name: "login",
        durable: true,
        async *run() {
          const password = yield* ask.secret("Password?");
          const name = yield* ask.text("Name?");
          yield* step("sign in", () => password.reveal().length);
          return `${name} ${password.reveal().length}`;
        },
      });
      const { store, a, b } = await twoProcesses(arrive, { tools: [login], whenUnsupported: "page" });
      const [here, there] = [await a.model(), await b.model()];
      const asked = await here.call("login");
      const inbox = openInbox({ store, keys });
      const [{ run } = { run: "" }] = (await inbox.list()).runs;
      await expect(inbox.answer(run, "ask-1", yes("correct horse"))).rejects.toThrow("on a page");

      await answerPage(linkIn(asked), "correct horse");
      const next = await here.call("photon_continue", { run: runIn(asked) });
      await b.server.close();
      await answerPage(linkIn(next), "Ada");
      const last = await here.call("photon_continue", { run: runIn(next) });

      expect(next.text).toContain("- Name?");
      expect(last.text).toBe("Ada 13");
      expect(JSON.stringify(await store.read(run))).not.toContain("horse");
      void there;
    },
  );

  it(
    verifies(["B1", "B6"], "is not answered by a model in the place of the page, in any process"),
    async () => {
      const { a, b } = await twoProcesses(arrive, { tools: [order([])], whenUnsupported: "page" });
      const asked = await (await a.model()).call("order");

      const refused = await (await b.model()).call("photon_answer", { run: runIn(asked), answer: "tea" });

      expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("photon_continue") });
      expect(await statusAt(linkIn(asked))).toBe(200);
    },
  );

  it("does not hold up a server that is closed while somebody waits for its page", async () => {
    const clock = countingClock();
    const { a } = await twoProcesses(arrive, { tools: [order([])], whenUnsupported: "page", clock });
    const { call } = await a.model();
    const asked = await call("order");
    const waiting = call("photon_continue", { run: runIn(asked) }).catch(() => {});
    await expect.poll(() => clock.runningFor(PAGE_PATIENCE)).toBe(1);

    await a.server.close();

    expect(a.server.parked).toBe(0);
    expect(clock.runningFor(PAGE_PATIENCE)).toBe(0);
    await waiting;
  });
});

describe("a durable call that was handed over, where there is a store", () => {
  it("is nobody's but its caller's, in any process", async () => {
    const store = memoryStore();
    const options = { store, keys, tools: [order([])], whenUnsupported: "relay", tokens } as const;
    const [a, b] = [await listening(options), await listening(options)];
    const as = (url: string, token: string): ModernClient =>
      new ModernClient(overPosts(url, bearer(token)), {});
    const asked = textOf((await as(a.url, tokens.ada).call("order")).answer);
    const [, run] = /"run":"([^"]+)"/.exec(asked) ?? [];

    const refused = [
      await as(b.url, tokens.eve).call("photon_answer", { run, answer: "tea" }),
      await as(a.url, tokens.eve).call("photon_answer", { run, answer: "tea" }),
      await as(a.url, tokens.eve).call("photon_continue", { run }),
    ];
    const own = await as(b.url, tokens.ada).call("photon_answer", { run, answer: "tea" });

    for (const { answer } of refused) expect(textOf(answer)).toContain("No call waits under that run");
    expect(textOf(own.answer)).toContain("- Paid?");
  });

  it("asks a client itself what that can show, and the store has that as well", async () => {
    const store = memoryStore();
    const { url } = await listening({ keys, store, tools: [mixed], whenUnsupported: "page" });
    const client = await overWebSocket(url);
    await client.initialize("2025-11-25", { elicitation: {} });
    const first = client.begin("tools/call", callOf("mixed"));
    const inbox = openInbox({ store, keys });
    const name = await client.hear();
    const listed = (await inbox.list()).runs[0]?.questions[0]?.message;
    await client.accept(name, "Ada");
    const handed = textOf(await client.answerTo(first));
    const [, run] = /"run":"([^"]+)"/.exec(handed) ?? [];
    await answerPage(/http\S+/.exec(handed)?.[0] ?? "", "correct horse");

    const second = client.begin("tools/call", callOf("photon_continue", { run }));
    const sure = await client.hear();
    const listedNext = (await inbox.list()).runs[0]?.questions[0]?.message;
    await client.accept(sure, true);

    expect([listed, listedNext]).toEqual(["Name?", "Sure?"]);
    expect(textOf(await client.answerTo(second))).toBe("Ada 13 true");
  });

  it("asks a client of 2026-07-28 itself what that can show, in the middle of going on", async () => {
    const { url } = await listening({ keys, store: memoryStore(), tools: [mixed], whenUnsupported: "page" });
    const client = new ModernClient(overPosts(url), { elicitation: {} });
    const name = await client.call("mixed");
    const handed = textOf((await client.accept(name, { "ask-1": "Ada" })).answer);
    const [, run] = /"run":"([^"]+)"/.exec(handed) ?? [];
    await answerPage(/http\S+/.exec(handed)?.[0] ?? "", "correct horse");

    const sure = await client.call("photon_continue", { run });
    const last = await client.accept(sure, { "ask-3": true });

    expect(textOf(last.answer)).toBe("Ada 13 true");
  });

  it("counts the first answer, also where the other way to give one is its client", async () => {
    const store = memoryStore();
    const { url } = await listening({ keys, store, tools: [mixed], whenUnsupported: "page", report() {} });
    const client = await overWebSocket(url);
    await client.initialize("2025-11-25", { elicitation: {} });
    const first = client.begin("tools/call", callOf("mixed"));
    await client.accept(await client.hear(), "Ada");
    const handed = textOf(await client.answerTo(first));
    const [, run] = /"run":"([^"]+)"/.exec(handed) ?? [];
    await answerPage(/http\S+/.exec(handed)?.[0] ?? "", "correct horse");
    const second = client.begin("tools/call", callOf("photon_continue", { run }));
    const sure = await client.hear();
    const inbox = openInbox({ store, keys });
    const [waiting] = (await inbox.list()).runs;

    await inbox.answer(waiting?.run ?? "", "ask-3", yes(false));
    const come = await inbox.wait(waiting?.run ?? "");
    await client.accept(sure, true);

    expect(come).toMatchObject({ result: { content: [{ text: "Ada 13 false" }] } });
    expect((await client.answerTo(second)).error?.message).toContain("it may be sent again");
    expect(textOf(await client.callTool("photon_continue", { run }))).toBe("Ada 13 false");
  });

  it("stays where it was when the call that goes on with it is cancelled, and goes on with the next", async () => {
    const done: string[] = [];
    let isStuck = true;
    const gate = new Gate();
    const working = tool({
      name: "working",
      durable: true,
      async *run(__, { signal }) {
        const what = yield* ask.text("What?");
        yield* step("one", () => void done.push("one"));
        try {
          if (isStuck) await gate.passed(signal);
        } finally {
          done.push("finally");
        }
        yield* step("two", () => void done.push("two"));
        return what;
      },
    });
    const { url } = await listening({
      keys,
      store: memoryStore(),
      tools: [working],
      whenUnsupported: "relay",
      report() {},
    });
    const client = await overWebSocket(url);
    await client.initialize("2025-11-25", {});
    const [, run] = /"run":"([^"]+)"/.exec(textOf(await client.callTool("working"))) ?? [];
    const going = client.begin("tools/call", callOf("photon_answer", { run, answer: "tea" }));
    await gate.reached;

    await client.notify("notifications/cancelled", { requestId: going });
    await expect.poll(() => done).toEqual(["one", "finally"]);
    isStuck = false;
    const last = await client.callTool("photon_answer", { run, answer: "tea" });

    expect(textOf(last)).toBe("tea");
    expect(done).toEqual(["one", "finally", "finally", "two"]);
  });
});
