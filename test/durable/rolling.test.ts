/**
 * Three processes behind a balancer are replaced one after another, as in a rolling deployment: a new process is started, the
 * old one is taken out of the balancer and is sent SIGTERM. Clients of both eras call all the time.
 *
 * There are 5 SIGTERMs on each store, of which `npm run test:long` sends 100.
 */
import { expect, it, onTestFinished } from "vitest";
import { scaled } from "../long.ts";
import { verifies } from "../requirements.ts";
import { callAll, connectStateless, connectSession, Tally } from "./callers.ts";
import { Deployment, storeKinds } from "./deployment.ts";
import { openMessages } from "./inbox.ts";
import { noProblems, problemsIn, recordsOf } from "./order-records.ts";
import { startProxy } from "./proxy.ts";

const NODES = 3;
const TERMS = scaled(100);
/** Of each era. */
const CALLERS = 4;

it.each(storeKinds)(
  verifies(
    ["E1", "E2", "E4"],
    "no call fails, and no step is done twice, while one node after another is sent SIGTERM and replaced (%s)",
  ),
  { timeout: 60_000 + TERMS * 10_000 },
  async (kind) => {
    const deployment = await Deployment.create(kind, { tools: "order.mjs", lease: "2s" });
    onTestFinished(() => deployment.close());
    const nodes = await Promise.all(Array.from({ length: NODES }, () => deployment.start()));
    const proxy = await startProxy(() => nodes.map(({ url }) => url));
    onTestFinished(() => proxy.end());

    const over = new AbortController();
    onTestFinished(() => over.abort());
    function* tokensOf(caller: string): Iterable<string> {
      for (let number = 1; !over.signal.aborted; number += 1) yield `${caller}-${number}`;
    }
    const tally = new Tally();
    const callers = [connectStateless, connectSession].flatMap((connect, era) =>
      Array.from({ length: CALLERS }, (_, index) => {
        const tokens = tokensOf(`${era}-${index}`);
        return callAll(connect, { url: proxy.url, tool: "slow-order", tokens, tally });
      }),
    );
    const calling = Promise.all(callers);
    // A call that fails ends the test at once.
    const failed = calling.then(() => undefined);
    const exits: unknown[] = [];
    for (let terms = 0; terms < TERMS; terms += 1) {
      const next = await deployment.start();
      const [old] = nodes.splice(terms % NODES, 1, next);
      exits.push(await Promise.race([old?.terminate(), failed]));
    }
    over.abort();
    const completed = (await calling).flat();

    const records = recordsOf(deployment);
    process.stdout.write(
      `${completed.length} calls on ${NODES} nodes (${kind}), of which one after another was sent SIGTERM, ${TERMS} times: ${records.length} answers; sent again: ${tally.sentAgain}; calls made anew: ${tally.withoutResponse.length + tally.notKept.length}\n`,
    );
    expect(problemsIn(records, completed)).toEqual(noProblems);
    expect(records).toHaveLength(3 * completed.length);
    expect(exits).toEqual(Array.from({ length: TERMS }, () => ({ code: 0, signal: null })));
    const open = await openMessages(nodes[0]?.url ?? "");
    expect(open.filter((message) => tally.notKept.includes(message.replace(/\/\d$/, "")))).toEqual([]);
  },
);
