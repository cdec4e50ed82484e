/** Whether a call costs more where there is more of something else: of tools, of calls that wait. */
import type { Contestant } from "../harness/contestants.ts";
import { leaveOpen } from "../harness/leave-open.ts";
import { settingsOf, spelled, type Measure, type Plan, type Setting } from "../harness/plan.ts";
import { rateColumns, sampleOf, type Load } from "../harness/rates.ts";
import type { Row } from "../harness/table.ts";
import { takeWarmTurns } from "../harness/take-turns.ts";
import { withServers, type Ready, type WithOptions } from "../harness/with-servers.ts";

const load: Load = {
  name: "32 in flight",
  call: { tool: "echo", input: { text: "Hello, world" } },
  inFlight: 32,
  each: 1,
};

/** One server for each amount, side by side. */
async function compare(
  { setting, contestant }: { readonly setting: Setting; readonly contestant: Contestant },
  crowds: readonly { readonly name: string; readonly options: WithOptions; readonly open: number }[],
  plan: Plan,
): Promise<readonly Row[]> {
  const where = `${spelled(setting)}, ${contestant.label}`;
  const begin = async (ready: readonly Ready[]): Promise<readonly Row[]> => {
    const [crowd] = crowds.slice(ready.length);
    if (crowd !== undefined) {
      plan.say(`starting ${contestant.label} with ${crowd.name}`);
      return withServers({ ...setting, who: [contestant] }, crowd.options, async ([one]) => {
        if (one === undefined) throw new Error(`${contestant.label} was not started.`);
        await leaveOpen(one.caller, crowd.open);
        return begin([...ready, one]);
      });
    }
    const turns = ready.map((one, index) => ({
      where,
      who: crowds[index]?.name ?? "",
      take: () => sampleOf(one, load, plan.seconds),
    }));
    return takeWarmTurns(turns, plan);
  };
  return begin([]);
}

const servers = (settings: readonly Setting[]) =>
  settings.flatMap((setting) =>
    setting.who.filter(({ isEcho = false }) => !isEcho).map((contestant) => ({ setting, contestant })),
  );

const spell = (amount: number): string => amount.toLocaleString("en");

export const tools: Measure = {
  name: "tools",
  about: "what a call costs with 3, 100 and 1,000 tools",
  async take(plan) {
    const amounts = plan.isQuick ? [3, 10] : [3, 100, 1000];
    const crowds = amounts.map((amount) => ({
      name: `${spell(amount)} tools`,
      options: { tools: amount },
      open: 0,
    }));
    const settings = settingsOf(plan).filter(
      ({ transport, revision }) =>
        (transport === "stdio") === (revision === "2025-11-25") && transport !== "websocket",
    );
    const rows: Row[] = [];
    for (const one of servers(settings)) rows.push(...(await compare(one, crowds, plan)));
    const title = "Calls with many tools";
    return [{ title, floor: crowds[0]?.name ?? "", columns: rateColumns("calls", "call"), rows }];
  },
};

export const parked: Measure = {
  name: "parked",
  about: "what a call costs while 0, 2,000 and 20,000 others wait for answers",
  async take(plan) {
    const amounts = plan.isQuick ? [0, 100] : [0, 2000, 20_000];
    const crowds = amounts.map((amount) => ({
      name: `${spell(amount)} waiting`,
      options: { isPatient: true },
      open: amount,
    }));
    const settings = settingsOf(plan)
      .filter(({ transport }) => transport === "websocket")
      .map((setting) => ({ ...setting, who: setting.who.filter(({ label }) => label === "Photon") }));
    const rows: Row[] = [];
    for (const one of servers(settings)) rows.push(...(await compare(one, crowds, plan)));
    const title = "Calls while others wait";
    return [{ title, floor: crowds[0]?.name ?? "", columns: rateColumns("calls", "call"), rows }];
  },
};
