/** Run it with `node --test`, or with any other test runner. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { cancel, decline, everyBranch, never, script } from "@photon/core/testing";
import { quiz } from "./quiz.photon.ts";

void it("counts right answers only", async () => {
  assert.equal(await script([4, 88]).run(quiz), "2 of 2 were right.");
  assert.equal(await script([4, 66]).run(quiz), "1 of 2 were right.");
});

void it("asks the next question after thirty seconds without an answer", async () => {
  const host = script([never(), 88]);
  const running = host.run(quiz);
  await host.asked;
  await host.advance("30s");

  assert.equal(await running, "1 of 2 were right.");
});

void it("counts no question without an answer, whatever the user does", async () => {
  const alternatives = () => [4, 88, decline(), cancel(), never()];
  const branches = await everyBranch(quiz, {}, alternatives);

  for (const { answers, outcome } of branches) {
    const accepted = answers.filter(({ action }) => action === "accept").length;
    const counted = "returned" in outcome ? Number.parseInt(outcome.returned, 10) : 0;
    assert.ok(counted <= accepted);
  }
  assert.equal(branches.length, 21);
});
