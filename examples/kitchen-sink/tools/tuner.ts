import { ask, emit } from "@photon/core";
import { jsonFile } from "../studio/json-file.ts";
import { pitchOf, tone } from "../studio/tones.ts";
import { encodeWave } from "../studio/wave.ts";

const STRINGS = { E: -29, A: -24, D: -19, G: -14 } as const;

/** Tunes instruments; each method is a tool. */
// A default export is what makes a class a bundle of tools.
// oxlint-disable-next-line import/no-default-export
export default class Tuner {
  readonly #tuning = jsonFile<Readonly<Record<string, number>>>("tuning.json", {});

  /**
   * Tunes one string by ear, and remembers how far it was off.
   *
   * @param string which string
   */
  async *tune(string: "E" | "A" | "D" | "G") {
    yield emit.audio(encodeWave(tone(pitchOf(STRINGS[string]), 0.2)), "audio/wav");
    const cents = yield* ask.number(`How many cents is your ${string} off?`, {
      id: "cents",
      min: -50,
      max: 50,
    });
    await this.#tuning.update((before) => ({ ...before, [string]: cents }));
    return { string, turn: cents === 0 ? "not at all" : cents > 0 ? "down" : "up" };
  }
}
