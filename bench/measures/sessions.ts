/** The memory of an idle session. */
import type { LoadClient } from "../client/load-client.ts";
import { connectClient } from "../client/connect.ts";
import type { Address } from "../client/connection.ts";
import { BASELINE, type BenchServer } from "../harness/servers.ts";
import { scenariosOf, scenarioName, type Measure, type Scenario } from "../harness/settings.ts";
import { startServer } from "../harness/start-server.ts";
import type { Sample } from "../harness/table.ts";
import { runRounds } from "../harness/run-rounds.ts";

const AT_ONCE = 50;

export const sessions: Measure = {
  name: "sessions",
  about: "memory of an idle session: each of 2,000, beside as many others",
  async run(settings) {
    const many = settings.isQuick ? 20 : 2000;
    const samplers = scenariosOf(settings)
      .filter(({ revision, transport }) => revision === "2025-11-25" && transport !== "stdio")
      .flatMap((scenario) =>
        scenario.servers
          .filter(({ isEcho = false }) => !isEcho)
          .map((benchServer) => ({
            scenario: scenarioName(scenario),
            variant: benchServer.label,
            sample: () => costOf(benchServer, scenario, many),
          })),
      );
    return [
      {
        title: "Memory of an idle session",
        baseline: BASELINE,
        columns: {
          resident: { title: "resident", unit: "bytes", isCompared: true },
          heap: { title: "heap", unit: "bytes", isCompared: true },
        },
        rows: await runRounds(samplers, settings),
      },
    ];
  },
};

async function costOf(benchServer: BenchServer, scenario: Scenario, many: number): Promise<Sample> {
  const server = await startServer(benchServer, scenario.transport);
  const all: LoadClient[] = [];
  try {
    const open = async (until: number): Promise<void> => {
      while (all.length < until)
        all.push(...(await openSessions(server, scenario, Math.min(AT_ONCE, until - all.length))));
    };
    // The first half is not measured: memory that the process once needed to open sessions stays resident.
    await open(many);
    const before = await server.usage(true);
    await open(2 * many);
    const after = await server.usage(true);
    return {
      resident: (after.resident - before.resident) / many,
      heap: (after.heap - before.heap) / many,
    };
  } finally {
    for (const client of all) client.close();
    await server.stop();
  }
}

function openSessions(
  address: Address,
  { transport, revision }: Scenario,
  many: number,
): Promise<readonly LoadClient[]> {
  const open = async (): Promise<LoadClient> => {
    const client = await connectClient(address, { transport, revision });
    // The response shows that the server has finished the handshake.
    await client.request("ping", {});
    // A session over Streamable HTTP holds no connection while it is idle.
    if (transport === "http") client.close();
    return client;
  };
  return Promise.all(Array.from({ length: many }, open));
}
