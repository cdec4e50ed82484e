import { ask, tool } from "@photon/core";
import { song } from "../studio/song.ts";

/** A number within bounds, asked again if the answer is outside of them. */
export const setTempo = tool({
  name: "set_tempo",
  title: "Set the tempo",
  description: "Asks for the tempo of the song, from 40 to 200 beats a minute",
  annotations: { idempotentHint: true },
  async *run() {
    const { tempo: before } = await song.read();
    const tempo = yield* ask.number("How fast is it, in beats a minute?", {
      id: "tempo",
      label: "Tempo",
      min: 40,
      max: 200,
      integer: true,
      default: before,
      retries: 2,
    });
    await song.update((now) => ({ ...now, tempo }));
    return `The tempo is ${tempo} beats a minute.`;
  },
});
