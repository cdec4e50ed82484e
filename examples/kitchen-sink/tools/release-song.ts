import { ask, emit, step, StepFailed, tool, type Body } from "@photon/core";
import { jsonFile } from "../studio/json-file.ts";
import { deliver, deliverIfMissing, SHOPS, type Shop } from "../studio/shops.ts";

interface Release {
  readonly id: string;
  readonly title: string;
  readonly date: string;
  readonly catalogue: string;
  readonly receipts: readonly string[];
}

const releases = jsonFile<Readonly<Record<string, Release>>>("releases.json", {});

/**
 * A wizard that may take days. It is durable: interrupted at any yield, it continues in this process or another one.
 * Its actions are steps, so that nothing is delivered twice.
 */
export const releaseSong = tool({
  name: "release_song",
  title: "Release the song",
  description: "Asks for the plan of a release, and delivers it to the shops",
  annotations: { openWorldHint: true },
  durable: true,
  version: "1",
  limit: "1m",
  async *run() {
    const plan = yield* ask.all({
      title: ask.text("What is it called?", { minLength: 1, maxLength: 100 }),
      date: ask.date("When does it come out?", { min: "2026-01-01" }),
      shops: ask.multiselect("Which shops should sell it?", SHOPS, { min: 1, max: 3 }),
      mood: ask.outcome(ask.text("In one word, how does it sound?", { maxLength: 20 })),
    });
    const shops = plan.shops.map((shop) => SHOPS[shop]).join(" and ");
    const question = `Release "${plan.title}" on ${plan.date}, at ${shops}?`;
    if (!(yield* ask.confirm(question, { id: "go" }))) return "Nothing was released.";
    const id = yield* step.uuid();
    const year = new Date(yield* step.now()).getUTCFullYear();
    const catalogue = `KS-${year}-${String(Math.floor((yield* step.random()) * 1000)).padStart(3, "0")}`;
    const receipts: string[] = [];
    for (const shop of plan.shops) receipts.push(...(yield* deliverTo(shop, plan.title)));
    const release = { id, title: plan.title, date: plan.date, catalogue, receipts };
    yield* step("file", async () => {
      await releases.update((before) => ({ ...before, [id]: release }));
    });
    const mood = plan.mood.action === "accept" ? { mood: plan.mood.value } : {};
    return { title: plan.title, catalogue, receipts, ...mood };
  },
});

/** Delivers to one shop. After a failure it tries again as often as the user wants. */
async function* deliverTo(shop: Shop, title: string): Body<readonly string[]> {
  yield emit.status(`Delivering to ${SHOPS[shop]}`);
  for (;;) {
    try {
      const receipt = yield* step(`deliver to ${shop}`, ({ key }) => deliver(shop, title, key), {
        onUnknown: ({ key }) => deliverIfMissing(shop, title, key),
      });
      return [receipt];
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      yield emit.log("warning", { shop, reason: error.message });
      if (!(yield* ask.confirm(`${error.message} Try again?`, { id: `again-${shop}` }))) return [];
    }
  }
}
