/** Sounds, made of sines. */
import { RATE } from "./wave.ts";

const LOUDEST = 32_767;

/** A tone of this pitch, in hertz; `loudness` from 0 to 1, at the moment `at` from 0 to 1. */
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

/** The pitch of a note so many semitones above the A of the tuning fork. */
export const pitchOf = (semitones: number): number => 440 * 2 ** (semitones / 12);

/** Notes one after another, each fading out. */
export function melody(notes: readonly number[], seconds: number): Int16Array {
  const tones = notes.map((note) => tone(pitchOf(note), seconds, (at) => 0.6 * (1 - at)));
  return joined(tones);
}

/** Sounds one after another. */
export function joined(sounds: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(sounds.reduce((length, sound) => length + sound.length, 0));
  let at = 0;
  for (const sound of sounds) {
    whole.set(sound, at);
    at += sound.length;
  }
  return whole;
}
