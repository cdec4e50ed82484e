import { FLOOR } from "../harness/contestants.ts";
import type { Measure } from "../harness/plan.ts";
import { measureRates, rateColumns } from "../harness/rates.ts";
import { toldBySdkClients } from "./told-by-sdk.ts";

const MANY = 100;
const arrived = { title: `of ${MANY} before the result`, unit: "count" } as const;

export const notifications: Measure = {
  name: "notifications",
  about: `${MANY} notifications of progress in a call, and how many of them come before its result`,
  async take(plan) {
    const call = { tool: "notify", input: {}, isTold: true };
    const rows = await measureRates(plan, [{ name: "8 in flight", call, inFlight: 8, each: MANY }]);
    const columns = { ...rateColumns("notifications", "notification"), arrived };
    return [
      { title: `Notifications, ${MANY} in a call`, floor: FLOOR, columns, rows },
      {
        title: "Notifications that the SDK's own client hears",
        floor: FLOOR,
        columns: { arrived },
        rows: await toldBySdkClients(plan),
      },
    ];
  },
};
