import { encodePng } from "./png.ts";

const [WIDTH, HEIGHT] = [320, 80];
/** Shades of grey. */
const [FOREGROUND, BACKGROUND] = [40, 245];

/** A PNG image of a recording: its loudness over time. */
export function drawWaveform(samples: Int16Array): Buffer {
  const peaks = peaksOf(samples, WIDTH);
  return encodePng(WIDTH, HEIGHT, (x, y) => {
    const distance = Math.abs(y - HEIGHT / 2) / (HEIGHT / 2);
    return distance <= (peaks[x] ?? 0) ? FOREGROUND : BACKGROUND;
  });
}

/** Splits a recording into this many parts, and returns the peak of each, from 0 to 1. */
export function peaksOf(samples: Int16Array, parts: number): readonly number[] {
  const size = samples.length / parts;
  return Array.from({ length: parts }, (_, index) => {
    const part = samples.subarray(Math.floor(index * size), Math.ceil((index + 1) * size));
    return part.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0) / 32_768;
  });
}
