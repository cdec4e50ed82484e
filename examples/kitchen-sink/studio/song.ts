import { paper } from "./documents.ts";

/** The major keys, round the circle of fifths. */
export const KEYS = ["C", "G", "D", "A", "E", "B", "F#", "Db", "Ab", "Eb", "Bb", "F"] as const;

/** What is settled about the song the studio works on. */
export interface Song {
  readonly key: (typeof KEYS)[number];
  /** In beats a minute. */
  readonly tempo: number;
  readonly variation?: string;
}

export const song = paper<Song>("song.json", { key: "C", tempo: 120 });
