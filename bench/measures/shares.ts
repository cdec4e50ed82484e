/** The shares of the parts of Photon in the CPU of a call and of a question. */
import type { Call } from "../client/call-message.ts";
import { scenariosOf, scenarioName, type Measure } from "../harness/settings.ts";
import { PARTS, sharesByPart } from "../harness/profile.ts";
import { repeatFor } from "../harness/cost.ts";
import type { Column, Row } from "../harness/table.ts";
import { runWarmRounds } from "../harness/run-rounds.ts";
import { withServers } from "../harness/with-servers.ts";

const IN_FLIGHT = 32;

const loads: { readonly [name: string]: Call } = {
  "a call": { tool: "echo", input: { text: "Hello, world" } },
  "a question": { tool: "ask", input: { questions: 1 } },
};

export const shares: Measure = {
  name: "shares",
  about: "where the time of calls and questions goes, 32 in flight, by profiles of the server",
  async run(settings) {
    const rows: Row[] = [];
    for (const scenario of scenariosOf(settings)) {
      const servers = scenario.servers.filter(({ label }) => label === "Photon");
      settings.log(`starting: ${scenarioName(scenario)}`);
      rows.push(
        ...(await withServers({ ...scenario, servers }, {}, (connected) => {
          const samplers = connected.flatMap(({ server, client }) =>
            Object.entries(loads).map(([name, call]) => {
              const act = client.prepare(call);
              return {
                scenario: scenarioName(scenario),
                variant: name,
                sample: async () =>
                  sharesByPart(await server.profile(() => repeatFor(act, IN_FLIGHT, settings.seconds))),
              };
            }),
          );
          return runWarmRounds(samplers, settings);
        })),
      );
    }
    const columns = Object.fromEntries(
      Object.entries(PARTS).map(([part, title]): [string, Column] => [part, { title, unit: "percent" }]),
    );
    return [{ title: "Where the time goes", baseline: "", columns, rows }];
  },
};
