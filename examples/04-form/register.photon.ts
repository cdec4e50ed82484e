import { ask, tool } from "@photon/core";
import { z } from "zod";

/** A form: several fields in one question, each with its own kind. */
export const register = tool({
  name: "register",
  description: "Registers a guest for the workshop",
  async *run() {
    const guest = yield* ask.form("Who is coming?", {
      name: ask.text("Name", { minLength: 1 }),
      email: ask.text("Email", { format: "email" }),
      arrival: ask.date("Arrival", { min: "2026-01-01" }),
      days: ask.multiselect("Days", { fri: "Friday", sat: "Saturday", sun: "Sunday" }, { min: 1 }),
      note: ask.optional(ask.text("Anything we should know?")),
    });
    return `${guest.name} comes on ${guest.days.join(" and ")}${guest.note === undefined ? "" : ` (${guest.note})`}.`;
  },
});

const Order = z
  .object({
    shirt: z.enum(["S", "M", "L"]),
    count: z.int().min(1).max(5).default(1),
  })
  .refine(({ shirt, count }) => shirt !== "S" || count <= 2, { error: "there are only two left of size S" });

/** A form from a schema of zod, valibot or arktype. The schema validates the answer, also in ways that a form cannot show. */
export const order = tool({
  name: "order_shirts",
  description: "Orders shirts for the workshop",
  async *run() {
    const { shirt, count } = yield* ask.form("Which shirts?", Order, { retries: 1 });
    return `${count} of size ${shirt}.`;
  },
});
