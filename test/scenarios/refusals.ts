/** How calls end that want what their client cannot do. */
import { expect } from "vitest";
import type { Scene } from "./scene.ts";

/** What becomes of a call: what it was given, or the error. */
export const outcomeOf = (calling: Promise<unknown>): Promise<unknown> =>
  calling.catch((error: unknown) => error);

/** By an error that names what is missing in 2026-07-28, else by a result that says so. */
export const refused = (scene: Scene, sentence: string, requiredCapabilities: object): object =>
  scene.isModern
    ? { code: -32021, message: expect.stringContaining(sentence), data: { requiredCapabilities } }
    : { isError: true, text: expect.stringContaining(sentence) };

/** The same in a word. */
export const inWhatWay = (scene: Scene): string =>
  scene.isModern ? "error -32021" : "a result that says so";
