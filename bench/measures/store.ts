/** The cost of asking, answering and listing in a store, with different numbers of open questions and a long log. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openStore, type Store } from "@photon/server";
import type { Measure, BenchSettings } from "../harness/settings.ts";
import { freePort } from "../harness/start-server.ts";
import type { Sample } from "../harness/table.ts";
import { runWarmRounds, type RowSampler } from "../harness/run-rounds.ts";
import { meanTime } from "../harness/cost.ts";

/** As long as the encrypted records of a question. */
const RECORD = "x".repeat(500);
const UNTIL = Date.now() + 24 * 3_600_000;
const LONG = "a long run";
const AT_ONCE = 500;

setFlagsFromString("--expose-gc");
// `gc` exists only in contexts that are created after the flag was set.
const collectGarbage = runInNewContext("gc") as () => void;

/** Fills a store with `open` open questions, and one log of `records` records. */
async function fill(store: Store, open: number, records: number): Promise<void> {
  for (let from = 0; from < open; from += AT_ONCE) {
    const runs = Array.from({ length: Math.min(AT_ONCE, open - from) }, (_, index) => from + index);
    await Promise.all(
      runs.map((run) =>
        store.append(`run ${run}`, 0, [RECORD], {
          until: UNTIL,
          open: { group: `group ${run % 100}`, since: run, due: UNTIL, value: RECORD },
        }),
      ),
    );
  }
  for (let at = 0; at < records; at += AT_ONCE) {
    await store.append(LONG, at, Array<string>(Math.min(AT_ONCE, records - at)).fill(RECORD), {
      until: UNTIL,
    });
  }
}

/** Takes one sample: each operation `times` times. */
async function sample(store: Store, times: number, records: number): Promise<Sample> {
  let at = records + (await store.read(LONG, records)).length;
  let run = 0;
  const asked: string[] = [];
  const { next } = await store.list({ limit: 50 });
  const page = { limit: 50, ...(next === undefined ? {} : { after: next }) };
  return {
    append: await meanTime(times, async () => {
      await store.append(LONG, at++, [RECORD], { until: UNTIL });
    }),
    question: await meanTime(times, async () => {
      const since = Date.now();
      const name = `new ${++run} ${since}`;
      await store.append(name, 0, [RECORD], {
        until: UNTIL,
        open: { group: "group 1", since, due: UNTIL, value: RECORD },
      });
      asked.push(name);
    }),
    // As the inbox does it: it reads the open question, appends the answer to the log, and notifies the other processes.
    answer: await meanTime(times, async () => {
      const name = asked.pop() ?? "";
      await store.getOpen(name);
      await store.append(name, 1, [RECORD], {
        until: UNTIL,
        open: { group: "answered", since: Date.now(), value: RECORD },
      });
      await store.publish("answers", RECORD);
    }),
    page: await meanTime(times, () => store.list(page)),
    read: await meanTime(times, () => store.read(LONG, at - 10)),
    heap: await heapAfterListing(store),
  };
}

/** The heap after listing all pages, in KiB. */
async function heapAfterListing(store: Store): Promise<number> {
  let after: string | undefined;
  do ({ next: after } = await store.list({ limit: 200, ...(after === undefined ? {} : { after }) }));
  while (after !== undefined);
  collectGarbage();
  return process.memoryUsage().heapUsed / 1024;
}

const openCount = (open: number): string => `${open.toLocaleString("en")} open`;

/** The samplers of one kind of store: one store for each number of open questions. */
async function samplersOf(
  kind: string,
  settings: BenchSettings,
  addressOf: (name: string) => string,
): Promise<readonly RowSampler[]> {
  const [times, records] = settings.isQuick ? [3, 20] : [300, 10_000];
  const samplers: RowSampler[] = [];
  for (const open of settings.isQuick ? [10, 20] : [100, 10_000, 100_000]) {
    settings.log(`${kind}: opening ${openCount(open)}`);
    const store = await openStore(addressOf(String(open)));
    await fill(store, open, records);
    samplers.push({ scenario: kind, variant: openCount(open), sample: () => sample(store, times, records) });
  }
  return samplers;
}

/** Starts a Redis. Opening a store waits until it accepts connections. */
async function startRedis(folder: string): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const port = await freePort();
  const flags = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""];
  const child = spawn("redis-server", flags, { stdio: "ignore" });
  process.once("exit", () => child.kill());
  return { child, port };
}

export const store: Measure = {
  name: "store",
  about:
    "what asking, answering and a page cost in SQLite and Redis, with 100, 10,000 and 100,000 questions open",
  async run(settings) {
    const folder = await mkdtemp(join(tmpdir(), "photon-bench-store-"));
    const samplers = [
      ...(await samplersOf("SQLite", settings, (name) => `sqlite:${join(folder, `${name}.db`)}`)),
    ];
    const hasRedis = spawnSync("redis-server", ["--version"]).error === undefined;
    const redis = hasRedis ? await startRedis(folder) : undefined;
    if (redis === undefined) settings.log("Redis is left out: there is no redis-server here.");
    else {
      const addressOf = (name: string): string => `redis://127.0.0.1:${redis.port}?prefix=${name}:`;
      samplers.push(...(await samplersOf("Redis", settings, addressOf)));
    }
    const rows = await runWarmRounds(samplers, settings);
    redis?.child.kill();
    await rm(folder, { recursive: true });
    return [
      {
        title: "Stores",
        baseline: samplers[0]?.variant ?? "",
        columns: {
          append: { title: "append to a log of 10,000", unit: "microseconds", isCompared: true },
          question: { title: "ask", unit: "microseconds", isCompared: true },
          answer: { title: "answer", unit: "microseconds", isCompared: true },
          page: { title: "a page of 50", unit: "microseconds", isCompared: true },
          read: { title: "read its end", unit: "microseconds", isCompared: true },
          heap: { title: "heap after listing all", unit: "kibibytes", isCompared: true },
        },
        rows,
      },
    ];
  },
};
