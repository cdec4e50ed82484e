import { BASELINE } from "../harness/servers.ts";
import type { Measure } from "../harness/settings.ts";
import { measureRates, rateColumns } from "../harness/rates.ts";

const call = { tool: "echo", input: { text: "Hello, world" } };

export const calls: Measure = {
  name: "calls",
  about: "calls of a tool that returns its text, one and 32 at a time",
  async run(settings) {
    const loads = [1, 32].map((inFlight) => ({
      name: `${inFlight} in flight`,
      call,
      inFlight,
      unitsPerCall: 1,
    }));
    const rows = await measureRates(settings, loads, true);
    return [{ title: "Calls", baseline: BASELINE, columns: rateColumns("calls", "call"), rows }];
  },
};
