import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ask, emit, tool } from "@photon/core";
import { drawWaveform } from "../studio/waveform.ts";
import { encodeWave } from "../studio/wave.ts";
import { joined, melody } from "../studio/tones.ts";
import { shelve, workbench } from "../studio/shelf.ts";
import { song } from "../studio/song.ts";

const BEATS = 4;

/**
 * A long job: it tells how far it is, ends at once when it is cancelled, and leaves nothing half done behind. While
 * somebody thinks about the question, clients are sent signs of life, and its time does not run.
 */
export const bounceMix = tool({
  name: "bounce_mix",
  title: "Bounce the mix",
  description: "Records the mix bar by bar, as it would be played; a higher speed records faster",
  limit: "10m",
  input: {
    type: "object",
    properties: {
      bars: { type: "integer", minimum: 1, maximum: 64, default: 8 },
      speed: { type: "number", minimum: 1, default: 4 },
    },
  },
  async *run({ bars, speed }, { signal }) {
    const { tempo } = await song.read();
    const seconds = (60 / tempo) * BEATS;
    const takes = Math.ceil((bars * seconds) / speed);
    const question = `It takes ${takes} s, and nobody can use the desk meanwhile. Begin?`;
    if (!(yield* ask.confirm(question, { id: "begin", timeout: "1h" }))) return "Nothing was recorded.";
    const draft = join(await workbench(), `${randomUUID()}.wav`);
    try {
      const recorded: Int16Array[] = [];
      for (let bar = 1; bar <= bars; bar++) {
        await pause((seconds * 1000) / speed, undefined, { signal });
        recorded.push(melody([0, 7, 4, 7], 0.05));
        await writeFile(draft, encodeWave(joined(recorded)));
        yield emit.progress(bar / bars, `Bar ${bar} of ${bars}`);
      }
      yield emit.image(drawWaveform(joined(recorded)), "image/png");
      await shelve(draft, "mix.wav");
      return `mix.wav has ${bars} bars at ${tempo} beats a minute.`;
    } finally {
      await rm(draft, { force: true });
    }
  },
});
