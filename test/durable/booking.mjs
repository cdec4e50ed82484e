/** A durable tool with a step after each of two questions, and a tool that blocks the event loop of its process. */
import { ask, tool } from "@photon/core";
import { gate, gateThatBlocks, writtenStep } from "./gate.mjs";

/** A question is open for longer than any clock here is moved, so that no clock makes it expire. */
const timeout = "1d";

export const book = tool({
  name: "book",
  durable: true,
  input: { type: "object", properties: { guest: { type: "string" } } },
  async *run({ guest }) {
    // With a guest, the inbox tells by the message whose call it is.
    const message = guest === undefined ? "How many nights?" : `How many nights for ${guest}?`;
    const nights = yield* ask.number(message, { id: "nights", integer: true, timeout });
    const paid = yield* writtenStep("pay");
    await gate("before breakfast");
    const breakfast = yield* ask.confirm("With breakfast?", { id: "breakfast", timeout });
    await gate("before send");
    const sent = yield* writtenStep("send");
    return { nights, paid, breakfast, sent };
  },
});

export const block = tool({
  name: "block",
  async *run() {
    gateThatBlocks("block");
    return "The event loop runs again.";
  },
});
