/** What a question costs that nobody has answered yet, and what is left of it once its time is over. */
import { MODERN } from "../client/wire.ts";
import { FLOOR } from "../harness/contestants.ts";
import { leaveOpen } from "../harness/leave-open.ts";
import { settingsOf, spelled, type Measure, type Plan, type Setting } from "../harness/plan.ts";
import type { Row, Sample } from "../harness/table.ts";
import { takeTurns } from "../harness/take-turns.ts";
import { withServers } from "../harness/with-servers.ts";

/** Before anything is measured: what is there once, for all of them, is not counted. */
const FIRST = 100;

export const waiting: Measure = {
  name: "waiting",
  about: "heap of a question that waits, at 2,000 and 20,000 in one connection, and after its time is over",
  async take(plan) {
    const settings = settingsOf(plan).filter(
      ({ transport }) => transport === "stdio" || transport === "websocket",
    );
    return [
      {
        title: "Heap of a question that waits",
        floor: FLOOR,
        columns: {
          few: { title: "each of 2,000", unit: "bytes" },
          many: { title: "each of 20,000", unit: "bytes" },
        },
        rows: await takeTurns(
          settings.flatMap((setting) => waitingIn(setting, plan)),
          plan,
        ),
      },
      {
        title: "Heap after the questions have expired",
        floor: FLOOR,
        columns: {
          held: { title: "20,000 waiting", unit: "kibibytes" },
          left: { title: "after they expired", unit: "kibibytes" },
        },
        rows: await expired(settings, plan),
      },
    ];
  },
};

const amounts = ({ isQuick }: Plan): readonly [few: number, many: number] =>
  isQuick ? [20, 200] : [2000, 20_000];

/** Each round with a new process: what was once needed stays with it. */
function waitingIn(setting: Setting, plan: Plan) {
  const [few, many] = amounts(plan);
  return setting.who
    .filter(({ isEcho = false }) => !isEcho)
    .map((contestant) => ({
      where: spelled(setting),
      who: contestant.label,
      take: (): Promise<Sample> =>
        withServers({ ...setting, who: [contestant] }, { isPatient: true }, async ([one]) => {
          if (one === undefined) throw new Error(`${contestant.label} was not started.`);
          const { server, caller } = one;
          await leaveOpen(caller, FIRST);
          const before = await server.usage(true);
          await leaveOpen(caller, FIRST + few, FIRST);
          const withFew = await server.usage(true);
          await leaveOpen(caller, FIRST + many, FIRST + few);
          const withMany = await server.usage(true);
          return {
            few: (withFew.heap - before.heap) / few,
            many: (withMany.heap - before.heap) / many,
          };
        }),
    }));
}

/** Only of those whose clock can be put forward, which is ours. */
function expired(settings: readonly Setting[], plan: Plan): Promise<readonly Row[]> {
  const [, many] = amounts(plan);
  const turns = settings
    .filter(({ revision }) => revision === MODERN)
    .flatMap((setting) =>
      setting.who
        .filter(({ label }) => label === "Photon")
        .map((contestant) => ({
          where: spelled(setting),
          who: contestant.label,
          take: (): Promise<Sample> =>
            withServers(
              { ...setting, who: [contestant] },
              { isPatient: true, leaps: true },
              async ([one]) => {
                if (one === undefined) throw new Error(`${contestant.label} was not started.`);
                const { server, caller } = one;
                const echo = caller.prepare({ tool: "echo", input: { text: "still there" } });
                const heapAfter = async (leap: boolean): Promise<number> => {
                  if (leap) server.tell("leap");
                  for (let times = 0; times < FIRST; times++) await echo();
                  return (await server.usage(true)).heap / 1024;
                };
                // Once before anything is measured: room for as many as there ever were stays.
                await leaveOpen(caller, many);
                const before = await heapAfter(true);
                await leaveOpen(caller, 2 * many, many);
                const held = (await heapAfter(false)) - before;
                return { held, left: (await heapAfter(true)) - before };
              },
            ),
        })),
    );
  return takeTurns(turns, plan);
}
