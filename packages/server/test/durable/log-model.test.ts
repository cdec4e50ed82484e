/**
 * A model of several processes that work on one run at the same time: each may be paused or killed before any access to the
 * store and around the effect of a step, while the others continue. Leases are granted to all of them, as if each had expired
 * whenever another process looked, and each process has a wall clock of its own. So only the position in the log decides.
 */
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, ReplayDiverged, startRun, step, StepUnknown, tool } from "@photon/core";
import { scaled } from "../../../../test/long.ts";
import { verifies } from "../../../../test/requirements.ts";
import { submitReply } from "../../src/durable/submit-answer.ts";
import { isMoved } from "../../src/jsonrpc/errors.ts";
import { DurableCall } from "../../src/durable/durable-call.ts";
import { RunRepository } from "../../src/durable/run-repository.ts";
import { SealedBox } from "../../src/crypto/sealed-box.ts";
import { resolveSettings } from "../../src/settings.ts";
import { memoryStore } from "../../src/stores/memory-store.ts";
import { openStore } from "../../src/stores/open-store.ts";
import type { Store } from "../../src/stores/store.ts";
import { folder } from "../stores/folder.ts";
import { startRedis, type RedisServer } from "../stores/redis-server.ts";
import { chooseFrom, interleave, tryAll, type Choose, type Limits, type Process } from "./interleavings.ts";

const KEYS = ["the key of every process in this model, which is long enough"];
const HOUR = 3_600_000;
const CLOCKS = [0, HOUR, -600_000];
const sealer = new SealedBox(KEYS);

interface Outcome {
  /** The idempotency keys of the steps whose effect took place. */
  readonly effects: readonly string[];
  readonly result: unknown;
  /** The answer that each process gave to each question. */
  readonly given: readonly string[];
}

/** One process's view of the store: it waits at a gate before it reads or appends, and every lease is granted. */
function gated(store: Store, gate: () => Promise<void>): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name === "lease") return () => Promise.resolve(true);
      if (name === "release" || name === "publish") return () => Promise.resolve();
      const own: unknown = Reflect.get(target, name);
      if (typeof own !== "function") return own;
      const isGated = name === "append" || name === "read";
      return async (...args: unknown[]) => {
        if (isGated) await gate();
        // The arguments are those of the method of that name.
        return Reflect.apply(own, target, args) as unknown;
      };
    },
  });
}

const head = {
  method: "tools/call",
  subject: "order",
  params: { name: "order" },
  principal: "",
  client: { name: "model", version: "1", can: { form: true, url: true, sample: false, roots: false } },
  revision: "2025-11-25",
} as const;

/** A tool with two questions and two steps; a step whose outcome is unknown is not done again. */
const order = (effects: string[], gate: () => Promise<void>) =>
  tool({
    name: "order",
    durable: true,
    async *run() {
      const did: string[] = [];
      for (const number of [1, 2]) {
        const answer = yield* ask.text(`Question ${number}?`, { timeout: "none" });
        try {
          yield* step(`step ${number}`, async ({ key }) => {
            await gate();
            effects.push(key);
            await gate();
            return true;
          });
          did.push(answer);
        } catch (error) {
          if (!(error instanceof StepUnknown)) throw error;
          did.push(`${answer}, unknown`);
        }
      }
      return did;
    },
  });

/** Works on the run as a process does: from its log, again from its log when the run has moved, until it has ended. */
async function work(
  runs: RunRepository,
  run: string,
  process: Process,
  effects: string[],
  given: string[],
): Promise<unknown> {
  const body = order(effects, () => process.gate());
  for (;;) {
    const log = (await runs.find(run)) ?? runs.begin(run, head);
    if (log.ending !== undefined) return log.ending;
    const call = new DurableCall({ log, release: () => Promise.resolve() }, runs);
    const running = startRun(body, {}, { runId: run, journal: call.journal() });
    try {
      let turn = await running.next();
      while (!turn.done) {
        let replies = await call.openRound(turn.round, runs.now() + HOUR);
        const [question] = Object.values(turn.round);
        if (replies === undefined && question !== undefined) {
          const value = `${question.key} by ${process.name}`;
          given.push(value);
          replies = await call.recordReply(question, { action: "accept", value });
        }
        turn = await running.next(replies);
      }
      const ending = { result: { did: turn.value } };
      await call.end(ending);
      return ending;
    } catch (error) {
      if (!isMoved(error)) throw error;
      await running.detach();
    }
  }
}

let runsTried = 0;

/** Lets processes work on one run of a store in the chosen order, and gives what came of it. */
async function attempt(
  store: Store,
  names: readonly string[],
  choose: Choose,
  limits: Limits,
): Promise<Outcome> {
  const run = `run-${runsTried++}`;
  const effects: string[] = [];
  const given: string[] = [];
  const results: unknown[] = [];
  const processes = async (process: Process): Promise<void> => {
    await process.gate();
    const offset = CLOCKS[process.name.charCodeAt(0) % CLOCKS.length] ?? 0;
    const clock = { now: () => Date.now() + offset, after: () => () => {} };
    const settings = resolveSettings({ clock, report: (error) => expect(error).toBeUndefined() });
    const runs = new RunRepository(
      gated(store, () => process.gate()),
      sealer,
      settings,
    );
    results.push(await work(runs, run, process, effects, given));
  };
  await interleave(names, processes, choose, limits);
  const [first] = results;
  for (const result of results) expect(result).toEqual(first);
  return { effects, result: await replayed(store, run, first), given };
}

