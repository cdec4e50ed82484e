/** Synthesizes tones and melodies from sine waves. */
import { RATE } from "./wave.ts";

const LOUDEST = 32_767;

/** A tone of `pitch` hertz. `loudness` returns the volume (0 to 1) at a position in the tone (0 to 1). */
export function tone(
  pitch: number,
  seconds: number,
  loudness: (at: number) => number = () => 0.5,
): Int16Array {
  const length = Math.round(seconds * RATE);
  return Int16Array.from({ length }, (_, index) =>
    Math.round(LOUDEST * loudness(index / length) * Math.sin((2 * Math.PI * pitch * index) / RATE)),
  );
}

/** The pitch, in hertz, of the note this many semitones above A4 (440 Hz). */
export const pitchOf = (semitones: number): number => 440 * 2 ** (semitones / 12);

/** Notes in sequence, each fading out. */
export function melody(notes: readonly number[], seconds: number): Int16Array {
  const tones = notes.map((note) => tone(pitchOf(note), seconds, (at) => 0.6 * (1 - at)));
  return concatenate(tones);
}

/** Joins sounds into one. */
export function concatenate(sounds: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(sounds.reduce((length, sound) => length + sound.length, 0));
  let at = 0;
  for (const sound of sounds) {
    whole.set(sound, at);
    at += sound.length;
  }
  return whole;
}
