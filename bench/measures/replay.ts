/** The cost of replaying a run from its journal. */
import { ask, interpret, memoryJournal, type Body, type Replies } from "@photon/core";
import type { Measure } from "../harness/settings.ts";
import { runWarmRounds } from "../harness/run-rounds.ts";
import { meanTime } from "../harness/cost.ts";

type MemoryJournal = ReturnType<typeof memoryJournal>;

async function runWithAnswers(asks: number, journal: MemoryJournal): Promise<void> {
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

const answerCount = (asks: number): string => `${asks.toLocaleString("en")} answers`;

export const replay: Measure = {
  name: "replay",
  about: "what a replay of 10, 100 and 1,000 answers costs, for each of them",
  async run(settings) {
    const times = settings.isQuick ? 2 : 20;
    const lengths = [10, 100, 1000];
    const samplers = await Promise.all(
      lengths.map(async (asks) => {
        const journal = memoryJournal();
        await runWithAnswers(asks, journal);
        const replayOnce = (): Promise<void> => runWithAnswers(asks, memoryJournal(journal.entries));
        return {
          scenario: "a replay",
          variant: answerCount(asks),
          // The same number of answers for each length, so that V8 has optimized the code equally.
          sample: async () => ({ cost: (await meanTime((times * 1000) / asks, replayOnce)) / asks }),
        };
      }),
    );
    return [
      {
        title: "Replay",
        baseline: answerCount(10),
        columns: { cost: { title: "an answer", unit: "microseconds", isCompared: true } },
        rows: await runWarmRounds(samplers, settings),
      },
    ];
  },
};
