import { BASELINE } from "../harness/servers.ts";
import type { Measure } from "../harness/settings.ts";
import { measureRates, rateColumns } from "../harness/rates.ts";
import { progressOfSdkClients } from "./sdk-client-progress.ts";

const MANY = 100;
const arrived = { title: `of ${MANY} before the result`, unit: "count" } as const;

export const notifications: Measure = {
  name: "notifications",
  about: `${MANY} notifications of progress in a call, and how many of them come before its result`,
  async run(settings) {
    const call = { tool: "notify", input: {}, wantsProgress: true };
    const rows = await measureRates(settings, [
      { name: "8 in flight", call, inFlight: 8, unitsPerCall: MANY },
    ]);
    const columns = { ...rateColumns("notifications", "notification"), arrived };
    return [
      { title: `Notifications, ${MANY} in a call`, baseline: BASELINE, columns, rows },
      {
        title: "Notifications that the SDK's own client receives",
        baseline: BASELINE,
        columns: { arrived },
        rows: await progressOfSdkClients(settings),
      },
    ];
  },
};
