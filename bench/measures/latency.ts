/** The latency of a call on a server at half of its maximum rate. */
import { performance } from "node:perf_hooks";
import { BASELINE } from "../harness/servers.ts";
import { scenariosOf, scenarioName, type Measure } from "../harness/settings.ts";
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
  async run(settings) {
    const rows: Row[] = [];
    for (const scenario of scenariosOf(settings)) {
      const measured = await withServers(scenario, {}, (connected) =>
        runWarmRounds(
          connected.map(({ label, client }) => {
            const act = client.prepare(call);
            return {
              scenario: scenarioName(scenario),
              variant: label,
              sample: async () => {
                const start = performance.now();
                const done = await repeatFor(act, IN_FLIGHT, settings.seconds);
                const maxRate = (done / (performance.now() - start)) * 1000;
                return atRate(act, maxRate / 2, settings.seconds);
              },
            };
          }),
          settings,
        ),
      );
      rows.push(...measured);
    }
    const columns = {
      rate: { title: "calls/s", unit: "perSecond" },
      p50: microseconds("p50"),
      p90: microseconds("p90"),
      p99: microseconds("p99"),
    } as const;
    return [{ title: "Latency at half load", baseline: BASELINE, columns, rows }];
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
    p50: percentile(took, 0.5),
    p90: percentile(took, 0.9),
    p99: percentile(took, 0.99),
  };
}
