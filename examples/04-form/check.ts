import assert from "node:assert/strict";
import { decline, type Check } from "../check.ts";

const ada = { name: "Ada", email: "ada@example.com", arrival: "2026-08-07", days: ["fri", "sun"] };

export const check: Check = async (call) => {
  assert.equal((await call("register", {}, [ada])).text, "Ada comes on fri and sun.");

  const unfit = await call("register", {}, [{ ...ada, email: "nowhere" }]);
  assert.equal(unfit.isError, true);
  assert.match(unfit.text, /email must be an email address/);

  const declined = await call("register", {}, [decline]);
  assert.match(declined.text, /The person declined to answer "Who is coming\?"/);

  const shirts = [{ shirt: "S", count: 4 }, { shirt: "S" }];
  assert.equal((await call("order_shirts", {}, shirts)).text, "1 of size S.");
};
