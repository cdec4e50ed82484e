import { ask, step, tool } from "@photon/core";

/** Stands for a bank's API with idempotency keys: a second request with the same key makes no second transfer. */
const transfers = new Map<string, number>();

function send(amount: number, key: string): string {
  transfers.set(key, amount);
  return `T-${transfers.size}`;
}

/**
 * A durable tool. The journal records its answers, its steps and the times it reads. A run that is interrupted at any
 * yield continues from the journal, days later or in another process, and repeats nothing that is recorded.
 */
export const transfer = tool({
  name: "transfer",
  description: "Transfers money after the user confirms",
  durable: true,
  // Change it together with the code: an open run continues only with the version it began with.
  version: "1",
  input: {
    type: "object",
    properties: { to: { type: "string" }, amount: { type: "number", exclusiveMinimum: 0 } },
    required: ["to", "amount"],
  },
  async *run({ to, amount }) {
    // Wrong: `const at = Date.now()`, which returns a different time on replay.
    const at = yield* step.now();
    const question = `Transfer ${amount} to ${to}?`;
    if (!(yield* ask.confirm(question, { dangerous: true, timeout: "7d" })))
      return "Nothing was transferred.";
    // Wrong: `send(amount, …)` outside of a step, which sends again on replay.
    const number = yield* step("send", ({ key }) => send(amount, key));
    return { number, to, amount, asked: new Date(at).toISOString() };
  },
});
