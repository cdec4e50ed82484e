/**
 * A durable tool with six questions and four steps, which passes a point before and after whatever it yields and does.
 *
 * What a step does is one line in a file that outlives the process. Whether a step that began and was not recorded was
 * done can be looked up there: `hold` and `book` do. `pay` fails, and the tool goes on; `send` fails, and the tool with it.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { ask, emit, step, StepUnknown, tool } from "@photon/core";

/** @typedef {import("@photon/core").Effect} Effect */
/** @typedef {import("@photon/core").StepContext} StepContext */
/** @typedef {import("./points.mjs").Points} Points */

/**
 * @param {string} effects the file of what was done
 * @param {Points} points
 */
export const wizard = (effects, points) =>
  tool({
    name: "wizard",
    durable: true,
    input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    async *run({ city }) {
      const doing = (/** @type {string} */ name, /** @type {boolean} */ isLookedUp = false) =>
        around(doneOnce(name, effects, points, isLookedUp), points);
      const name = yield* around(ask.text("Who is it for?"), points);
      const searched = points.begin("yield");
      yield emit.status(`Looking in ${city}`);
      searched();
      const held = yield* doing("hold", true);
      const nights = yield* around(ask.number("How many nights?", { integer: true }), points);
      const paid = yield* orUnknown(doing("pay"));
      const guest = yield* around(ask.text("Who else?"), points);
      const room = yield* around(ask.select("Which room?", { single: "Single", double: "Double" }), points);
      const sent = yield* doing("send");
      const halved = points.begin("yield");
      yield emit.progress(0.5, "Half of it is done");
      halved();
      const breakfast = yield* around(ask.confirm("With breakfast?"), points);
      const booked = yield* doing("book", true);
      const wish = yield* around(ask.text("Any wishes?"), points);
      return { city, name, held, nights, paid, guest, room, sent, breakfast, booked, wish };
    },
  });

/**
 * The same, whose questions a model passes on where its client cannot show them.
 * @param {string} effects
 * @param {Points} points
 */
export const relayed = (effects, points) => ({
  ...wizard(effects, points),
  name: "relayed",
  whenUnsupported: /** @type {const} */ ("relay"),
});

/**
 * Passes the points around what is yielded.
 * @template T
 * @param {Iterable<Effect, T, unknown>} effect
 * @param {Points} points
 * @returns {Generator<Effect, T, unknown>}
 */
function* around(effect, points) {
  const after = points.begin("yield");
  const got = yield* effect;
  after();
  return got;
}

/**
 * A step that writes one line.
 * @param {string} name
 * @param {string} effects
 * @param {Points} points
 * @param {boolean} isLookedUp whether it is looked up what became of it, where that was not recorded
 */
function doneOnce(name, effects, points, isLookedUp) {
  const act = (/** @type {StepContext} */ { key }) => {
    points.pass(`before doing ${name}`);
    appendFileSync(effects, `${key}\n`);
    points.pass(`after doing ${name}`);
    return `${name} done`;
  };
  if (!isLookedUp) return step(name, act);
  const onUnknown = (/** @type {StepContext} */ context) =>
    linesIn(effects).includes(context.key) ? `${name} done` : act(context);
  return step(name, act, { onUnknown });
}

/**
 * @param {Iterable<Effect, string, unknown>} doing
 * @returns {Generator<Effect, string, unknown>}
 */
function* orUnknown(doing) {
  try {
    return yield* doing;
  } catch (error) {
    if (error instanceof StepUnknown) return "unknown";
    throw error;
  }
}

/** @param {string} file */
const linesIn = (file) => (existsSync(file) ? readFileSync(file, "utf8").split("\n") : []);
