import { ask, tool } from "@photon/core";
import { KEYS, song } from "../studio/song.ts";

/** A default, and the author's fallbacks for a timeout and for a client that cannot ask. */
export const pickKey = tool({
  name: "pick_key",
  title: "Pick a key",
  description:
    "Asks for the key of the song; keeps it if the client cannot ask, or the user does not answer in time",
  async *run() {
    const { key: before } = await song.read();
    const key = yield* ask.select("Which key is the song in?", KEYS, {
      id: "key",
      default: before,
      timeout: "2m",
      fallback: { timeout: before, unsupported: before },
    });
    await song.update((now) => ({ ...now, key }));
    return key === before ? `The song stays in ${key}.` : `The song is in ${key} now.`;
  },
});
