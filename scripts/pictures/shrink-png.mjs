/**
 * Reduces a screenshot to a PNG with a palette of 256 colours, which are enough for text and boxes.
 *
 * The palette has the most frequent colours that are not too similar, so that a small coloured element keeps its colour.
 * Every other colour becomes the nearest one of the palette.
 */
import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
const MAX_COLOURS = 256;

/** @param {Buffer} png a screenshot of a browser: 8 bits, RGB or opaque RGBA */
export function shrinkPng(png) {
  const { width, height, pixels } = readPixels(png);
  const palette = paletteOf(pixels);
  /** @type {Map<number, number>} */
  const places = new Map(palette.map((colour, place) => [colour, place]));
  const rows = Buffer.alloc((width + 1) * height);
  for (const [index, colour] of pixels.entries()) {
    const place = places.get(colour) ?? nearest(palette, colour);
    places.set(colour, place);
    rows[index + Math.floor(index / width) + 1] = place;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits per pixel, colour type 3 (palette), and the defaults.
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.flatMap(channelsOf))),
    chunk("IDAT", deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/**
 * Every pixel as one number, row by row.
 *
 * @param {Buffer} png
 */
function readPixels(png) {
  const chunks = [...chunksOf(png)];
  const header = chunks[0]?.data ?? Buffer.alloc(13);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const size = header[9] === 6 ? 4 : 3;
  const data = inflateSync(
    Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map((one) => one.data)),
  );
  const stride = width * size;
  const pixels = new Uint32Array(width * height);
  let above = Buffer.alloc(stride);
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1);
    const row = unfiltered(data[start] ?? 0, data.subarray(start + 1, start + 1 + stride), above, size);
    for (let x = 0; x < width; x++) pixels[y * width + x] = row.readUIntBE(x * size, 3);
    above = row;
  }
  return { width, height, pixels };
}

/** @param {Buffer} png */
function* chunksOf(png) {
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    yield { type: png.toString("latin1", at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) };
    at += length + 12;
  }
}

/**
 * Reverses the filter of a row (PNG, section 9): a filtered byte is the difference to a prediction from its neighbours.
 *
 * @param {number} filter
 * @param {Buffer} row
 * @param {Buffer} above
 * @param {number} size of a pixel
 */
function unfiltered(filter, row, above, size) {
  const plain = Buffer.from(row);
  for (let at = 0; at < plain.length; at++) {
    const left = at < size ? 0 : (plain[at - size] ?? 0);
    const up = above[at] ?? 0;
    const corner = at < size ? 0 : (above[at - size] ?? 0);
    const predictions = [0, left, up, (left + up) >> 1, paeth(left, up, corner)];
    plain[at] = (row[at] ?? 0) + (predictions[filter] ?? 0);
  }
  return plain;
}

/**
 * @param {number} left
 * @param {number} up
 * @param {number} corner
 */
function paeth(left, up, corner) {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

/** @param {Uint32Array} pixels */
function paletteOf(pixels) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  // Colours of the same frequency are sorted by value, so that the result is deterministic.
  const frequent = [...counts].toSorted(([a, many], [b, more]) => more - many || a - b);
  for (let least = 1; ; least *= 2) {
    /** @type {number[]} */
    const palette = [];
    for (const [colour] of frequent) {
      if (palette.every((one) => distance(one, colour) >= least)) palette.push(colour);
      if (palette.length > MAX_COLOURS) break;
    }
    if (palette.length <= MAX_COLOURS) return palette;
  }
}

/** @param {number} colour */
function channelsOf(colour) {
  return [colour >> 16, (colour >> 8) & 255, colour & 255];
}

/**
 * @param {number} one
 * @param {number} other
 */
function distance(one, other) {
  const [red, green, blue] = [
    (one >> 16) - (other >> 16),
    ((one >> 8) & 255) - ((other >> 8) & 255),
    (one & 255) - (other & 255),
  ];
  return red * red + green * green + blue * blue;
}

/**
 * @param {readonly number[]} palette
 * @param {number} colour
 */
function nearest(palette, colour) {
  let [best, least] = [0, Infinity];
  for (const [place, candidate] of palette.entries()) {
    const away = distance(candidate, colour);
    if (away < least) [best, least] = [place, away];
  }
  return best;
}

/**
 * @param {string} type
 * @param {Buffer} data
 */
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}
