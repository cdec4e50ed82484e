/** Settling the song: choices, numbers, and what becomes of them without an answer. */
import type { Scenario } from "../scenario.ts";

export const pickVariation: Scenario = {
  tool: "pick_variation",
  shows: "keeps the variation that was picked",
  answers: { variation: "B" },
  gives: ["audio", "audio", "audio", "text"],
  says: '{"variation":"B","title":"Round the corner"}',
  changes: { "song.json": { key: "C", tempo: 120, variation: "B" } },
};

export const pickKey: Scenario = {
  tool: "pick_key",
  shows: "changes the key to what was picked",
  answers: { key: "Eb" },
  says: "The song is in Eb now.",
  changes: { "song.json": { key: "Eb", tempo: 120 } },
  otherwise: {
    key: { timeout: { says: "The song stays in C.", changes: { "song.json": { key: "C", tempo: 120 } } } },
  },
};

export const keyOfNobody: Scenario = {
  tool: "pick_key",
  shows: "keeps the key where nobody can be asked",
  can: { form: false },
  says: "The song stays in C.",
  changes: { "song.json": { key: "C", tempo: 120 } },
};

export const setTempo: Scenario = {
  tool: "set_tempo",
  shows: "asks again for a tempo that is too fast",
  answers: { tempo: { $attempts: [250, 96] } },
  says: "The tempo is 96 beats a minute.",
  changes: { "song.json": { key: "C", tempo: 96 } },
};

export const rateClip: Scenario = {
  tool: "rate_clip",
  shows: "writes down how many stars a clip was given",
  input: { clip: "take-1.wav" },
  answers: { stars: 4 },
  says: '{"action":"accept","stars":4}',
  changes: { "ratings.json": { "take-1.wav": 4 } },
  otherwise: {
    stars: {
      decline: { says: '{"action":"decline"}' },
      cancel: { says: '{"action":"cancel"}' },
      timeout: { says: '{"action":"timeout"}' },
    },
  },
};

export const sixStars: Scenario = {
  tool: "rate_clip",
  shows: "gives no stars where there were too many",
  input: { clip: "take-1.wav" },
  answers: { stars: 6 },
  says: '{"action":"invalid"}',
  otherwise: rateClip.otherwise ?? {},
};

export const starsOfNobody: Scenario = {
  tool: "rate_clip",
  shows: "gives no stars where nobody can be asked",
  input: { clip: "take-1.wav" },
  can: { form: false },
  says: '{"action":"unsupported"}',
};

const once = { decline: { says: "That was bar 1." } };

export const metronome: Scenario = {
  tool: "metronome",
  shows: "counts until somebody has heard enough",
  input: { most: 3 },
  answers: { more: true, "more#2": false },
  says: "That was bar 2.",
  otherwise: { more: once, "more#2": { decline: { says: "That was bar 2." } } },
};

export const tune: Scenario = {
  tool: "tune",
  shows: "writes down how far a string was off",
  input: { string: "A" },
  answers: { cents: -7.5 },
  gives: ["audio", "text"],
  says: '{"string":"A","turn":"up"}',
  changes: { "tuning.json": { A: -7.5 } },
};