/** The result of the run as its log gives it: the same that the processes were given, and no divergence. */
async function replayed(store: Store, run: string, ending: unknown): Promise<unknown> {
  const clock = { now: () => Date.now(), after: () => () => {} };
  const log = await new RunRepository(store, sealer, resolveSettings({ clock })).find(run);
  expect(log?.ending).toEqual(ending);
  const effects: string[] = [];
  const journal = { entries: log?.entries ?? [], append: () => expect.fail("The log is not complete.") };
  const turn = await startRun(
    order(effects, () => Promise.resolve()),
    {},
    { runId: run, journal },
  ).next();
  expect(effects).toEqual([]);
  if (!turn.done) throw new ReplayDiverged("The log has no end.");
  expect(ending).toEqual({ result: { did: turn.value } });
  return turn.value;
}

/** What must hold whatever happened: no effect twice, the answers that were given, and no step that was done without a trace. */
function check({ effects, result, given }: Outcome, { preemptions, kills }: Limits): void {
  const did = (result as readonly string[]).map((one) => one.split(", unknown"));
  const known = did.flatMap((one, index) => (one.length === 1 ? [`step ${index + 1}`] : []));
  const done = effects.map((key) => key.split("/")[1]);
  expect(done).toHaveLength(new Set(done).size);
  expect(done).toEqual(expect.arrayContaining(known));
  expect(did.map(([answer = ""]) => answer.split(" by ")[0])).toEqual(["ask-1", "ask-2"]);
  expect(given).toEqual(expect.arrayContaining(did.map(([answer]) => answer)));
  // Without a pause or a kill no outcome is unknown.
  expect(known.length).toBeGreaterThanOrEqual(preemptions + kills === 0 ? 2 : 0);
}

it(
  verifies("E1", "of two processes that find a step of unknown outcome at the same time, one tries it again"),
  async () => {
    const settings = resolveSettings({ clock: { now: () => Date.now(), after: () => () => {} } });
    const store = gated(memoryStore(), () => Promise.resolve());
    const done: string[] = [];
    const paying = tool({
      name: "order",
      durable: true,
      async *run() {
        yield* step("pay", () => void done.push("pay"), { onUnknown: "retry" });
      },
    });
    const first = new RunRepository(store, sealer, settings).begin("unknown", head).startBody();
    await first.append({ start: { can: head.client.can } });
    await first.begin({ step: "pay", begun: true });
    const copies = await Promise.all(
      ["A", "B"].map(() => new RunRepository(store, sealer, settings).find("unknown")),
    );

    const outcomes = await Promise.allSettled(
      copies.map((log) => startRun(paying, {}, { runId: "unknown", journal: log?.startBody() }).next()),
    );

    expect(done).toEqual(["pay"]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  },
);

it(
  verifies("E4", "the body is given replies in the order of the log, whichever process has recorded them"),
  async () => {
    const settings = resolveSettings({ clock: { now: () => Date.now(), after: () => () => {} } });
    const runs = new RunRepository(
      gated(memoryStore(), () => Promise.resolve()),
      sealer,
      settings,
    );
    const log = runs.begin("ordered", head).startBody();
    const question = (key: string) =>
      ({ emit: "ask", ask: "text", message: `${key}?`, key, attempt: 1 }) as const;
    const round = { a: question("a"), b: question("b") };
    await log.openRound(round, runs.now() + HOUR);
    const open = await runs.opened("ordered");
    if (open === undefined) throw new Error("The round is not open.");
    await submitReply(runs, { open, question: round.b }, { action: "accept", value: "from elsewhere" });

    const next = await log.recordReply(round.a, { action: "accept", value: "from here" }, runs.now());

    expect(next).toEqual(["b", { action: "accept", value: "from elsewhere" }]);
  },
);

const random = fc.array(fc.nat({ max: 11 }), { minLength: 120, maxLength: 120 });

describe("processes that work on one run at the same time do no step twice, and leave a log that replays", () => {
  it(
    verifies(["E1", "E4"], "in every order with two pauses, and with one pause and one kill"),
    { timeout: 300_000 },
    async () => {
      const store = memoryStore();
      let tried = 0;
      for (const limits of [
        { preemptions: 0, kills: 0 },
        { preemptions: 2, kills: 0 },
        { preemptions: 1, kills: 1 },
      ])
        tried += await tryAll(async (choose) =>
          check(await attempt(store, ["A", "B"], choose, limits), limits),
        );
      process.stdout.write(`${tried} interleavings of two processes on a memory store\n`);
      expect(tried).toBeGreaterThan(1000);
    },
  );

  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.end());

  const stores: readonly (readonly [string, number, () => Promise<Store>])[] = [
    ["memory", scaled(5000), () => Promise.resolve(memoryStore())],
    ["SQLite", scaled(1000), () => openStore(`sqlite:${join(folder(), "photon.db")}`)],
    ["Redis", scaled(1000), () => openStore(redis.address)],
  ];
  it.each(stores)(
    verifies(["E1", "E4"], "in random orders of three processes with pauses and kills, on %s"),
    { timeout: 300_000 },
    async (kind, numRuns, open) => {
      const store = await open();
      try {
        const limits = { preemptions: 12, kills: 2 };
        await fc.assert(
          fc.asyncProperty(random, async (numbers) => {
            const outcome = await attempt(store, ["A", "B", "C"], chooseFrom(numbers), limits);
            check(outcome, limits);
          }),
          { numRuns },
        );
        process.stdout.write(`${numRuns} random interleavings of three processes on ${kind}\n`);
      } finally {
        await store.close();
      }
    },
  );
});
