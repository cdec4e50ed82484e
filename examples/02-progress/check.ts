import assert from "node:assert/strict";
import type { Check } from "../check.ts";

export const check: Check = async (call) => {
  const { text, progress } = await call("primes", { limit: 100 });

  assert.equal(text, "There are 25 primes up to 100.");
  assert.deepEqual(progress, [
    "Counting the primes up to 100",
    "8 so far",
    "12 so far",
    "17 so far",
    "22 so far",
    "25 so far",
  ]);
};
