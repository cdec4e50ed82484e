/** Where the processor time of a call and of a question goes. */
import type { Call } from "../client/call-text.ts";
import { settingsOf, spelled, type Measure } from "../harness/plan.ts";
import { PARTS, shares as sharesOf } from "../harness/profile.ts";
import { keepDoing } from "../harness/spent.ts";
import type { Column, Row } from "../harness/table.ts";
import { takeWarmTurns } from "../harness/take-turns.ts";
import { withServers } from "../harness/with-servers.ts";

const IN_FLIGHT = 32;

const loads: { readonly [name: string]: Call } = {
  "a call": { tool: "echo", input: { text: "Hello, world" } },
  "a question": { tool: "ask", input: { questions: 1 } },
};

export const shares: Measure = {
  name: "shares",
  about: "where the time of calls and questions goes, 32 in flight, by profiles of the server",
  async take(plan) {
    const rows: Row[] = [];
    for (const setting of settingsOf(plan)) {
      const who = setting.who.filter(({ label }) => label === "Photon");
      plan.say(`starting: ${spelled(setting)}`);
      rows.push(
        ...(await withServers({ ...setting, who }, {}, (ready) => {
          const turns = ready.flatMap(({ server, caller }) =>
            Object.entries(loads).map(([name, call]) => {
              const act = caller.prepare(call);
              return {
                where: spelled(setting),
                who: name,
                take: async () =>
                  sharesOf(await server.profile(() => keepDoing(act, IN_FLIGHT, plan.seconds))),
              };
            }),
          );
          return takeWarmTurns(turns, plan);
        })),
      );
    }
    const columns = Object.fromEntries(
      Object.entries(PARTS).map(([part, title]): [string, Column] => [part, { title, unit: "percent" }]),
    );
    return [{ title: "Where the time goes", floor: "", columns, rows }];
  },
};
