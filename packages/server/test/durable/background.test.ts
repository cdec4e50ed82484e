/** Runs that were answered past their clients: one process goes on with each, and nothing is done twice (rows E1, E2, E4, E6). */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { ask, emit, startRun, step, tool, type Tool } from "@photon/core";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import {
  createServer,
  openInbox,
  openStore,
  type Limits,
  type PhotonServer,
  type ServerOptions,
} from "../../src/index.ts";
import type { CallHeader } from "../../src/durable/log-records.ts";
import { RunRepository } from "../../src/durable/run-repository.ts";
import { SealedBox } from "../../src/crypto/sealed-box.ts";
import { resolveSettings } from "../../src/settings.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import type { Store } from "../../src/stores/store.ts";
import { folder } from "../stores/folder.ts";
import { Gate } from "../wire/gate.ts";
import { serveStateless, listening } from "../wire/servers.ts";
import { overHttp, overStatelessHttp } from "../../../../test/clients/carriers.ts";
import { StatelessClient, callOf, questionsIn, textOf } from "../../../../test/clients/raw-client.ts";
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
  const { client, server: first } = await serveStateless({ tools, keys, store, lease: "200ms" });
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
    const { client, server: own } = await serveStateless({ tools, keys, store, lease: "200ms" });
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
    const { client, server: own } = await serveStateless({ tools: [order([])], keys, store, lease: "200ms" });
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
    const { client, server: own } = await serveStateless(
      { tools: [asks], keys, store, lease: "200ms" },
      formOnly,
    );
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

/** A call as a process of 2025-06-18 records it. */
const head: CallHeader = {
  method: "tools/call",
  subject: "order",
  params: { name: "order", arguments: {} },
  principal: "",
  client: { name: "old", version: "1", can: { form: true, url: false, sample: false, roots: false } },
  revision: "2025-06-18",
};

/** What a process that has died leaves in a store: the log of a run, and its open question. */
async function left(store: Store, first: Tool<never>, run: string, principal = ""): Promise<RunRepository> {
  const settings = resolveSettings({ keys, lease: "200ms" });
  const runs = new RunRepository(store, new SealedBox(keys), settings);
  const { name = "" } = first;
  const log = runs.begin(run, { ...head, subject: name, params: { name, arguments: {} }, principal });
  const turn = await startRun(first, {} as never, {
    runId: run,
    journal: log.startBody(),
    client: head.client,
  }).next();
  if (turn.done) throw new Error("It asks.");
  await log.openRound(turn.round, Date.now() + 60_000);
  onTestFinished(() => runs.close());
  return runs;
}

describe("a run of a session whose process has died", () => {
  it(verifies(["E2", "E6"], "goes on in another, and its result waits for whoever asks for it"), async () => {
    const store = memoryStore();
    const done: string[] = [];
    await left(store, order(done), "old-run");
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
    const runs = await left(store, order(done), "old-run");
    const letGo = await runs.acquireLease("old-run");
    const { inbox } = server({ store, tools: [order(done)] });
    await inbox.answer("old-run", "what", yes("tea"));
    const log = await runs.find("old-run");
    await log?.recordEnd({ result: { content: [] } });
    await letGo();

    expect(await inbox.wait("old-run")).toMatchObject({ result: { content: [] } });
    expect(done).toEqual([]);
  });
});

