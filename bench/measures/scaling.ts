/** Whether the cost of a call grows with the number of tools, and with the number of parked calls. */
import type { BenchServer } from "../harness/servers.ts";
import { openQuestions } from "../harness/open-questions.ts";
import {
  scenariosOf,
  scenarioName,
  type Measure,
  type BenchSettings,
  type Scenario,
} from "../harness/settings.ts";
import { rateColumns, sampleOf, type Load } from "../harness/rates.ts";
import type { Row } from "../harness/table.ts";
import { runWarmRounds } from "../harness/run-rounds.ts";
import { withServers, type ConnectedServer, type WithOptions } from "../harness/with-servers.ts";

const load: Load = {
  name: "32 in flight",
  call: { tool: "echo", input: { text: "Hello, world" } },
  inFlight: 32,
  unitsPerCall: 1,
};

/** One of the compared servers. */
interface Variant {
  readonly name: string;
  readonly options: WithOptions;
  /** Questions that are left open. */
  readonly openQuestions: number;
}

/** Starts one server for each variant, and measures them in the same rounds. */
async function compare(
  { scenario, benchServer }: { readonly scenario: Scenario; readonly benchServer: BenchServer },
  variants: readonly Variant[],
  settings: BenchSettings,
): Promise<readonly Row[]> {
  const name = `${scenarioName(scenario)}, ${benchServer.label}`;
  const startNext = async (connected: readonly ConnectedServer[]): Promise<readonly Row[]> => {
    const [variant] = variants.slice(connected.length);
    if (variant !== undefined) {
      settings.log(`starting ${benchServer.label} with ${variant.name}`);
      return withServers({ ...scenario, servers: [benchServer] }, variant.options, async ([one]) => {
        if (one === undefined) throw new Error(`${benchServer.label} was not started.`);
        await openQuestions(one.client, variant.openQuestions);
        return startNext([...connected, one]);
      });
    }
    const samplers = connected.map((one, index) => ({
      scenario: name,
      variant: variants[index]?.name ?? "",
      sample: () => sampleOf(one, load, settings.seconds),
    }));
    return runWarmRounds(samplers, settings);
  };
  return startNext([]);
}

const serversOf = (scenarios: readonly Scenario[]) =>
  scenarios.flatMap((scenario) =>
    scenario.servers
      .filter(({ isEcho = false }) => !isEcho)
      .map((benchServer) => ({ scenario, benchServer })),
  );

const format = (amount: number): string => amount.toLocaleString("en");

export const tools: Measure = {
  name: "tools",
  about: "what a call costs with 3, 100 and 1,000 tools",
  async run(settings) {
    const amounts = settings.isQuick ? [3, 10] : [3, 100, 1000];
    const variants = amounts.map((amount) => ({
      name: `${format(amount)} tools`,
      options: { tools: amount },
      openQuestions: 0,
    }));
    const scenarios = scenariosOf(settings).filter(
      ({ transport, revision }) =>
        (transport === "stdio") === (revision === "2025-11-25") && transport !== "websocket",
    );
    const rows: Row[] = [];
    for (const one of serversOf(scenarios)) rows.push(...(await compare(one, variants, settings)));
    const title = "Calls with many tools";
    return [{ title, baseline: variants[0]?.name ?? "", columns: rateColumns("calls", "call"), rows }];
  },
};

export const parked: Measure = {
  name: "parked",
  about: "what a call costs while 0, 2,000 and 20,000 others wait for answers",
  async run(settings) {
    const amounts = settings.isQuick ? [0, 100] : [0, 2000, 20_000];
    const variants = amounts.map((amount) => ({
      name: `${format(amount)} waiting`,
      options: { leavesQuestionsOpen: true },
      openQuestions: amount,
    }));
    const scenarios = scenariosOf(settings)
      .filter(({ transport }) => transport === "websocket")
      .map((scenario) => ({
        ...scenario,
        servers: scenario.servers.filter(({ label }) => label === "Photon"),
      }));
    const rows: Row[] = [];
    for (const one of serversOf(scenarios)) rows.push(...(await compare(one, variants, settings)));
    const title = "Calls while others wait";
    return [{ title, baseline: variants[0]?.name ?? "", columns: rateColumns("calls", "call"), rows }];
  },
};
