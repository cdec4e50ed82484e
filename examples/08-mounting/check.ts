import assert from "node:assert/strict";
import { decline, type Check } from "../check.ts";

export const check: Check = async (call) => {
  assert.equal((await call("greet", {}, ["Ada"])).text, "Hello, Ada!");

  const declined = await call("greet", {}, [decline]);
  assert.equal(declined.isError, true);
  assert.match(declined.text, /The person declined to answer "Who are you\?"/);
};
