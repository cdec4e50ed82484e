import assert from "node:assert/strict";
import type { Check } from "../check.ts";

export const check: Check = async (call) => {
  assert.equal((await call("hello", { name: "Ada" })).text, "Hello, Ada!");
  assert.equal((await call("hello")).text, "Hello, world!");

  const wrong = await call("hello", { name: 5 });
  assert.equal(wrong.isError, true);
  assert.match(wrong.text, /name must be text/);
};
