/** What it costs to ask, to answer and to list in a store, whatever is open in it and however long a log is. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openStore, type Store } from "@photon/server";
import type { Measure, Plan } from "../harness/plan.ts";
import type { Sample } from "../harness/table.ts";
import { takeWarmTurns, type Turn } from "../harness/take-turns.ts";
import { timed } from "../harness/timed.ts";

/** As long as what a question leaves behind, sealed. */
const RECORD = "x".repeat(500);
const UNTIL = Date.now() + 24 * 3_600_000;
const LONG = "a long run";
const AT_ONCE = 500;

setFlagsFromString("--expose-gc");
// Only a context that is made from now on has it.
const collect = runInNewContext("gc") as () => void;

/** A store, so much of which is open, with a log that has so many records. */
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

/** Each of these as often as it is done for one sample. */
async function sample(store: Store, times: number, records: number): Promise<Sample> {
  let at = records + (await store.read(LONG, records)).length;
  let run = 0;
  const asked: string[] = [];
  const { next } = await store.list({ limit: 50 });
  const page = { limit: 50, ...(next === undefined ? {} : { after: next }) };
  return {
    append: await timed(times, async () => {
      await store.append(LONG, at++, [RECORD], { until: UNTIL });
    }),
    question: await timed(times, async () => {
      const since = Date.now();
      const name = `new ${++run} ${since}`;
      await store.append(name, 0, [RECORD], {
        until: UNTIL,
        open: { group: "group 1", since, due: UNTIL, value: RECORD },
      });
      asked.push(name);
    }),
    // As the inbox does it: it looks what is open, puts the answer into the log, and tells the others.
    answer: await timed(times, async () => {
      const name = asked.pop() ?? "";
      await store.getOpen(name);
      await store.append(name, 1, [RECORD], {
        until: UNTIL,
        open: { group: "answered", since: Date.now(), value: RECORD },
      });
      await store.publish("news", RECORD);
    }),
    page: await timed(times, () => store.list(page)),
    read: await timed(times, () => store.read(LONG, at - 10)),
    heap: await heapAfterListing(store),
  };
}

/** What is held on to once everything was listed, page by page, in KiB. */
async function heapAfterListing(store: Store): Promise<number> {
  let after: string | undefined;
  do ({ next: after } = await store.list({ limit: 200, ...(after === undefined ? {} : { after }) }));
  while (after !== undefined);
  collect();
  return process.memoryUsage().heapUsed / 1024;
}

const spell = (open: number): string => `${open.toLocaleString("en")} open`;

/** The turns of one kind: a store for each number of what is open. */
async function turnsOf(
  kind: string,
  plan: Plan,
  addressOf: (name: string) => string,
): Promise<readonly Turn[]> {
  const [times, records] = plan.isQuick ? [3, 20] : [300, 10_000];
  const turns: Turn[] = [];
  for (const open of plan.isQuick ? [10, 20] : [100, 10_000, 100_000]) {
    plan.say(`${kind}: opening ${spell(open)}`);
    const store = await openStore(addressOf(String(open)));
    await fill(store, open, records);
    turns.push({ where: kind, who: spell(open), take: () => sample(store, times, records) });
  }
  return turns;
}

/** A Redis of its own; a store that is opened there waits until it has started. */
async function startRedis(folder: string): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const port = await freePort();
  const words = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""];
  const child = spawn("redis-server", words, { stdio: "ignore" });
  process.once("exit", () => child.kill());
  return { child, port };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

export const store: Measure = {
  name: "store",
  about:
    "what asking, answering and a page cost in SQLite and Redis, with 100, 10,000 and 100,000 questions open",
  async take(plan) {
    const folder = await mkdtemp(join(tmpdir(), "photon-bench-store-"));
    const turns = [...(await turnsOf("SQLite", plan, (name) => `sqlite:${join(folder, `${name}.db`)}`))];
    const hasRedis = spawnSync("redis-server", ["--version"]).error === undefined;
    const redis = hasRedis ? await startRedis(folder) : undefined;
    if (redis === undefined) plan.say("Redis is left out: there is no redis-server here.");
    else {
      const addressOf = (name: string): string => `redis://127.0.0.1:${redis.port}?prefix=${name}:`;
      turns.push(...(await turnsOf("Redis", plan, addressOf)));
    }
    const rows = await takeWarmTurns(turns, plan);
    redis?.child.kill();
    await rm(folder, { recursive: true });
    return [
      {
        title: "Stores",
        floor: turns[0]?.who ?? "",
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
