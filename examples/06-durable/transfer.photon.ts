import { ask, step, tool } from "@photon/core";

/** Stands for a bank: a transfer with a key it knows is no second transfer. */
const transfers = new Map<string, number>();

function send(amount: number, key: string): string {
  transfers.set(key, amount);
  return `T-${transfers.size}`;
}

/**
 * A durable tool: what it does is in steps, so that it may be interrupted at any yield, and go on from its journal in
 * another process, days later. What is recorded is not done again: not the answers, not the steps, not the time.
 */
export const transfer = tool({
  name: "transfer",
  description: "Transfers money, after somebody has agreed",
  durable: true,
  // Changed together with the code, so that open runs do not go on with another one.
  version: "1",
  input: {
    type: "object",
    properties: { to: { type: "string" }, amount: { type: "number", exclusiveMinimum: 0 } },
    required: ["to", "amount"],
  },
  async *run({ to, amount }) {
    // Wrong: `const at = Date.now()`, which is another time on replay.
    const at = yield* step.now();
    const question = `Transfer ${amount} to ${to}?`;
    if (!(yield* ask.confirm(question, { dangerous: true, timeout: "7d" })))
      return "Nothing was transferred.";
    // Wrong: `send(amount, …)` right here, which is done again on replay.
    const number = yield* step("send", ({ key }) => send(amount, key));
    return { number, to, amount, asked: new Date(at).toISOString() };
  },
});
