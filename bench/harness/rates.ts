/** Measures rates: how often a server handles a call per second, and the CPU of each. */
import type { Call } from "../client/call-message.ts";
import { scenariosOf, scenarioName, type BenchSettings } from "./settings.ts";
import { repeatFor, measureCost } from "./cost.ts";
import type { Column, Row, Sample } from "./table.ts";
import { runWarmRounds } from "./run-rounds.ts";
import { withServers, type ConnectedServer } from "./with-servers.ts";

export interface Load {
  readonly name: string;
  readonly call: Call;
  readonly inFlight: number;
  /** How many units (calls, questions, notifications) one call counts for. */
  readonly unitsPerCall: number;
}

export const rateColumns = (plural: string, singular: string): { readonly [column: string]: Column } => ({
  rate: { title: `${plural}/s`, unit: "perSecond", isCompared: true },
  server: { title: `CPU per ${singular}`, unit: "microseconds", isCompared: true },
  clientLoad: { title: "client CPU", unit: "percent" },
});

/** Measures all loads in all scenarios. `canEcho`: also on a server that only sends back each message. */
export async function measureRates(
  settings: BenchSettings,
  loads: readonly Load[],
  canEcho = false,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const scenario of scenariosOf(settings)) {
    const servers = scenario.servers.filter(({ isEcho = false }) => canEcho || !isEcho);
    settings.log(`starting ${servers.length} servers: ${scenarioName(scenario)}`);
    const measured = await withServers({ ...scenario, servers }, {}, (connected) => {
      const samplers = loads.flatMap((load) =>
        connected.map((one) => ({
          scenario: `${scenarioName(scenario)}, ${load.name}`,
          variant: one.label,
          sample: () => sampleOf(one, load, settings.seconds),
        })),
      );
      return runWarmRounds(samplers, settings);
    });
    rows.push(...measured);
  }
  return rows;
}

/** `arrived` is the smallest number of progress notifications that a call received before its result. */
export async function sampleOf(
  { server, client }: Pick<ConnectedServer, "server" | "client">,
  { call, inFlight, unitsPerCall }: Load,
  seconds: number,
): Promise<Sample> {
  const makeCall = client.prepare(call);
  let arrived = Number.POSITIVE_INFINITY;
  const countProgress = async (): Promise<void> => {
    arrived = Math.min(arrived, await makeCall());
  };
  const cost = await measureCost(
    server,
    async () => unitsPerCall * (await repeatFor(countProgress, inFlight, seconds)),
  );
  return {
    rate: cost.count / cost.seconds,
    server: cost.server,
    clientLoad: cost.clientLoad,
    ...(call.wantsProgress === true ? { arrived } : {}),
  };
}
