import { jsonFile } from "./json-file.ts";

/** The major keys, round the circle of fifths. */
export const KEYS = ["C", "G", "D", "A", "E", "B", "F#", "Db", "Ab", "Eb", "Bb", "F"] as const;

/** The song that the studio works on. */
export interface Song {
  readonly key: (typeof KEYS)[number];
  /** In beats per minute. */
  readonly tempo: number;
  readonly variation?: string;
}

export const song = jsonFile<Song>("song.json", { key: "C", tempo: 120 });
