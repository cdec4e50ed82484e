/** Finds the browser for the tests of pages. */

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The headless shell first: a tab costs it a fifth of the processor time that it costs a whole Chromium. */
const NAMES = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
];

/** The path of a Chromium: `PHOTON_CHROMIUM`, or the first in PATH; undefined if there is none. */
export function findChromium() {
  const given = process.env["PHOTON_CHROMIUM"];
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...(given === undefined ? [] : [given]), ...found].find(isProgram);
}

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
