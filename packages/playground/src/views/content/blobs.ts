/** Bytes that came as base64. */

export function bytesIn(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}

/** What is no base64 is saved as it came: whoever opens it sees what is wrong with it. */
export function blobOf(base64: string, type: string): Blob {
  try {
    const characters = atob(base64);
    return new Blob([Uint8Array.from(characters, (character) => character.codePointAt(0) ?? 0)], { type });
  } catch {
    return new Blob([base64], { type: "text/plain" });
  }
}

const ENDINGS: { readonly [type: string]: string } = {
  "text/plain": "txt",
  "text/markdown": "md",
  "image/jpeg": "jpg",
  "image/svg+xml": "svg",
  "audio/mpeg": "mp3",
  "audio/x-wav": "wav",
};

/** A name for a file, without anything that is a path. */
export function fileNameFor(name: string, mimeType: string): string {
  const plain = name
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, "-")
    .replace(/^[.-]+/u, "")
    .slice(0, 80);
  if (/\.\w{1,8}$/u.test(plain)) return plain;
  const ending = ENDINGS[mimeType] ?? /\/(?:x-)?(\w+)/u.exec(mimeType)?.[1] ?? "bin";
  return `${plain === "" ? "file" : plain}.${ending}`;
}
