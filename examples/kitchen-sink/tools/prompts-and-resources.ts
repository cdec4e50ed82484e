import { prompt, resource } from "@photon/core";
import { listShelf, readFromShelf } from "../studio/shelf.ts";
import { song } from "../studio/song.ts";

/** A resource with a fixed URI. */
export const songSheet = resource({
  uri: "studio://song",
  name: "song",
  description: "The song that the studio works on",
  mimeType: "application/json",
  async *run() {
    return JSON.stringify(await song.read());
  },
});

const startingWith = async (typed: string): Promise<readonly string[]> =>
  (await listShelf()).filter((name) => name.startsWith(typed));

/** A resource template: the files on the shelf, to which results of tools link. */
export const shelfItem = resource({
  uri: "studio://shelf/{name}",
  name: "shelf",
  description: "A file on the shelf",
  complete: { name: startingWith },
  async *run({ name }) {
    return { data: await readFromShelf(name) };
  },
});

/** A prompt with an argument that completes. */
export const reviewMix = prompt({
  name: "review_mix",
  description: "Asks for a review of a recording",
  arguments: { clip: { description: "The recording", required: true, complete: startingWith } },
  async *run({ clip }) {
    const { key, tempo } = await song.read();
    return `Review ${clip}: it is in ${key}, at ${tempo} beats a minute. Say what to change, in three sentences.`;
  },
});
