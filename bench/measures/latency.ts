/** The latency of a call on a server at half of its maximum rate. */
import { performance } from "node:perf_hooks";
import { FLOOR } from "../harness/servers.ts";
import { scenariosOf, scenarioName, type Measure } from "../harness/plan.ts";
import { repeatFor } from "../harness/cost.ts";
import { percentile } from "../harness/statistics.ts";
import type { Row, Sample } from "../harness/table.ts";
import { runWarmRounds } from "../harness/run-rounds.ts";
import { withServers } from "../harness/with-servers.ts";

const IN_FLIGHT = 32;
const call = { tool: "echo", input: { text: "Hello, world" } };
const microseconds = (title: string): { title: string; unit: "microseconds"; isCompared: true } => ({
  title,
  unit: "microseconds",
  isCompared: true,
});

export const latency: Measure = {
  name: "latency",
  about: "how long a call takes at half of what each server can do",
  async run(plan) {
    const rows: Row[] = [];
    for (const scenario of scenariosOf(plan)) {
      const measured = await withServers(scenario, {}, (connected) =>
        runWarmRounds(
          connected.map(({ label, client }) => {
            const act = client.prepare(call);
            return {
              where: scenarioName(scenario),
              who: label,
              sample: async () => {
                const start = performance.now();
                const done = await repeatFor(act, IN_FLIGHT, plan.seconds);
                const most = (done / (performance.now() - start)) * 1000;
                return atRate(act, most / 2, plan.seconds);
              },
            };
          }),
          plan,
        ),
      );
      rows.push(...measured);
    }
    const columns = {
      rate: { title: "calls/s", unit: "perSecond" },
      half: microseconds("p50"),
      most: microseconds("p90"),
      nearlyAll: microseconds("p99"),
    } as const;
    return [{ title: "Latency at half load", floor: FLOOR, columns, rows }];
  },
};

/** Makes calls at a fixed rate, whether or not earlier calls have ended. The time of a call begins when it is due. */
async function atRate(act: () => Promise<unknown>, rate: number, seconds: number): Promise<Sample> {
  const took: number[] = [];
  const all: Promise<void>[] = [];
  const start = performance.now();
  const due = (): number => start + (all.length / rate) * 1000;
  while (performance.now() < start + seconds * 1000) {
    while (due() <= performance.now()) {
      const from = due();
      all.push(act().then(() => void took.push((performance.now() - from) * 1000)));
    }
    await new Promise(setImmediate);
  }
  await Promise.all(all);
  return {
    rate,
    half: percentile(took, 0.5),
    most: percentile(took, 0.9),
    nearlyAll: percentile(took, 0.99),
  };
}
