import { ask, tool } from "@photon/core";
import { jsonFile } from "../studio/json-file.ts";
import { readFromShelf } from "../studio/shelf.ts";

const ratings = jsonFile<Readonly<Record<string, number>>>("ratings.json", {});

/** The outcome of a question as data: one of six actions. */
export const rateClip = tool({
  name: "rate_clip",
  title: "Rate a clip",
  description:
    "Asks for one to five stars, and returns how the question ended; the stars only if it was answered",
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
    await readFromShelf(clip);
    const rating = yield* ask.outcome(
      ask.rating(`How many stars for ${clip}?`, { id: "stars", max: 5, timeout: "1m" }),
    );
    if (rating.action !== "accept") return { action: rating.action };
    await ratings.update((before) => ({ ...before, [clip]: rating.value }));
    return { action: rating.action, stars: rating.value };
  },
});
