/** Runs that were answered past their clients: one process goes on with each, and nothing is done twice (rows E1, E2, E4, E6). */
import { randomBytes } from "node:crypto";
import { ask, emit, start, step, tool, type Tool } from "@photon/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { createServer, openInbox, type PhotonServer, type ServerOptions } from "../../src/index.ts";
import type { Head } from "../../src/runs/records.ts";
import { Runs } from "../../src/runs/runs.ts";
import { Sealer } from "../../src/seal.ts";
import { settingsFrom } from "../../src/settings.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import type { Store } from "../../src/stores/store.ts";
import { questionsIn } from "../wire/modern-client.ts";
import { atHome } from "../wire/modern-ways.ts";
import { textOf } from "../wire/raw-client.ts";
import { yes } from "./waiting.ts";

const keys = [randomBytes(32).toString("base64")];

/** Asks, does something, and asks again. */
function order(done: string[], doing: (key: string) => void | Promise<void> = () => {}): Tool<never> {
  return tool({
    name: "order",
    durable: true,
    async *run(_: object, { client }) {
      const what = yield* ask.text("What?", { id: "what" });
      yield* step("order", async ({ key }) => {
        done.push(what);
        await doing(key);
      });
      const isPaid = yield* ask.confirm("Paid?", { id: "paid" });
      return `${what} ${isPaid ? "paid" : "open"} ${client.name}`;
    },
  });
}

function server(options: ServerOptions): PhotonServer {
  const made = createServer({ keys, lease: "200ms", report() {}, ...options });
  onTestFinished(() => made.close());
  return made;
}

/** A process that calls a tool, and has gone before anybody answers. Gives the run. */
async function calledAndGone(store: Store, tools: readonly Tool<never>[], name = "order"): Promise<string> {
  const { client, server: first } = await atHome({ tools, keys, store, lease: "200ms" });
  await client.call(name);
  const { runs } = await first.inbox.list();
  await first.close();
  return runs[0]?.run ?? "";
}

describe("a run that is answered past its client", () => {
  it(verifies(["E2", "E6"], "goes on in a process that never saw its client"), async () => {
    const store = memoryStore();
    const done: string[] = [];
    const run = await calledAndGone(store, [order(done)]);
    const { inbox } = server({ store, tools: [order(done)] });

    await inbox.answer(run, "what", yes("tea"));
    await inbox.wait(run);
    await inbox.answer(run, "paid", yes(true));

    expect(await inbox.wait(run)).toMatchObject({ result: { content: [{ text: "tea paid raw" }] } });
    expect(done).toEqual(["tea"]);
  });

  it(
    verifies(["E2", "E6"], "waits for a process where there is none, and goes on when one starts"),
    async () => {
      const store = memoryStore();
      const done: string[] = [];
      const run = await calledAndGone(store, [order(done)]);
      const inbox = openInbox({ store, keys });

      await inbox.answer(run, "what", yes("tea"));

      expect((await inbox.list()).runs).toEqual([]);
      expect(done).toEqual([]);
      server({ store, tools: [order(done)] });
      expect(await inbox.wait(run)).toMatchObject({ questions: [{ key: "paid" }] });
      expect(done).toEqual(["tea"]);
    },
  );

  it("goes on when what it is a run of is put in place", async () => {
    const store = memoryStore();
    const done: string[] = [];
    const run = await calledAndGone(store, [order(done)]);
    const without = server({ store });
    await without.inbox.answer(run, "what", yes("tea"));

    without.replace({ tools: [order(done)] });

    expect(await without.inbox.wait(run)).toMatchObject({ questions: [{ key: "paid" }] });
  });

  it(
    verifies(["E1", "E4"], "is gone on with by one of several processes, and no step is done twice"),
    async () => {
      const store = memoryStore();
      const done: string[] = [];
      const run = await calledAndGone(store, [order(done)]);
      const [one] = [1, 2, 3].map(() => server({ store, tools: [order(done)] }));
      const inbox = openInbox({ store, keys });

      await inbox.answer(run, "what", yes("tea"));
      await inbox.wait(run);
      await inbox.answer(run, "paid", yes(false));

      expect(await one?.inbox.wait(run)).toMatchObject({ result: { content: [{ text: "tea open raw" }] } });
      expect(done).toEqual(["tea"]);
    },
  );

  it("is left where it was by a process that is closed in the middle, and goes on in another", async () => {
    const store = memoryStore();
    const done: string[] = [];
    let begun = (): void => {};
    const isBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const slow = tool({
      name: "slow",
      durable: true,
      async *run(_: object, { signal }) {
        yield* ask.text("What?", { id: "what" });
        yield* step("first", () => void done.push("first"));
        begun();
        if (done.length === 1 && !done.includes("closed"))
          await new Promise<void>((resolve) => {
            signal.addEventListener("abort", () => resolve());
          });
        yield* step("second", () => void done.push("second"));
        return "done";
      },
    });
    const run = await calledAndGone(store, [slow], "slow");
    const first = server({ store, tools: [slow] });
    await first.inbox.answer(run, "what", yes("tea"));
    await isBegun;
    await first.close();
    done.push("closed");

    const second = server({ store, tools: [slow] });

    expect(await second.inbox.wait(run)).toMatchObject({ result: { content: [{ text: "done" }] } });
    expect(done).toEqual(["first", "closed", "second"]);
  });

  it("gives its client what it asks next, also where that comes while the run goes on", async () => {
    const store = memoryStore();
    const done: string[] = [];
    let proceed = (): void => {};
    const mayProceed = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    let begun = (): void => {};
    const isBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const tools = [
      order(done, () => {
        begun();
        return mayProceed;
      }),
    ];
    const { client, server: own } = await atHome({ tools, keys, store, lease: "200ms" });
    const one = await client.call("order");
    const [waiting] = (await own.inbox.list()).runs;
    await own.inbox.answer(waiting?.run ?? "", "what", yes("tea"));
    await isBegun;

    const retrying = client.accept(one, { what: "coffee" });
    proceed();
    const two = await retrying;

    expect(Object.keys(questionsIn(two))).toEqual(["paid"]);
    expect(textOf((await client.accept(two, { paid: true })).answer)).toBe("tea paid raw");
    expect(done).toEqual(["tea"]);
  });

  it("takes up no place of a server any more", async () => {
    const store = memoryStore();
    const { client, server: own } = await atHome({ tools: [order([])], keys, store, lease: "200ms" });
    await client.call("order");
    expect(own.parked).toBe(1);
    const [waiting] = (await own.inbox.list()).runs;

    await own.inbox.answer(waiting?.run ?? "", "what", yes("tea"));
    await own.inbox.wait(waiting?.run ?? "");

    expect(own.parked).toBe(0);
  });

  it("ends with the error that its client would have been given, where its tool has changed", async () => {
    const store = memoryStore();
    const run = await calledAndGone(store, [order([])]);
    const other = tool({
      name: "order",
      durable: true,
      async *run() {
        return yield* ask.number("How many?");
      },
    });
    const { inbox } = server({ store, tools: [other] });

    await inbox.answer(run, "what", yes("tea"));

    expect(await inbox.wait(run)).toMatchObject({
      result: {
        isError: true,
        content: [{ text: expect.stringContaining("Its source has changed since the run began") }],
      },
    });
  });

  it("is not asked what its client could not be asked", async () => {
    const store = memoryStore();
    const asks = tool({
      name: "asks",
      durable: true,
      async *run() {
        yield* ask.text("What?", { id: "what" });
        const { action } = yield* ask.outcome(ask.url("Go there", "https://example.com"));
        return action;
      },
    });
    const formOnly = { elicitation: { form: {} } };
    const { client, server: own } = await atHome({ tools: [asks], keys, store, lease: "200ms" }, formOnly);
    await client.call("asks");
    const [waiting] = (await own.inbox.list()).runs;

    await own.inbox.answer(waiting?.run ?? "", "what", yes("tea"));

    expect(await own.inbox.wait(waiting?.run ?? "")).toMatchObject({
      result: { content: [{ text: "unsupported" }] },
    });
  });

  it("logs to the server, and tells nobody else", async () => {
    const store = memoryStore();
    const logged: unknown[] = [];
    const talks = tool({
      name: "talks",
      durable: true,
      async *run() {
        yield* ask.text("What?", { id: "what" });
        yield emit.status("nobody sees this");
        yield emit.log("info", "somebody reads this");
        return "done";
      },
    });
    const run = await calledAndGone(store, [talks], "talks");
    const { inbox } = server({ store, tools: [talks], log: ({ data }) => void logged.push(data) });

    await inbox.answer(run, "what", yes("tea"));
    await inbox.wait(run);

    expect(logged).toEqual(["somebody reads this"]);
  });
});

