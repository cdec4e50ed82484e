/** Durable tools with a gate in every step and between steps, and a tool that is not durable. */
import { ask, tool } from "@photon/core";
import { gate, writtenStep } from "./gate.mjs";

export const ship = tool({
  name: "ship",
  durable: true,
  async *run() {
    const packed = yield* writtenStep("pack");
    await gate("after pack");
    const sure = yield* ask.confirm("Ship it?", { id: "sure" });
    const delivered = yield* writtenStep("deliver");
    await gate("after deliver");
    return { packed, sure, delivered };
  },
});

/** The car is released when the run ends, and no sooner. */
export const rent = tool({
  name: "rent",
  durable: true,
  async *run() {
    const reserved = yield* writtenStep("reserve");
    try {
      await gate("after reserve");
      const driven = yield* writtenStep("drive");
      const full = yield* ask.confirm("Is the tank full?", { id: "full" });
      return { reserved, driven, full };
    } finally {
      yield* writtenStep("release");
    }
  },
});

export const count = tool({
  name: "count",
  async *run() {
    await gate("count");
    return "Counted.";
  },
});
