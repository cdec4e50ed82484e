/** Files on the shelf: names, deletion, overwriting, pictures, sounds. */
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { Scenario } from "../scenario.ts";
import { recordings } from "../studio.ts";

const aFile: unknown = expect.stringContaining("bytes");

export const nameArtifact: Scenario = {
  tool: "name_artifact",
  shows: "gives a file the name that was wanted, once that is one",
  input: { artifact: "take-1.wav" },
  answers: { name: { $attempts: ["?", "Opener"] } },
  says: "take-1.wav is called Opener.wav now.",
  changes: { "shelf/Opener.wav": aFile, "shelf/take-1.wav": null },
  otherwise: { name: { decline: { says: "It is still called take-1.wav." } } },
};

const kept = { says: '{"deleted":[],"kept":["take-2.wav"]}' };

export const deleteArtifacts: Scenario = {
  tool: "delete_artifacts",
  shows: "throws away what was chosen, after a yes",
  answers: { names: ["take-2.wav"], sure: true },
  typed: ["sure"],
  says: '{"deleted":["take-2.wav"],"kept":[]}',
  changes: { "shelf/take-2.wav": null },
  otherwise: { sure: { decline: kept } },
};

export const keepArtifacts: Scenario = {
  tool: "delete_artifacts",
  shows: "throws away nothing after a no",
  answers: { names: ["take-2.wav"], sure: false },
  ...kept,
  otherwise: { sure: { decline: kept } },
};

export const transcode: Scenario = {
  tool: "transcode",
  shows: "makes a file of another kind",
  input: { file: "take-1.wav" },
  gives: ["resource_link", "text"],
  says: "take-1.wav was converted to take-1.au.",
  changes: { "shelf/take-1.au": aFile },
};

const left = { says: "take-1.au was not changed." };

export const overwrite: Scenario = {
  tool: "transcode",
  shows: "overwrites a file after a yes",
  input: { file: "take-1.wav" },
  after: transcode,
  answers: { overwrite: true },
  gives: ["resource_link", "text"],
  says: "take-1.wav was converted to take-1.au.",
  otherwise: { overwrite: { decline: left, cancel: left, timeout: left } },
};

export const overwriteNot: Scenario = {
  tool: "transcode",
  shows: "leaves a file as it is where nobody can be asked",
  input: { file: "take-1.wav" },
  after: transcode,
  can: { form: false },
  ...left,
};

export const transcodeNothing: Scenario = {
  tool: "transcode",
  shows: "says what is on the shelf where something is not",
  input: { file: "take-9.wav" },
  says: "There is no take-9.wav on the shelf; there is take-1.wav, take-2.wav, test-tone.wav.",
  isError: true,
};

export const uploadSample: Scenario = {
  tool: "upload_sample",
  shows: "puts a file of somebody's on the shelf",
  answers: {
    recording: { name: "demo.wav", type: "audio/wav", path: fileURLToPath(`${recordings.uri}/demo.wav`) },
  },
  says: '{"name":"demo.wav","seconds":0.3}',
  changes: { "shelf/demo.wav": aFile },
};

export const findRecordings: Scenario = {
  tool: "find_recordings",
  shows: "takes over what was picked of the recordings where the client works",
  roots: [recordings],
  answers: { picked: ["rough mix.wav"] },
  gives: ["text", "text"],
  says: "1 of 2 recordings were copied.",
  changes: { "shelf/rough mix.wav": aFile },
  otherwise: { folders: { timeout: { says: "There are no recordings in your folders." } } },
};

export const drawWaveform: Scenario = {
  tool: "draw_waveform",
  shows: "draws a recording",
  gives: ["image"],
  says: "",
};

export const shareClip: Scenario = {
  tool: "share_clip",
  shows: "gives everything there is of a recording",
  input: { clip: "take-2.wav" },
  gives: ["text", "audio", "image", "resource", "resource_link"],
  says: "take-2.wav, 1 s",
};

export const checkLevels: Scenario = {
  tool: "check_levels",
  shows: "logs how loud a recording is",
  gives: [],
  says: "",
};

export const bounceMix: Scenario = {
  tool: "bounce_mix",
  shows: "records the mix, and leaves nothing half done behind",
  input: { bars: 2, speed: 1000 },
  answers: { begin: true },
  gives: ["image", "text"],
  says: "mix.wav has 2 bars at 120 beats a minute.",
  changes: { "shelf/mix.wav": aFile },
  otherwise: { begin: { decline: { says: "Nothing was recorded." } } },
};
