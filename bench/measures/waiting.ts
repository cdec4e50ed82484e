/** The heap of an open question, and what remains of it after it has expired. */
import { MODERN } from "../client/connection.ts";
import { BASELINE } from "../harness/servers.ts";
import { openQuestions } from "../harness/open-questions.ts";
import {
  scenariosOf,
  scenarioName,
  type Measure,
  type BenchSettings,
  type Scenario,
} from "../harness/settings.ts";
import type { Row, Sample } from "../harness/table.ts";
import { runRounds } from "../harness/run-rounds.ts";
import { withServers } from "../harness/with-servers.ts";

/** Questions that are opened before the first measurement, so that memory which all questions share does not count. */
const WARM_UP = 100;

export const waiting: Measure = {
  name: "waiting",
  about: "heap of a question that waits, at 2,000 and 20,000 in one connection, and after its time is over",
  async run(settings) {
    const scenarios = scenariosOf(settings).filter(
      ({ transport }) => transport === "stdio" || transport === "websocket",
    );
    return [
      {
        title: "Heap of a question that waits",
        baseline: BASELINE,
        columns: {
          few: { title: "each of 2,000", unit: "bytes" },
          many: { title: "each of 20,000", unit: "bytes" },
        },
        rows: await runRounds(
          scenarios.flatMap((scenario) => waitingIn(scenario, settings)),
          settings,
        ),
      },
      {
        title: "Heap after the questions have expired",
        baseline: BASELINE,
        columns: {
          held: { title: "20,000 waiting", unit: "kibibytes" },
          left: { title: "after they expired", unit: "kibibytes" },
        },
        rows: await expired(scenarios, settings),
      },
    ];
  },
};

const amounts = ({ isQuick }: BenchSettings): readonly [few: number, many: number] =>
  isQuick ? [20, 200] : [2000, 20_000];

/** Each round starts a new process, because a process keeps memory that it once needed. */
function waitingIn(scenario: Scenario, settings: BenchSettings) {
  const [few, many] = amounts(settings);
  return scenario.servers
    .filter(({ isEcho = false }) => !isEcho)
    .map((benchServer) => ({
      scenario: scenarioName(scenario),
      variant: benchServer.label,
      sample: (): Promise<Sample> =>
        withServers({ ...scenario, servers: [benchServer] }, { leavesQuestionsOpen: true }, async ([one]) => {
          if (one === undefined) throw new Error(`${benchServer.label} was not started.`);
          const { server, client } = one;
          await openQuestions(client, WARM_UP);
          const before = await server.usage(true);
          await openQuestions(client, WARM_UP + few, WARM_UP);
          const withFew = await server.usage(true);
          await openQuestions(client, WARM_UP + many, WARM_UP + few);
          const withMany = await server.usage(true);
          return {
            few: (withFew.heap - before.heap) / few,
            many: (withMany.heap - before.heap) / many,
          };
        }),
    }));
}

/** For Photon only: the clock of the other servers cannot be put forward. */
function expired(scenarios: readonly Scenario[], settings: BenchSettings): Promise<readonly Row[]> {
  const [, many] = amounts(settings);
  const samplers = scenarios
    .filter(({ revision }) => revision === MODERN)
    .flatMap((scenario) =>
      scenario.servers
        .filter(({ label }) => label === "Photon")
        .map((benchServer) => ({
          scenario: scenarioName(scenario),
          variant: benchServer.label,
          sample: (): Promise<Sample> =>
            withServers(
              { ...scenario, servers: [benchServer] },
              { leavesQuestionsOpen: true, canAdvanceClock: true },
              async ([one]) => {
                if (one === undefined) throw new Error(`${benchServer.label} was not started.`);
                const { server, client } = one;
                const echo = client.prepare({ tool: "echo", input: { text: "still there" } });
                const heapAfter = async (advancesClock: boolean): Promise<number> => {
                  if (advancesClock) server.sendMessage("advance-clock");
                  for (let times = 0; times < WARM_UP; times++) await echo();
                  return (await server.usage(true)).heap / 1024;
                };
                // Before the measurement, because maps keep their largest capacity.
                await openQuestions(client, many);
                const before = await heapAfter(true);
                await openQuestions(client, 2 * many, many);
                const held = (await heapAfter(false)) - before;
                return { held, left: (await heapAfter(true)) - before };
              },
            ),
        })),
    );
  return runRounds(samplers, settings);
}
