/**
 * A durable tool with six questions and steps between them, for processes that come and go.
 *
 * Plain JavaScript: the processes load it, and so do the tests, which run it live. Each step writes a line to a ledger that
 * outlives them all.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ask, emit, step, tool } from "@photon/core";

/** @typedef {import("@photon/core").StepContext} StepContext */

/** @param {string} folder where the ledger is */
export const wizard = (folder) =>
  tool({
    name: "wizard",
    durable: true,
    input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    async *run({ city }) {
      const token = yield* step.uuid();
      const doing = (/** @type {string} */ name) => step(name, noting(folder, token));
      try {
        yield emit.status(`Looking in ${city}`);
        const name = yield* ask.text("Who is it for?");
        const held = yield* doing("hold");
        yield emit.progress(0.25, `Held for ${name}`);
        const nights = yield* ask.number("How many nights?", { id: "nights", integer: true });
        const guests = [];
        for (const place of ["first", "second"]) {
          guests.push(yield* ask.text(`Who is the ${place} guest?`, { id: "guest" }));
          yield* doing("greet");
        }
        yield emit.status("Looking for a voucher");
        const room = yield* ask.select("Which room?", { single: "Single", double: "Double" });
        const price = yield* doing("price");
        const voucher = yield* redeem(folder, token);
        if (!(yield* ask.confirm(`Book it, with ${voucher}?`))) return "Nothing booked.";
        yield emit.progress(0.75, "Booking");
        const booked = yield* doing("book");
        yield emit.status("Booked");
        return { city, name, nights, guests, room, held, price, voucher, booked };
      } finally {
        write(folder, { ended: true, pid: process.pid });
      }
    },
  });

/**
 * Does something before it has asked anything.
 * @param {string} folder
 */
export const eager = (folder) =>
  tool({
    name: "eager",
    durable: true,
    async *run() {
      const done = yield* step("begin", noting(folder, ""));
      return `${done}, ${yield* ask.text("Name?")}`;
    },
  });

/** Shows a number that it has drawn, and gives it to whoever wants it. */
export const draw = tool({
  name: "draw",
  durable: true,
  async *run() {
    yield* ask.text("Who draws?");
    const drawn = yield* step.uuid();
    yield* ask.confirm(drawn);
    return drawn;
  },
});

/** Does not promise that it can be replayed. */
export const hasty = tool({
  name: "hasty",
  async *run() {
    return `Hello, ${yield* ask.text("Name?")}`;
  },
});

/**
 * A step that fails: what came of it is recorded as well.
 * @param {string} folder
 * @param {string} token
 */
async function* redeem(folder, token) {
  try {
    return yield* step("voucher", async (context) => {
      await noting(folder, token)(context);
      throw new Error("no voucher");
    });
  } catch (error) {
    return error instanceof Error ? error.message : "no error";
  }
}

/**
 * What a step does: writes itself down. Where it is told to stall, it then waits until it is told to stop.
 * @param {string} folder
 * @param {string} token
 */
const noting =
  (folder, token) =>
  async (/** @type {StepContext} */ { key, signal }) => {
    const [, name = ""] = key.split("/");
    // Before it is written: whoever reads that takes the order back.
    const isStalled = stallingAt(folder) === name;
    write(folder, { step: name, key, token, pid: process.pid });
    if (isStalled) await aborted(signal);
    return `${name} done`;
  };

/**
 * @param {string} folder
 * @param {object} line
 */
const write = (folder, line) => appendFileSync(join(folder, "ledger"), `${JSON.stringify(line)}\n`);

/** @param {string} folder */
const stallingAt = (folder) => {
  const file = join(folder, "stall");
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
};

/** @param {StepContext["signal"]} signal */
const aborted = (signal) =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", resolve);
  });
