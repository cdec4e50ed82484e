import { ask, tool } from "@photon/core";
import { paper } from "../studio/documents.ts";
import { takeFromShelf } from "../studio/shelf.ts";

const ratings = paper<Readonly<Record<string, number>>>("ratings.json", {});

/** How a question ended, as data: all six ways. */
export const rateClip = tool({
  name: "rate_clip",
  title: "Rate a clip",
  description: "Asks for one to five stars. Tells what came of it; a clip nobody rated has no stars",
  input: { type: "object", properties: { clip: { type: "string" } }, required: ["clip"] },
  output: {
    type: "object",
    properties: {
      action: { enum: ["accept", "decline", "cancel", "timeout", "unsupported", "invalid"] },
      stars: { type: "integer", minimum: 1, maximum: 5 },
    },
    required: ["action"],
  },
  async *run({ clip }) {
    await takeFromShelf(clip);
    const rating = yield* ask.outcome(
      ask.rating(`How many stars for ${clip}?`, { id: "stars", max: 5, timeout: "1m" }),
    );
    if (rating.action !== "accept") return { action: rating.action };
    await ratings.change((before) => ({ ...before, [clip]: rating.value }));
    return { action: rating.action, stars: rating.value };
  },
});
