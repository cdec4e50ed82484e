import { ask, emit, tool } from "@photon/core";
import { song } from "../studio/song.ts";
import { melody } from "../studio/tones.ts";
import { encodeWave } from "../studio/wave.ts";

const variations = {
  A: { title: "Up and away", description: "Four notes, straight up", notes: [0, 4, 7, 12] },
  B: { title: "Round the corner", description: "Up, and back to where it began", notes: [0, 7, 4, 0] },
  C: { title: "The long way down", description: "From the top, in small steps", notes: [12, 11, 9, 7] },
} as const;

/** Choices with titles and descriptions, audio artifacts, and an output schema. */
export const pickVariation = tool({
  name: "pick_variation",
  title: "Pick a variation",
  description: "Plays three variations of the hook, and keeps the one that the user picks",
  output: {
    type: "object",
    properties: { variation: { enum: ["A", "B", "C"] }, title: { type: "string" } },
    required: ["variation", "title"],
  },
  async *run() {
    for (const { notes } of Object.values(variations))
      yield emit.audio(encodeWave(melody(notes, 0.1)), "audio/wav");
    const variation = yield* ask.select("Which variation of the hook?", variations, {
      id: "variation",
      label: "Variation",
      description: "Listen to all three first.",
    });
    await song.update((before) => ({ ...before, variation }));
    return { variation, title: variations[variation].title };
  },
});
