import { ask, AskDeclined, tool } from "@photon/core";

/** Three ways to handle a question without an answer. Photon never invents one: what the author does not handle throws. */
export const lunch = tool({
  name: "lunch",
  description: "Orders lunch",
  async *run() {
    // A fallback: the value to use, for each way a question can end without an answer.
    const drink = yield* ask.select("What would you like to drink?", ["tea", "juice", "water"], {
      timeout: "1m",
      fallback: { decline: "water", timeout: "water", unsupported: "water" },
    });
    // An outcome: how the question ended, as data.
    const tip = yield* ask.outcome(ask.number("How much is the tip?", { min: 0 }));
    const thanks = tip.action === "accept" && tip.value > 0 ? " Thank you!" : "";
    // An error: catch the one that the tool can handle. Any other ends the call, with a message that says why.
    try {
      const dish = yield* ask.text("What would you like to eat?");
      return `${dish} and ${drink}.${thanks}`;
    } catch (error) {
      if (error instanceof AskDeclined) return `Only ${drink}.${thanks}`;
      throw error;
    }
  },
});
