/** What it costs to bring a run back to where it was, by its journal. */
import { ask, interpret, memoryJournal, type Body, type Replies } from "@photon/core";
import type { Measure } from "../harness/plan.ts";
import { takeWarmTurns } from "../harness/take-turns.ts";
import { timed } from "../harness/timed.ts";

type MemoryJournal = ReturnType<typeof memoryJournal>;

async function performed(asks: number, journal: MemoryJournal): Promise<void> {
  async function* many(): Body<void> {
    for (let count = 0; count < asks; count++) yield* ask.number("Nights?", { min: 1, max: 30 });
  }
  const rounds = interpret(many(), { journal });
  let replies: Replies | undefined;
  for (let next = await rounds.next(); next.done !== true; next = await rounds.next(replies)) {
    const [key = ""] = Object.keys(next.value);
    replies = { [key]: { action: "accept", value: 3 } };
  }
}

const spell = (asks: number): string => `${asks.toLocaleString("en")} answers`;

export const replay: Measure = {
  name: "replay",
  about: "what a replay of 10, 100 and 1,000 answers costs, for each of them",
  async take(plan) {
    const times = plan.isQuick ? 2 : 20;
    const lengths = [10, 100, 1000];
    const turns = await Promise.all(
      lengths.map(async (asks) => {
        const journal = memoryJournal();
        await performed(asks, journal);
        const again = (): Promise<void> => performed(asks, memoryJournal(journal.entries));
        return {
          where: "a replay",
          who: spell(asks),
          // As many answers for each length, so that each is as warm.
          take: async () => ({ cost: (await timed((times * 1000) / asks, again)) / asks }),
        };
      }),
    );
    return [
      {
        title: "Replay",
        floor: spell(10),
        columns: { cost: { title: "an answer", unit: "microseconds", isCompared: true } },
        rows: await takeWarmTurns(turns, plan),
      },
    ];
  },
};
