import { tool } from "@photon/core";
import { readSamples } from "../studio/shelf.ts";
import { drawWaveform } from "../studio/waveform.ts";

/** An image as the result. */
export const drawClip = tool({
  name: "draw_waveform",
  title: "Draw a waveform",
  description: "Draws the waveform of a recording",
  annotations: { readOnlyHint: true },
  input: { type: "object", properties: { clip: { type: "string", default: "take-1.wav" } } },
  async *run({ clip }) {
    return { type: "image", data: drawWaveform(await readSamples(clip)), mimeType: "image/png" };
  },
});
