import { ask, emit, step, StepFailed, tool, type Body } from "@photon/core";
import { paper } from "../studio/documents.ts";
import { deliver, deliverUnlessThere, SHOPS, type Shop } from "../studio/shops.ts";

interface Release {
  readonly id: string;
  readonly title: string;
  readonly date: string;
  readonly catalogue: string;
  readonly receipts: readonly string[];
}

const releases = paper<Readonly<Record<string, Release>>>("releases.json", {});

/**
 * A wizard that may take days: what it asks comes in rounds, what it does is in steps. Interrupted at any yield, on this
 * process or another, it goes on where it was, and delivers nothing twice.
 */
export const releaseSong = tool({
  name: "release_song",
  title: "Release the song",
  description: "Plans a release with somebody, and delivers it to the shops",
  annotations: { openWorldHint: true },
  durable: true,
  version: "1",
  limit: "1m",
  async *run() {
    const plan = yield* ask.all({
      title: ask.text("What is it called?", { minLength: 1, maxLength: 100 }),
      date: ask.date("When does it come out?", { min: "2026-01-01" }),
      shops: ask.multiselect("Where can it be had?", SHOPS, { min: 1, max: 3 }),
      mood: ask.outcome(ask.text("In one word, how does it sound?", { maxLength: 20 })),
    });
    const shops = plan.shops.map((shop) => SHOPS[shop]).join(" and ");
    const words = `"${plan.title}" on ${plan.date}, at ${shops}`;
    if (!(yield* ask.confirm(`Release ${words}?`, { id: "go" }))) return "Nothing was released.";
    const id = yield* step.uuid();
    const year = new Date(yield* step.now()).getUTCFullYear();
    const catalogue = `KS-${year}-${String(Math.floor((yield* step.random()) * 1000)).padStart(3, "0")}`;
    const receipts: string[] = [];
    for (const shop of plan.shops) receipts.push(...(yield* deliverTo(shop, plan.title)));
    const release = { id, title: plan.title, date: plan.date, catalogue, receipts };
    yield* step("file", async () => {
      await releases.change((before) => ({ ...before, [id]: release }));
    });
    const mood = plan.mood.action === "accept" ? { mood: plan.mood.value } : {};
    return { title: plan.title, catalogue, receipts, ...mood };
  },
});

/** Delivers to one shop, as often as somebody wants it tried. */
async function* deliverTo(shop: Shop, title: string): Body<readonly string[]> {
  yield emit.status(`Delivering to ${SHOPS[shop]}`);
  for (;;) {
    try {
      const receipt = yield* step(`deliver to ${shop}`, ({ key }) => deliver(shop, title, key), {
        onUnknown: ({ key }) => deliverUnlessThere(shop, title, key),
      });
      return [receipt];
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      yield emit.log("warning", { shop, reason: error.message });
      if (!(yield* ask.confirm(`${error.message} Try again?`, { id: `again-${shop}` }))) return [];
    }
  }
}
