import { ask, tool } from "@photon/core";
import { KEYS, song } from "../studio/song.ts";

/** A suggestion, and what to go on with where nobody answers: said by the author, never assumed. */
export const pickKey = tool({
  name: "pick_key",
  title: "Pick a key",
  description: "Asks for the key of the song; it stays as it is where nobody can be asked, or takes too long",
  async *run() {
    const { key: before } = await song.read();
    const key = yield* ask.select("Which key is the song in?", KEYS, {
      id: "key",
      default: before,
      timeout: "2m",
      fallback: { timeout: before, unsupported: before },
    });
    await song.change((now) => ({ ...now, key }));
    return key === before ? `The song stays in ${key}.` : `The song is in ${key} now.`;
  },
});
