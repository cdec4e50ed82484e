import { FLOOR } from "../harness/servers.ts";
import type { Measure } from "../harness/plan.ts";
import { measureRates, rateColumns } from "../harness/rates.ts";
import { progressOfSdkClients } from "./sdk-client-progress.ts";

const MANY = 100;
const arrived = { title: `of ${MANY} before the result`, unit: "count" } as const;

export const notifications: Measure = {
  name: "notifications",
  about: `${MANY} notifications of progress in a call, and how many of them come before its result`,
  async run(plan) {
    const call = { tool: "notify", input: {}, wantsProgress: true };
    const rows = await measureRates(plan, [{ name: "8 in flight", call, inFlight: 8, unitsPerCall: MANY }]);
    const columns = { ...rateColumns("notifications", "notification"), arrived };
    return [
      { title: `Notifications, ${MANY} in a call`, floor: FLOOR, columns, rows },
      {
        title: "Notifications that the SDK's own client hears",
        floor: FLOOR,
        columns: { arrived },
        rows: await progressOfSdkClients(plan),
      },
    ];
  },
};
