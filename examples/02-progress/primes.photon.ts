import { emit, tool } from "@photon/core";

const PARTS = 5;

/** A tool that reports a status, its progress, and a log message. An emit needs no answer: the tool continues at once. */
export const primes = tool({
  name: "primes",
  description: "Counts the prime numbers up to a limit",
  input: {
    type: "object",
    properties: { limit: { type: "integer", minimum: 1, maximum: 1_000_000, default: 10_000 } },
  },
  async *run({ limit }, { signal }) {
    yield emit.status(`Counting the primes up to ${limit}`);
    let count = 0;
    for (let part = 1; part <= PARTS; part++) {
      // The signal is aborted when the client cancels the call.
      signal.throwIfAborted();
      const [from, to] = [part - 1, part].map((at) => Math.floor((at * limit) / PARTS)) as [number, number];
      for (let candidate = from + 1; candidate <= to; candidate++) if (isPrime(candidate)) count += 1;
      yield emit.progress(part / PARTS, `${count} so far`);
    }
    yield emit.log("info", { limit, count });
    return `There are ${count} primes up to ${limit}.`;
  },
});

function isPrime(candidate: number): boolean {
  for (let divisor = 2; divisor * divisor <= candidate; divisor++)
    if (candidate % divisor === 0) return false;
  return candidate > 1;
}
