/** A minimal PNG encoder: a header, the pixels and an end chunk, each with its length and checksum. */
import { crc32, deflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const GREYSCALE = [8, 0, 0, 0, 0];

/** Encodes a greyscale image; `shadeAt` returns the shade of a pixel, from 0 to 255. */
export function encodePng(width: number, height: number, shadeAt: (x: number, y: number) => number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set(GREYSCALE, 8);
  // Every row begins with the number of its filter: 0 is none.
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = shadeAt(x, y);
  return Buffer.concat([SIGNATURE, part("IHDR", header), part("IDAT", deflateSync(rows)), part("IEND")]);
}

function part(name: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const named = Buffer.concat([Buffer.from(name), data]);
  const around = Buffer.alloc(8);
  around.writeUInt32BE(data.length, 0);
  around.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([around.subarray(0, 4), named, around.subarray(4)]);
}
