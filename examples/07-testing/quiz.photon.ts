import { ask, emit, tool } from "@photon/core";

const questions = [
  { text: "How many strings has a violin?", answer: 4 },
  { text: "How many keys has a piano?", answer: 88 },
] as const;

/** A tool with logic to test: see quiz.test.ts. */
export const quiz = tool({
  name: "quiz",
  description: "Asks two questions, and returns how many answers were right",
  async *run() {
    let right = 0;
    for (const { text, answer } of questions) {
      const given = yield* ask.outcome(ask.number(text, { integer: true, timeout: "30s" }));
      // Declining or not answering in time leads to the next question; cancelling ends the quiz.
      if (given.action === "cancel") break;
      if (given.action === "accept" && given.value === answer) right += 1;
      yield emit.status(given.action === "accept" ? `You said ${given.value}` : `It is ${answer}`);
    }
    return `${right} of ${questions.length} were right.`;
  },
});
