/** Encodes samples as Sun audio (`.au`): a header of 24 bytes, then the samples in big-endian order. */
import { RATE } from "./wave.ts";

const HEADER = 24;
const LINEAR_16_BIT = 3;

export function encodeSunAudio(samples: Int16Array): Buffer {
  const bytes = Buffer.alloc(HEADER + samples.length * 2);
  bytes.write(".snd", 0);
  for (const [index, field] of [HEADER, samples.length * 2, LINEAR_16_BIT, RATE, 1].entries())
    bytes.writeUInt32BE(field, 4 + index * 4);
  for (const [index, sample] of samples.entries()) bytes.writeInt16BE(sample, HEADER + index * 2);
  return bytes;
}
