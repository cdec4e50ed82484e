/**
 * Durable tools that ask three things, and write each answer to a file in a step.
 *
 * A question carries the token of its call, and the answer has to repeat it: so it shows which run an answer was given to.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ask, step, tool } from "@photon/core";

/** @typedef {import("@photon/core").StepContext} StepContext */

const records = join(process.env["PHOTON_TEST_FOLDER"] ?? "", "records");
const input = /** @type {const} */ ({
  type: "object",
  properties: { token: { type: "string" } },
  required: ["token"],
});

/** A step that was begun and not recorded is looked up in the file. */
export const order = tool({
  name: "order",
  durable: true,
  input,
  async *run({ token }) {
    const answers = [];
    for (const number of [1, 2, 3]) {
      const question = `${token}/${number}`;
      const answer = yield* ask.text(question);
      const write = (/** @type {StepContext} */ { key }) => record(key, question, answer);
      yield* step("write", write, { onUnknown: (context) => isRecorded(context.key) || write(context) });
      answers.push(answer);
    }
    return { answers };
  },
});

/** A step that was begun and not recorded fails. Steps take a while, and so does the body between them. */
export const slowOrder = tool({
  name: "slow-order",
  durable: true,
  input,
  async *run({ token }) {
    const answers = [];
    for (const number of [1, 2, 3]) {
      const question = `${token}/${number}`;
      const answer = yield* ask.text(question);
      yield* step("write", async ({ key }) => {
        await pause(20);
        return record(key, question, answer);
      });
      await pause(20);
      answers.push(answer);
    }
    return { answers };
  },
});

/**
 * @param {string} key
 * @param {string} question
 * @param {string} answer
 */
function record(key, question, answer) {
  appendFileSync(records, `${JSON.stringify({ key, question, answer })}\n`);
  return true;
}

/** @param {string} key */
const isRecorded = (key) => existsSync(records) && readFileSync(records, "utf8").includes(`"${key}"`);
