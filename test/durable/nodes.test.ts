/** Three processes on one Redis behind a balancer, one of which is killed every second, while 100 runs ask and are answered. */
import { setTimeout as pause } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { scaled } from "../long.ts";
import { verifies } from "../requirements.ts";
import { callAll, connectStateless, connectSession, Tally } from "./callers.ts";
import { Deployment } from "./deployment.ts";
import { openMessages } from "./inbox.ts";
import { noProblems, problemsIn, recordsOf } from "./order-records.ts";
import { startProxy } from "./proxy.ts";

const NODES = 3;
/** Enough for a few kills, also where little is tried. */
const RUNS = Math.max(100, scaled(1000));
/** Of each era. */
const CALLERS = 12;

it(
  verifies(
    ["E1", "E2", "E4"],
    "no answer is lost, given twice or given to another run, while one node after another is killed",
  ),
  { timeout: 300_000 + 100 * RUNS },
  async () => {
    const deployment = await Deployment.create("Redis", { tools: "order.mjs", lease: "2s" });
    onTestFinished(() => deployment.close());
    const nodes = await Promise.all(Array.from({ length: NODES }, () => deployment.start()));
    const proxy = await startProxy(() => nodes.map(({ url }) => url));
    onTestFinished(() => proxy.end());

    const tally = new Tally();
    const callers = [connectStateless, connectSession].flatMap((connect, era) => {
      // The callers of an era share the tokens: each takes the next when it has completed one.
      const tokens = Array.from({ length: RUNS / 2 }, (_, index) => `run-${era}-${index}`).values();
      return Array.from({ length: CALLERS }, () =>
        callAll(connect, { url: proxy.url, tool: "order", tokens, tally }),
      );
    });
    let isOver = false;
    const calling = Promise.all(callers).finally(() => (isOver = true));
    let kills = 0;
    const killing = (async () => {
      for (;;) {
        await Promise.race([pause(1000), calling.catch(() => {})]);
        if (isOver) return;
        await nodes[kills % NODES]?.kill();
        nodes[kills % NODES] = await deployment.start();
        kills += 1;
      }
    })();
    const completed = (await calling).flat();
    await killing;

    const records = recordsOf(deployment);
    process.stdout.write(
      `${completed.length} runs on ${NODES} nodes, one after another killed, ${kills} times: ${records.length} answers; sent again: ${tally.sentAgain}; calls made anew: ${tally.withoutResponse.length + tally.notKept.length}\n`,
    );
    expect(problemsIn(records, completed)).toEqual(noProblems);
    expect(records).toHaveLength(3 * RUNS);
    expect(completed).toHaveLength(RUNS);
    // A run that is in the store is not one of which nothing is kept.
    const open = await openMessages(nodes[0]?.url ?? "");
    expect(open.filter((message) => tally.notKept.includes(message.replace(/\/\d$/, "")))).toEqual([]);
  },
);
