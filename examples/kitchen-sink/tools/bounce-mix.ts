import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { ask, emit, tool } from "@photon/core";
import { drawWaveform } from "../studio/waveform.ts";
import { encodeWave } from "../studio/wave.ts";
import { concatenate, melody } from "../studio/tones.ts";
import { moveToShelf, draftsFolder } from "../studio/shelf.ts";
import { song } from "../studio/song.ts";

const BEATS = 4;

/**
 * A long-running tool: it reports progress, stops at once when the call is cancelled, and then removes its draft. While
 * the question is open, the server sends keep-alive progress, and the tool's time limit is paused.
 */
export const bounceMix = tool({
  name: "bounce_mix",
  title: "Bounce the mix",
  description: "Records the mix bar by bar in real time; a higher speed records faster",
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
    const question = `It takes ${takes} s, and the studio cannot be used meanwhile. Begin?`;
    if (!(yield* ask.confirm(question, { id: "begin", timeout: "1h" }))) return "Nothing was recorded.";
    const draft = join(await draftsFolder(), `${randomUUID()}.wav`);
    try {
      const recorded: Int16Array[] = [];
      for (let bar = 1; bar <= bars; bar++) {
        await pause((seconds * 1000) / speed, undefined, { signal });
        recorded.push(melody([0, 7, 4, 7], 0.05));
        await writeFile(draft, encodeWave(concatenate(recorded)));
        yield emit.progress(bar / bars, `Bar ${bar} of ${bars}`);
      }
      yield emit.image(drawWaveform(concatenate(recorded)), "image/png");
      await moveToShelf(draft, "mix.wav");
      return `mix.wav has ${bars} bars at ${tempo} beats a minute.`;
    } finally {
      await rm(draft, { force: true });
    }
  },
});
