import { ask, emit, type Context } from "@photon/core";
import { song } from "../studio/song.ts";

/**
 * Counts in, bar by bar, until the user stops it.
 *
 * @param most how many bars at most
 */
export async function* metronome(most: number = 4, { client }: Context) {
  const { tempo } = await song.read();
  yield emit.status(`Counting at ${tempo} for ${client.name}`);
  for (let bar = 1; bar <= most; bar++) {
    yield emit.stream("1 2 3 4 ");
    if (bar < most && !(yield* ask.confirm("Once more?", { id: "more" }))) return `That was bar ${bar}.`;
  }
  return `That was bar ${most}, the last.`;
}
