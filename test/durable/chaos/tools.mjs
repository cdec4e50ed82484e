/**
 * Durable tools for the chaos run. Each asks two questions, and does a step after each.
 *
 * Every attempt at a step is one line in a file, with the idempotency key of the step: a step that is done twice shows there.
 * The result has the answers, and what came of each step: "done", or "unknown" where the tool was given `StepUnknown`.
 */
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ask, step, StepUnknown, tool } from "@photon/core";

/** @typedef {import("@photon/core").Effect} Effect */
/** @typedef {import("@photon/core").StepContext} StepContext */

const folder = process.env["PHOTON_TEST_FOLDER"] ?? "";
const services = join(folder, "service");
const MAX_PAUSE_MS = 40;

const input = /** @type {const} */ ({
  type: "object",
  properties: { token: { type: "string" } },
  required: ["token"],
});

/** A process that a busy machine does not run for this long may lose a lease, as if it were suspended. */
const MAX_GAP_MS = 300;
const TICK_MS = 50;

let lastTick = Date.now();
setInterval(() => {
  const now = Date.now();
  if (now - lastTick > MAX_GAP_MS) appendLine("gaps", { pid: process.pid, from: lastTick, to: now });
  lastTick = now;
}, TICK_MS).unref();

/** How long something takes is no part of what it does. */
const shortly = () => pause(Math.random() * MAX_PAUSE_MS);

/** The default: a step that was begun and not recorded fails with `StepUnknown`, which the tool reports. */
export const reports = tool({
  name: "reports",
  durable: true,
  input,
  async *run({ token }) {
    const first = yield* ask.text(`${token}/1`);
    const sent = yield* orUnknown(plainStep("send", token));
    await shortly();
    const second = yield* ask.text(`${token}/2`);
    const paid = yield* orUnknown(plainStep("pay", token));
    await shortly();
    return { token, answers: [first, second], steps: [sent, paid] };
  },
});

/** The same, and the tool ends with the error. */
export const fails = tool({
  name: "fails",
  durable: true,
  input,
  async *run({ token }) {
    const first = yield* ask.text(`${token}/1`);
    const sent = yield* plainStep("send", token);
    const second = yield* ask.text(`${token}/2`);
    const paid = yield* plainStep("pay", token);
    return { token, answers: [first, second], steps: [sent, paid] };
  },
});

/** A service that knows the keys is asked for a step that was begun and not recorded. */
export const looksUp = tool({
  name: "looks-up",
  durable: true,
  input,
  async *run({ token }) {
    const first = yield* ask.text(`${token}/1`);
    const sent = yield* servedStep("send", token);
    await shortly();
    const second = yield* ask.text(`${token}/2`);
    const paid = yield* servedStep("pay", token);
    return { token, answers: [first, second], steps: [sent, paid] };
  },
});

/** A step in a `finally` block, and one before the first question. */
export const releases = tool({
  name: "releases",
  durable: true,
  input,
  async *run({ token }) {
    const reserved = yield* orUnknown(plainStep("reserve", token));
    const answers = [];
    let released = "";
    try {
      answers.push(yield* ask.text(`${token}/1`));
      await shortly();
      answers.push(yield* ask.text(`${token}/2`));
    } finally {
      released = yield* orUnknown(plainStep("release", token));
    }
    return { token, answers, steps: [reserved, released] };
  },
});

/**
 * @param {string} name
 * @param {string} token
 */
const plainStep = (name, token) =>
  step(name, async ({ key }) => {
    noteAttempt(key, token);
    await shortly();
    return "done";
  });

/**
 * @param {string} name
 * @param {string} token
 */
function servedStep(name, token) {
  const act = async (/** @type {StepContext} */ { key }) => {
    noteAttempt(key, token);
    await shortly();
    serve(key);
    return "done";
  };
  return step(name, act, {
    onUnknown: async (context) => (existsSync(servedFile(context.key)) ? "done" : act(context)),
  });
}

/**
 * @param {Iterable<Effect, string, unknown>} effect
 * @returns {Generator<Effect, string, unknown>}
 */
function* orUnknown(effect) {
  try {
    return yield* effect;
  } catch (error) {
    if (error instanceof StepUnknown) return "unknown";
    throw error;
  }
}

/**
 * @param {string} key
 * @param {string} token
 */
const noteAttempt = (key, token) => appendLine("attempts", { key, token, pid: process.pid, at: Date.now() });

/**
 * @param {string} file
 * @param {object} line
 */
const appendLine = (file, line) => appendFileSync(join(folder, file), `${JSON.stringify(line)}\n`);

/**
 * The service does the work of a key once, however often it is asked for.
 * @param {string} key
 */
function serve(key) {
  mkdirSync(services, { recursive: true });
  writeFileSync(servedFile(key), "");
}

/** @param {string} key */
const servedFile = (key) => join(services, encodeURIComponent(key));
