/** What a session costs in which nothing happens. */
import type { Caller } from "../client/caller.ts";
import { connectTo } from "../client/connect.ts";
import type { Address } from "../client/wire.ts";
import { FLOOR, type Contestant } from "../harness/contestants.ts";
import { settingsOf, spelled, type Measure, type Setting } from "../harness/plan.ts";
import { startServer } from "../harness/start-server.ts";
import type { Sample } from "../harness/table.ts";
import { takeTurns } from "../harness/take-turns.ts";

const AT_ONCE = 50;

export const sessions: Measure = {
  name: "sessions",
  about: "memory of an idle session: each of 2,000, beside as many others",
  async take(plan) {
    const many = plan.isQuick ? 20 : 2000;
    const turns = settingsOf(plan)
      .filter(({ revision, transport }) => revision === "2025-11-25" && transport !== "stdio")
      .flatMap((setting) =>
        setting.who
          .filter(({ isEcho = false }) => !isEcho)
          .map((contestant) => ({
            where: spelled(setting),
            who: contestant.label,
            take: () => costOf(contestant, setting, many),
          })),
      );
    return [
      {
        title: "Memory of an idle session",
        floor: FLOOR,
        columns: {
          resident: { title: "resident", unit: "bytes", isCompared: true },
          heap: { title: "heap", unit: "bytes", isCompared: true },
        },
        rows: await takeTurns(turns, plan),
      },
    ];
  },
};

async function costOf(contestant: Contestant, setting: Setting, many: number): Promise<Sample> {
  const server = await startServer(contestant, setting.transport);
  const all: Caller[] = [];
  try {
    const open = async (until: number): Promise<void> => {
      while (all.length < until)
        all.push(...(await openSessions(server, setting, Math.min(AT_ONCE, until - all.length))));
    };
    // As many before: what a process once needed to open one stays resident, and is not what a session costs.
    await open(many);
    const before = await server.usage(true);
    await open(2 * many);
    const after = await server.usage(true);
    return {
      resident: (after.resident - before.resident) / many,
      heap: (after.heap - before.heap) / many,
    };
  } finally {
    for (const caller of all) caller.close();
    await server.stop();
  }
}

function openSessions(
  address: Address,
  { transport, revision }: Setting,
  many: number,
): Promise<readonly Caller[]> {
  const open = async (): Promise<Caller> => {
    const caller = await connectTo(address, { transport, revision });
    // Answered only after the handshake is over.
    await caller.request("ping", {});
    // A session over Streamable HTTP holds no connection while it is idle.
    if (transport === "http") caller.close();
    return caller;
  };
  return Promise.all(Array.from({ length: many }, open));
}
