/** Takes the samples of all rows in rounds, one of each row per round, so that other load on the machine affects all rows. */
import type { Plan } from "./plan.ts";
import type { Row, Sample } from "./table.ts";
import { withTimeout } from "./with-timeout.ts";

/** The timeout of a sample. Those with thousands of calls take one or two minutes. */
const SAMPLE_TIMEOUT_MINUTES = 10;

export interface RowSampler {
  readonly where: string;
  readonly who: string;
  readonly sample: () => Promise<Sample>;
}

export async function runRounds(
  samplers: readonly RowSampler[],
  { rounds, log }: Plan,
): Promise<readonly Row[]> {
  const rows = samplers.map(({ where, who }) => ({ where, who, samples: [] as Sample[] }));
  for (let round = 0; round < rounds; round++) {
    for (const [index, { where, who, sample }] of samplers.entries()) {
      log(`round ${round + 1} of ${rounds}: ${where}, ${who}`);
      const problem = (): string => `${who} was not measured (${where})`;
      rows[index]?.samples.push(await withTimeout(sample(), problem, SAMPLE_TIMEOUT_MINUTES));
    }
  }
  return rows;
}

/** The same, after a round without results in which V8 compiles the code and caches are filled. */
export async function runWarmRounds(samplers: readonly RowSampler[], plan: Plan): Promise<readonly Row[]> {
  const log = (line: string): void => plan.log(`warming up, ${line}`);
  await runRounds(samplers, { ...plan, rounds: 1, log });
  return runRounds(samplers, plan);
}
