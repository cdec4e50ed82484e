/** A picture that says what it was taken of: a `tEXt` chunk of PNG, which no viewer shows. */
import { crc32 } from "node:zlib";

const KEYWORD = "Source\0";
/** What ends every picture: an empty chunk of this type. */
const END_BYTES = 12;

export function withNote(png: Buffer, note: string): Buffer {
  const body = Buffer.from(`tEXt${KEYWORD}${note}`, "latin1");
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(body.length - 4, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  const end = png.length - END_BYTES;
  return Buffer.concat([png.subarray(0, end), chunk, png.subarray(end)]);
}

/** What a picture says; nothing where it says nothing. */
export function noteIn(png: Buffer): string | undefined {
  const at = png.lastIndexOf(`tEXt${KEYWORD}`, undefined, "latin1");
  if (at < 4) return undefined;
  return png.toString("latin1", at + 4 + KEYWORD.length, at + 4 + png.readUInt32BE(at - 4));
}
