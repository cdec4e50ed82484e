import { emit, logLevels, tool } from "@photon/core";
import { readSamples } from "../studio/shelf.ts";
import { peaksOf } from "../studio/waveform.ts";

/** Log messages of every level, and a tool without a result. */
export const checkLevels = tool({
  name: "check_levels",
  title: "Check the levels",
  description: "Splits a recording into eight parts, and logs the loudness of each: from debug to emergency",
  annotations: { readOnlyHint: true },
  input: { type: "object", properties: { clip: { type: "string", default: "test-tone.wav" } } },
  async *run({ clip }) {
    for (const [part, peak] of peaksOf(await readSamples(clip), logLevels.length).entries()) {
      const level = logLevels[Math.round(peak * (logLevels.length - 1))] ?? "info";
      yield emit.log(level, { clip, part: part + 1, peak: Math.round(peak * 100) / 100 });
    }
  },
});
