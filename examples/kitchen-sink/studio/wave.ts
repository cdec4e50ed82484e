/** Reads and writes WAV files with one channel, 16 bits, and 8,000 samples per second. */

export const RATE = 8000;
const HEADER = 44;

export function encodeWave(samples: Int16Array): Buffer {
  const data = samples.length * 2;
  const bytes = Buffer.alloc(HEADER + data);
  bytes.write("RIFF", 0);
  bytes.writeUInt32LE(HEADER - 8 + data, 4);
  bytes.write("WAVEfmt ", 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(RATE, 24);
  bytes.writeUInt32LE(RATE * 2, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write("data", 36);
  bytes.writeUInt32LE(data, 40);
  for (const [index, sample] of samples.entries()) bytes.writeInt16LE(sample, HEADER + index * 2);
  return bytes;
}

/** The samples of a file in the format of `encodeWave`; throws for any other format. */
export function decodeWave(file: Uint8Array): Int16Array {
  const bytes = Buffer.from(file);
  const isSupported =
    bytes.length >= HEADER &&
    bytes.toString("latin1", 0, 4) === "RIFF" &&
    bytes.toString("latin1", 8, 16) === "WAVEfmt " &&
    bytes.readUInt16LE(22) === 1 &&
    bytes.readUInt16LE(34) === 16;
  if (!isSupported) throw new Error("This is not a WAV file with one channel of 16 bits.");
  const count = Math.floor((bytes.length - HEADER) / 2);
  return Int16Array.from({ length: count }, (_, index) => bytes.readInt16LE(HEADER + index * 2));
}

/** The length of a recording, in seconds. */
export const durationOf = (samples: Int16Array): number => samples.length / RATE;
