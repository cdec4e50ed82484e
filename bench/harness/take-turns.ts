/** Round after round, everyone once: a machine that is busy is busy for all. */
import { inTime } from "./in-time.ts";
import type { Plan } from "./plan.ts";
import type { Row, Sample } from "./table.ts";

/** The longest that a sample may take, in minutes: those with thousands of calls take one or two. */
const LONGEST = 10;

export interface Turn {
  readonly where: string;
  readonly who: string;
  readonly take: () => Promise<Sample>;
}

export async function takeTurns(turns: readonly Turn[], { rounds, say }: Plan): Promise<readonly Row[]> {
  const rows = turns.map(({ where, who }) => ({ where, who, samples: [] as Sample[] }));
  for (let round = 0; round < rounds; round++) {
    for (const [index, { where, who, take }] of turns.entries()) {
      say(`round ${round + 1} of ${rounds}: ${where}, ${who}`);
      rows[index]?.samples.push(await inTime(take(), () => `${who} was not measured (${where})`, LONGEST));
    }
  }
  return rows;
}

/** The same once before, of which nothing is kept: what code costs that is not compiled yet is another question. */
export async function takeWarmTurns(turns: readonly Turn[], plan: Plan): Promise<readonly Row[]> {
  const say = (words: string): void => plan.say(`warming up, ${words}`);
  await takeTurns(turns, { ...plan, rounds: 1, say });
  return takeTurns(turns, plan);
}
