import assert from "node:assert/strict";
import { restartEverywhere } from "@photon/core/testing";
import { decline, type Check } from "../check.ts";
import { transfer } from "./transfer.photon.ts";

export const check: Check = async (call) => {
  const input = { to: "Ada", amount: 5 };
  const done = await call("transfer", input, [true]);
  assert.equal(done.structured["to"], "Ada");
  assert.equal((await call("transfer", input, [decline])).text, "Nothing was transferred.");

  // Restarted before and after every yield, the run returns the same result, and sends once.
  const { steps, restarts } = await restartEverywhere(transfer, { input, answers: [true] });
  assert.deepEqual(steps, { send: 1 });
  assert.ok(restarts > 0);
};
