/** How often servers can do something, and what each time costs them. */
import type { Call } from "../client/call-text.ts";
import { settingsOf, spelled, type Plan } from "./plan.ts";
import { keepDoing, spentOn } from "./spent.ts";
import type { Column, Row, Sample } from "./table.ts";
import { takeWarmTurns } from "./take-turns.ts";
import { withServers, type Ready } from "./with-servers.ts";

export interface Load {
  readonly name: string;
  readonly call: Call;
  readonly inFlight: number;
  /** How many of what is counted there are in one call. */
  readonly each: number;
}

export const rateColumns = (what: string, one: string): { readonly [column: string]: Column } => ({
  rate: { title: `${what}/s`, unit: "perSecond", isCompared: true },
  server: { title: `CPU per ${one}`, unit: "microseconds", isCompared: true },
  clientLoad: { title: "client CPU", unit: "percent" },
});

/** Measures all loads on all settings; `canEcho` where a server will do that only sends back what it is sent. */
export async function measureRates(
  plan: Plan,
  loads: readonly Load[],
  canEcho = false,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const setting of settingsOf(plan)) {
    const who = setting.who.filter(({ isEcho = false }) => canEcho || !isEcho);
    plan.say(`starting ${who.length} servers: ${spelled(setting)}`);
    const measured = await withServers({ ...setting, who }, {}, (ready) => {
      const turns = loads.flatMap((load) =>
        ready.map((one) => ({
          where: `${spelled(setting)}, ${load.name}`,
          who: one.label,
          take: () => sampleOf(one, load, plan.seconds),
        })),
      );
      return takeWarmTurns(turns, plan);
    });
    rows.push(...measured);
  }
  return rows;
}

/** `arrived` is the least that was told of before a result. */
export async function sampleOf(
  { server, caller }: Pick<Ready, "server" | "caller">,
  { call, inFlight, each }: Load,
  seconds: number,
): Promise<Sample> {
  const act = caller.prepare(call);
  let arrived = Number.POSITIVE_INFINITY;
  const noted = async (): Promise<void> => {
    arrived = Math.min(arrived, await act());
  };
  const spent = await spentOn(server, async () => each * (await keepDoing(noted, inFlight, seconds)));
  return {
    rate: spent.count / spent.seconds,
    server: spent.server,
    clientLoad: spent.clientLoad,
    ...(call.isTold === true ? { arrived } : {}),
  };
}
