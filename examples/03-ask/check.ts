import assert from "node:assert/strict";
import { cancel, decline, type Check } from "../check.ts";

export const check: Check = async (call) => {
  const booked = await call("book", { city: "Rome" }, [3, "double", true]);
  const { reference, ...rest } = booked.structured;
  assert.deepEqual(rest, { city: "Rome", room: "double", nights: 3 });
  assert.match(String(reference), /^double-3-/);

  // An answer that fails validation is asked for again (`retries`).
  const again = await call("book", {}, [40, 2, "single", true]);
  assert.equal(again.structured["nights"], 2);

  // A confirm is true only for an accepted yes.
  assert.equal((await call("book", {}, [3, "double", false])).text, "Nothing booked.");
  assert.equal((await call("book", {}, [3, "double", decline])).text, "Nothing booked.");

  const cancelled = await call("book", {}, [cancel]);
  assert.equal(cancelled.isError, true);
  assert.match(cancelled.text, /The question "How many nights\?" \(ask-1\) was cancelled\./);
};
