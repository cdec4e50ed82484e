import { ask, emit, tool } from "@photon/core";

const questions = [
  { text: "How many strings has a violin?", answer: 4 },
  { text: "How many keys has a piano?", answer: 88 },
] as const;

/** A tool with something in it that can be wrong: its tests are beside it. */
export const quiz = tool({
  name: "quiz",
  description: "Asks two questions, and says how many were right",
  async *run() {
    let right = 0;
    for (const { text, answer } of questions) {
      const given = yield* ask.outcome(ask.number(text, { integer: true, timeout: "30s" }));
      // Whoever does not know, or takes too long, is asked the next one; whoever leaves has left.
      if (given.action === "cancel") break;
      if (given.action === "accept" && given.value === answer) right += 1;
      yield emit.status(given.action === "accept" ? `You said ${given.value}` : `It is ${answer}`);
    }
    return `${right} of ${questions.length} were right.`;
  },
});