describe("a run of a session whose process has died", () => {
  const head: Head = {
    method: "tools/call",
    subject: "order",
    params: { name: "order", arguments: {} },
    principal: "",
    client: { name: "old", version: "1", can: { form: true, url: false, sample: false, roots: false } },
    revision: "2025-06-18",
  };

  /** What such a process leaves behind: a log, and what is open. */
  async function left(store: Store, tools: readonly Tool<never>[]): Promise<Runs> {
    const settings = settingsFrom({ keys, lease: "200ms" });
    const runs = new Runs(store, new Sealer(keys), settings);
    const ledger = runs.begin("old-run", head);
    const [first] = tools;
    if (first === undefined) throw new Error("There is a tool.");
    const turn = await start(first, {} as never, {
      runId: "old-run",
      journal: ledger.begun(),
      client: head.client,
    }).next();
    if (turn.done) throw new Error("It asks.");
    await ledger.opened(turn.round, Date.now() + 60_000);
    onTestFinished(() => runs.close());
    return runs;
  }

  it(verifies(["E2", "E6"], "goes on in another, and its result waits for whoever asks for it"), async () => {
    const store = memoryStore();
    const done: string[] = [];
    await left(store, [order(done)]);
    const { inbox } = server({ store, tools: [order(done)] });

    await inbox.answer("old-run", "what", yes("tea"));
    await inbox.wait("old-run");
    await inbox.answer("old-run", "paid", yes(true));
    await inbox.wait("old-run");

    expect(await inbox.result("old-run")).toMatchObject({ result: { content: [{ text: "tea paid old" }] } });
    expect(done).toEqual(["tea"]);
  });

  it("is left to whoever holds it, because they have it live", async () => {
    const store = memoryStore();
    const done: string[] = [];
    const runs = await left(store, [order(done)]);
    const letGo = await runs.hold("old-run");
    const { inbox } = server({ store, tools: [order(done)] });
    await inbox.answer("old-run", "what", yes("tea"));
    const ledger = await runs.find("old-run");
    await ledger?.ended({ result: { content: [] } });
    await letGo();

    expect(await inbox.wait("old-run")).toMatchObject({ result: { content: [] } });
    expect(done).toEqual([]);
  });
});
