/**
 * All tools, prompts and resources of the studio, for main.ts.
 *
 * `photon serve` finds the same definitions in `tools/`. It reads the input of bare generators and classes from their
 * source; a built program has only the JavaScript, so their definitions are written out here.
 */
import { tool, type Tool } from "@photon/core";
import { bookSession } from "./tools/book-session.ts";
import { bounceMix } from "./tools/bounce-mix.ts";
import { checkLevels } from "./tools/check-levels.ts";
import { connectShop } from "./tools/connect-shop.ts";
import { credits } from "./tools/credits.ts";
import { deleteArtifacts } from "./tools/delete-artifacts.ts";
import { drawClip } from "./tools/draw-waveform.ts";
import { findRecordings } from "./tools/find-recordings.ts";
import { linkLabel } from "./tools/link-label.ts";
import { metronome } from "./tools/metronome.ts";
import { nameArtifact } from "./tools/name-artifact.ts";
import { reviewMix, shelfItem, songSheet } from "./tools/prompts-and-resources.ts";
import { pickKey } from "./tools/pick-key.ts";
import { pickVariation } from "./tools/pick-variation.ts";
import { rateClip } from "./tools/rate-clip.ts";
import { releaseSong } from "./tools/release-song.ts";
import { setTempo } from "./tools/set-tempo.ts";
import { shareClip } from "./tools/share-clip.ts";
import { signUp } from "./tools/sign-up.ts";
import { transcode } from "./tools/transcode.ts";
import Tuner from "./tools/tuner.ts";
import { uploadSample } from "./tools/upload-sample.ts";
import { writeLinerNotes } from "./tools/write-liner-notes.ts";

const tuner = new Tuner();

const writtenOut = [
  tool({
    name: "metronome",
    description: "Counts in, bar by bar, until the user stops it.",
    input: {
      type: "object",
      properties: { most: { type: "number", default: 4, description: "how many bars at most" } },
      additionalProperties: false,
    },
    run: ({ most }, context) => metronome(most, context),
  }),
  tool({
    name: "tune",
    description: "Tunes one string by ear, and remembers how far it was off.",
    input: {
      type: "object",
      properties: { string: { type: "string", enum: ["E", "A", "D", "G"], description: "which string" } },
      required: ["string"],
      additionalProperties: false,
    },
    run: ({ string }) => tuner.tune(string),
  }),
  tool({
    name: "credits",
    description: "Writes down who made a song. Yields plain data, without constructors.",
    input: {
      type: "object",
      properties: { song: { type: "string" } },
      required: ["song"],
      additionalProperties: false,
    },
    run: ({ song }) => credits(song),
  }),
];

export const tools: readonly Tool<never>[] = [
  pickVariation,
  pickKey,
  setTempo,
  rateClip,
  nameArtifact,
  deleteArtifacts,
  transcode,
  signUp,
  bookSession,
  releaseSong,
  connectShop,
  uploadSample,
  linkLabel,
  bounceMix,
  drawClip,
  writeLinerNotes,
  findRecordings,
  checkLevels,
  shareClip,
  ...writtenOut,
];

export const prompts = [reviewMix];

export const resources = [songSheet, shelfItem];
