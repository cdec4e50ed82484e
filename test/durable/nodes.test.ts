/** Three processes on one Redis behind a balancer, one of which is killed every second, while 500 runs ask and are answered. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as passing } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { startRedis } from "../../packages/server/test/stores/redis-server.ts";
import { verifies } from "../requirements.ts";
import { Cluster } from "./cluster.ts";
import { modernCustomer, sessionCustomer, type Tally } from "./customers.ts";
import { startProxy } from "./proxy.ts";

const NODES = 3;
const RUNS = 500;
/** Of each era. */
const CUSTOMERS = 12;

/** What the tool wrote down of one answer. */
interface Told {
  readonly key: string;
  readonly question: string;
  readonly answer: string;
}

it(
  verifies(
    ["E1", "E2", "E4"],
    "no answer is lost, given twice or given to another run, while one node after another is killed",
  ),
  { timeout: 300_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "photon-nodes-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const records = join(folder, "records");
    const redis = await startRedis();
    onTestFinished(() => redis.end());
    const cluster = await Cluster.start(NODES, redis.address, records);
    onTestFinished(() => cluster.end());
    const proxy = await startProxy(() => cluster.urls);
    onTestFinished(() => proxy.end());

    const tally: Tally = { resent: 0, lost: [] };
    const customers = [modernCustomer, sessionCustomer].flatMap((customer, era) => {
      // Shared by those of an era: whoever is done takes the next.
      const tokens = Array.from({ length: RUNS / 2 }, (_, index) => `run-${era}-${index}`).values();
      return Array.from({ length: CUSTOMERS }, () => customer(proxy.url, tokens, tally));
    });
    let isOver = false;
    const buying = Promise.all(customers).finally(() => (isOver = true));
    let kills = 0;
    const killing = (async () => {
      for (;;) {
        await Promise.race([passing(1000), buying]);
        if (isOver) return;
        await cluster.replace(kills % NODES);
        kills += 1;
      }
    })();
    const bought = (await buying).flat();
    await killing;

    const told = readFileSync(records, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Told);
    const answers = new Map(told.map(({ question, answer }) => [question, answer]));
    process.stdout.write(
      `${bought.length} runs on ${NODES} nodes, one after another killed, ${kills} times: ${told.length} answers; sent again: ${tally.resent}; calls made anew: ${tally.lost.length}\n`,
    );
    // Each question of each run was answered once, and what was lost before it was begun was told nothing.
    expect(told.filter(({ key }, index) => told.findIndex((one) => one.key === key) < index)).toEqual([]);
    expect(told).toHaveLength(3 * RUNS);
    expect(answers.size).toBe(3 * RUNS);
    expect(new Set(told.map(({ key }) => key)).size).toBe(3 * RUNS);
    // Each was given to the run that asked, and that is what the run went on with.
    expect(told.filter(({ question, answer }) => !answer.startsWith(`${question}#`))).toEqual([]);
    expect(bought).toHaveLength(RUNS);
    for (const { token, said } of bought)
      expect(said).toEqual([1, 2, 3].map((number) => answers.get(`${token}/${number}`)));
  },
);
