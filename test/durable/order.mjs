/**
 * A durable tool that asks three things, and writes down what it is told.
 *
 * A question carries the token of its call, and the answer has to say it again: so it shows which run an answer was given to.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { ask, step, tool } from "@photon/core";

/** @typedef {import("@photon/core").StepContext} StepContext */

/** @param {string} records the file of what it was told */
export const order = (records) =>
  tool({
    name: "order",
    durable: true,
    input: { type: "object", properties: { token: { type: "string" } }, required: ["token"] },
    async *run({ token }) {
      const said = [];
      for (const number of [1, 2, 3]) {
        const question = `${token}/${number}`;
        const answer = yield* ask.text(question);
        const write = (/** @type {StepContext} */ { key }) => {
          appendFileSync(records, `${JSON.stringify({ key, question, answer })}\n`);
          return true;
        };
        yield* step("write", write, {
          onUnknown: (context) => textOf(records).includes(`"${context.key}"`) || write(context),
        });
        said.push(answer);
      }
      return { said };
    },
  });

/** @param {string} file */
const textOf = (file) => (existsSync(file) ? readFileSync(file, "utf8") : "");
