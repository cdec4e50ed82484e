/** Takes the samples of all rows in rounds, one of each row per round, so that other load on the machine affects all rows. */
import type { BenchSettings } from "./settings.ts";
import type { Row, Sample } from "./table.ts";

const MINUTE = 60_000;

/** The timeout of a sample. Those with thousands of calls take one or two minutes. */
const SAMPLE_TIMEOUT_MINUTES = 10;

export interface RowSampler {
  readonly scenario: string;
  readonly variant: string;
  readonly sample: () => Promise<Sample>;
}

export async function runRounds(
  samplers: readonly RowSampler[],
  { rounds, log }: BenchSettings,
): Promise<readonly Row[]> {
  const rows = samplers.map(({ scenario, variant }) => ({ scenario, variant, samples: [] as Sample[] }));
  for (let round = 0; round < rounds; round++) {
    for (const [index, { scenario, variant, sample }] of samplers.entries()) {
      log(`round ${round + 1} of ${rounds}: ${scenario}, ${variant}`);
      const problem = (): string => `${variant} was not measured (${scenario})`;
      rows[index]?.samples.push(await withTimeout(sample(), problem, SAMPLE_TIMEOUT_MINUTES));
    }
  }
  return rows;
}

/** The same, after a round without results in which V8 compiles the code and caches are filled. */
export async function runWarmRounds(
  samplers: readonly RowSampler[],
  settings: BenchSettings,
): Promise<readonly Row[]> {
  const log = (line: string): void => settings.log(`warming up, ${line}`);
  await runRounds(samplers, { ...settings, rounds: 1, log });
  return runRounds(samplers, settings);
}

/** Rejects when `work` takes more than this many minutes. `problem` begins the message of every error. */
export async function withTimeout<Result>(
  work: Promise<Result>,
  problem: () => string,
  minutes = 1,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took more than ${minutes} min.`)), minutes * MINUTE);
  });
  try {
    return await Promise.race([work, timeout]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${problem()}: ${reason}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
