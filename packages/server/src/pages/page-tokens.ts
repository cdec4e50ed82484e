/** The random texts that pages are known by. Of those that others bring along, only a digest is kept. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** 256 random bits, as they stand in an address. */
export const newToken = (): string => randomBytes(32).toString("base64url");

export const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Whether a text is the one of a digest. It takes the same time whatever the text is. */
export function isSame(text: string | null | undefined, known: Buffer): boolean {
  return timingSafeEqual(digest(text ?? ""), known);
}

/** The token at the end of a path; nothing where none can be there. */
export function tokenIn(url = ""): string | undefined {
  const [path = ""] = url.split("?", 1);
  return /(?:^|\/)([\w-]{43})$/.exec(path)?.[1];
}
