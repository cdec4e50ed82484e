import { prompt, resource } from "@photon/core";
import { listShelf, takeFromShelf } from "../studio/shelf.ts";
import { song } from "../studio/song.ts";

/** What is settled about the song. */
export const songSheet = resource({
  uri: "studio://song",
  name: "song",
  description: "What is settled about the song",
  mimeType: "application/json",
  async *run() {
    return JSON.stringify(await song.read());
  },
});

const startingWith = async (typed: string): Promise<readonly string[]> =>
  (await listShelf()).filter((name) => name.startsWith(typed));

/** Everything on the shelf, by name: where the links of results lead. */
export const shelfItem = resource({
  uri: "studio://shelf/{name}",
  name: "shelf",
  description: "A file on the shelf",
  complete: { name: startingWith },
  async *run({ name }) {
    return { data: await takeFromShelf(name) };
  },
});

/** A prompt, beside the tools. */
export const reviewMix = prompt({
  name: "review_mix",
  description: "Has a recording reviewed",
  arguments: { clip: { description: "The recording", required: true, complete: startingWith } },
  async *run({ clip }) {
    const { key, tempo } = await song.read();
    return `Review ${clip}: it is in ${key}, at ${tempo} beats a minute. Say what to change, in three sentences.`;
  },
});
