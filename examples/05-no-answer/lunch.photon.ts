import { ask, AskDeclined, tool } from "@photon/core";

/** People decline, dismiss, and are away. What then happens is what the author says, and never a made-up answer. */
export const lunch = tool({
  name: "lunch",
  description: "Orders lunch",
  async *run() {
    // A fallback: what to go on with, for each way of not answering.
    const drink = yield* ask.select("What would you like to drink?", ["tea", "juice", "water"], {
      timeout: "1m",
      fallback: { decline: "water", timeout: "water", unsupported: "water" },
    });
    // An outcome: how it ended, as data.
    const tip = yield* ask.outcome(ask.number("How much is the tip?", { min: 0 }));
    const thanks = tip.action === "accept" && tip.value > 0 ? " Thank you!" : "";
    // An error: caught where something can be done about it. All others end the call, with a sentence that says why.
    try {
      const dish = yield* ask.text("What would you like to eat?");
      return `${dish} and ${drink}.${thanks}`;
    } catch (error) {
      if (error instanceof AskDeclined) return `Only ${drink}.${thanks}`;
      throw error;
    }
  },
});