describe("runs of one principal that take long", () => {
  interface Slow {
    readonly tool: Tool<never>;
    /** How many runs of each principal are in their step now, and the most that were. */
    readonly busy: (principal: string) => number;
    readonly peak: (principal: string) => number;
    /** Settles when so many runs of a principal are in their step. */
    readonly reached: (principal: string, count: number) => Promise<void>;
    readonly release: () => void;
  }

  /** A tool whose step takes until it is released, unless the answer is "quick". */
  function slow(): Slow {
    const gate = new Gate();
    const busy = new Map<string, number>();
    const peaks = new Map<string, number>();
    const waiting: (() => void)[] = [];
    const busyOf = (principal: string): number => busy.get(principal) ?? 0;
    const count = (principal: string, more: number): void => {
      busy.set(principal, busyOf(principal) + more);
      peaks.set(principal, Math.max(peaks.get(principal) ?? 0, busyOf(principal)));
      for (const check of waiting) check();
    };
    return {
      tool: tool({
        name: "slow",
        durable: true,
        async *run() {
          const [principal = "", pace] = (yield* ask.text("Whose, and how?", { id: "what" })).split(" ");
          yield* step("work", async () => {
            if (pace === "quick") return;
            count(principal, 1);
            await gate.passed();
            count(principal, -1);
          });
          return `done for ${principal}`;
        },
      }),
      busy: busyOf,
      peak: (principal) => peaks.get(principal) ?? 0,
      reached: (principal, most) =>
        new Promise((resolve) => {
          const check = (): void => {
            if (busyOf(principal) >= most) resolve();
          };
          waiting.push(check);
          check();
        }),
      release: () => gate.open(),
    };
  }

  const adas = Array.from({ length: 40 }, (_, index) => `ada-${index}`);

  /** A server, on whose store a run of bob and forty of ada wait; those of ada are answered. */
  async function answered(work: Slow, limits: Partial<Limits> = {}): Promise<PhotonServer> {
    const store = await openStore(`sqlite:${join(folder(), "runs.db")}`);
    onTestFinished(() => store.close());
    for (const run of adas) await left(store, work.tool, run, "ada");
    await left(store, work.tool, "bob-0", "bob");
    const made = server({ store, tools: [work.tool], limits });
    onTestFinished(() => work.release());
    for (const run of adas) await made.inbox.answer(run, "what", yes("ada slow"));
    return made;
  }

  it(verifies("E6", "do not delay a run of another principal"), async () => {
    const work = slow();
    const { inbox } = await answered(work);
    await work.reached("ada", adas.length);

    await inbox.answer("bob-0", "what", yes("bob quick"));

    expect(await inbox.wait("bob-0")).toMatchObject({ result: { content: [{ text: "done for bob" }] } });
    expect(work.busy("ada")).toBe(adas.length);
  });

  it("are continued so many at a time, and others beside them", async () => {
    const work = slow();
    const { inbox } = await answered(work, { backgroundRuns: 3, backgroundRunsPerPrincipal: 2 });
    await work.reached("ada", 2);

    await inbox.answer("bob-0", "what", yes("bob quick"));

    expect(await inbox.wait("bob-0")).toMatchObject({ result: { content: [{ text: "done for bob" }] } });
    work.release();
    for (const run of adas)
      expect(await inbox.wait(run)).toMatchObject({ result: { content: [{ text: "done for ada" }] } });
    expect(work.peak("ada")).toBe(2);
  });

  it("are told apart by their network addresses where principals have no names, on sessions and without", async () => {
    const work = slow();
    const store = memoryStore();
    const { server: gone, url } = await listening({ keys, store, tools: [work.tool] });
    const opened = async (call: () => Promise<unknown>): Promise<string> => {
      const before = new Set((await gone.inbox.list()).runs.map(({ run }) => run));
      await call();
      return (await gone.inbox.list()).runs.find(({ run }) => !before.has(run))?.run ?? "";
    };
    const runsFrom = async (address: string): Promise<readonly string[]> => [
      await opened(() => new StatelessClient(overStatelessHttp(url, {}, address)).call("slow")),
      await opened(async () => {
        const client = await overHttp(url, "/mcp", address);
        await client.initialize();
        client.begin("tools/call", callOf("slow"));
        await client.receive();
      }),
    ];
    const first = await runsFrom("127.0.0.1");
    const second = await runsFrom("127.0.0.2");
    await gone.close();
    const limits = { backgroundRuns: 3, backgroundRunsPerPrincipal: 1 };
    const { inbox } = server({ store, tools: [work.tool], limits });
    onTestFinished(() => work.release());
    for (const run of first) await inbox.answer(run, "what", yes("first slow"));
    await work.reached("first", 1);

    for (const run of second) await inbox.answer(run, "what", yes("second quick"));

    for (const run of second)
      expect(await inbox.wait(run)).toMatchObject({ result: { content: [{ text: "done for second" }] } });
    expect(work.peak("first")).toBe(1);
  });

  it("are not more at a time than those of all principals may be", async () => {
    const work = slow();
    const { inbox } = await answered(work, { backgroundRuns: 1, backgroundRunsPerPrincipal: 2 });
    await work.reached("ada", 1);
    work.release();

    for (const run of adas) await inbox.wait(run);

    expect(work.peak("ada")).toBe(1);
  });
});
