import assert from "node:assert/strict";
import { cancel, decline, type Check } from "../check.ts";

export const check: Check = async (call) => {
  const { text, progress } = await call("quiz", {}, [4, decline]);
  assert.equal(text, "1 of 2 were right.");
  assert.deepEqual(progress, ["You said 4", "It is 88"]);

  assert.equal((await call("quiz", {}, [cancel])).text, "0 of 2 were right.");
};
