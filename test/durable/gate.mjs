/** Places at which a tool waits for as long as a test says so; the folder is the deployment's (deployment.ts). */
import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { step } from "@photon/core";

/** @typedef {import("@photon/core").StepContext} StepContext */

const folder = process.env["PHOTON_TEST_FOLDER"] ?? "";
const INTERVAL_MS = 10;

/**
 * Waits while the test keeps the gate closed.
 * @param {string} name
 */
export async function gate(name) {
  if (!arriveAt(name)) return;
  while (isClosed(name)) await pause(INTERVAL_MS);
}

/**
 * The same, and the event loop of the process does not run meanwhile.
 * @param {string} name
 */
export function gateThatBlocks(name) {
  if (!arriveAt(name)) return;
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (isClosed(name)) Atomics.wait(cell, 0, 0, INTERVAL_MS);
}

/**
 * A step that writes its key to a file, where a step that is done twice shows; there is a gate of its name in it.
 * @param {string} name
 */
export const writtenStep = (name) =>
  step(name, async ({ key }) => {
    appendFileSync(join(folder, "steps"), `${key}\n`);
    await gate(name);
    return `${name} done`;
  });

/** @param {string} name */
function arriveAt(name) {
  if (!isClosed(name)) return false;
  appendFileSync(join(folder, `waited-at-${name}`), `${process.pid}\n`);
  return true;
}

/** @param {string} name */
const isClosed = (name) => existsSync(join(folder, `gate-${name}`));
