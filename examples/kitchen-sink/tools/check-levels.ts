import { emit, logLevels, tool } from "@photon/core";
import { listenTo } from "../studio/shelf.ts";
import { peaksOf } from "../studio/waveform.ts";

/** Logs for whoever runs the studio, as loud as the recording is; and nothing at all as the result. */
export const checkLevels = tool({
  name: "check_levels",
  title: "Check the levels",
  description: "Listens to a recording in eight parts, and logs how loud each is: from debug to emergency",
  annotations: { readOnlyHint: true },
  input: { type: "object", properties: { clip: { type: "string", default: "test-tone.wav" } } },
  async *run({ clip }) {
    for (const [part, peak] of peaksOf(await listenTo(clip), logLevels.length).entries()) {
      const level = logLevels[Math.round(peak * (logLevels.length - 1))] ?? "info";
      yield emit.log(level, { clip, part: part + 1, peak: Math.round(peak * 100) / 100 });
    }
  },
});
