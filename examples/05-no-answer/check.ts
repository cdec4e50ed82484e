import assert from "node:assert/strict";
import { cancel, decline, type Check } from "../check.ts";

export const check: Check = async (call) => {
  assert.equal((await call("lunch", {}, ["tea", 2, "Soup"])).text, "Soup and tea. Thank you!");
  assert.equal((await call("lunch", {}, [decline, cancel, decline])).text, "Only water.");

  // `fallback` has no value for "cancel", so the question throws, and the call ends with an error.
  const cancelled = await call("lunch", {}, [cancel]);
  assert.equal(cancelled.isError, true);
  assert.match(cancelled.text, /The question "What would you like to drink\?" \(ask-1\) was cancelled\./);
};
