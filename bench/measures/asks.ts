import { BASELINE } from "../harness/servers.ts";
import type { Measure } from "../harness/settings.ts";
import { measureRates, rateColumns } from "../harness/rates.ts";

const IN_FLIGHT = 32;

export const asks: Measure = {
  name: "asks",
  about: "questions asked and answered, one and five in a row, 32 calls at a time",
  async run(settings) {
    const loads = [1, 5].map((questions) => ({
      name: questions === 1 ? "one question" : `${questions} questions in a row`,
      call: { tool: "ask", input: { questions } },
      inFlight: IN_FLIGHT,
      unitsPerCall: questions,
    }));
    const rows = await measureRates(settings, loads);
    return [{ title: "Questions", baseline: BASELINE, columns: rateColumns("asks", "ask"), rows }];
  },
};
