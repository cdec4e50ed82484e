import { ask, emit, step, tool } from "@photon/core";

/** A tool that asks the user: it is suspended at each question, and continues with the answer. */
export const book = tool({
  name: "book",
  description: "Books a room",
  input: {
    type: "object",
    properties: { city: { type: "string", default: "Lisbon" } },
  },
  durable: true,
  async *run({ city }) {
    yield emit.status(`Looking for rooms in ${city}`);
    const nights = yield* ask.number("How many nights?", { min: 1, max: 30, integer: true, retries: 2 });
    const room = yield* ask.select("Which room?", { single: "Single", double: "Double" }, { retries: 2 });
    if (!(yield* ask.confirm(`Book a ${room} room for ${nights} nights?`))) return "Nothing booked.";
    // The result of a step is recorded: a replay of the run takes it from the journal, and reserves nothing again.
    const reference = yield* step("reserve", ({ key }) => `${room}-${nights}-${key.slice(0, 8)}`);
    yield emit.progress(1, "Reserved");
    return { city, room, nights, reference };
  },
});
