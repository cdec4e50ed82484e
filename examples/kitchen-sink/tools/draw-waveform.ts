import { tool } from "@photon/core";
import { listenTo } from "../studio/shelf.ts";
import { drawWaveform } from "../studio/waveform.ts";

/** A picture as the result. */
export const drawClip = tool({
  name: "draw_waveform",
  title: "Draw a waveform",
  description: "Draws what a recording looks like",
  annotations: { readOnlyHint: true },
  input: { type: "object", properties: { clip: { type: "string", default: "take-1.wav" } } },
  async *run({ clip }) {
    return { type: "image", data: drawWaveform(await listenTo(clip)), mimeType: "image/png" };
  },
});
