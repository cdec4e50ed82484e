/** The spellings in which a value may leave. Pure. */
import { textToBase64, utf8, wellFormed } from "./platform.ts";

/** Shorter values are only recognised when they stand alone: "1" is in every other text. */
export const SHORTEST_PART = 6;

/** How a value may be spelled: as it is, inside JSON, inside a URL, as base64. */
export function spellings(value: string): readonly string[] {
  const inJson = escaped(value);
  const ascii = inJson.replaceAll(/[\u007F-\uFFFF]/g, codePoint);
  const inUrl = encodeURIComponent(wellFormed(value));
  // As a form spells it: a blank as "+", and what `encodeURIComponent` lets be.
  const inForm = inUrl
    .replaceAll("%20", "+")
    .replaceAll(/[!'()~]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  const urls = [inUrl, inForm, inForm.replaceAll("+", "%20")];
  const lower = urls.map((one) => one.replaceAll(/%../g, (byte) => byte.toLowerCase()));
  const base64 = [textToBase64(value), ...base64Within(value)];
  const others = base64.flatMap((one) => [one, one.replace(/=+$/, ""), urlSafe(one)]);
  return [...new Set([value, inJson, escaped(inJson), ascii, ...urls, ...lower, ...others])];
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

const codePoint = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

const urlSafe = (base64: string): string =>
  base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

/** What a longer text in base64 has of this one, wherever that begins: three characters stand for four, so there are three ways. */
function base64Within(text: string): readonly string[] {
  const bytes = utf8(text).length;
  const ways = [0, 1, 2].map((before) =>
    textToBase64("\0".repeat(before) + text).slice(
      before === 0 ? 0 : before + 1,
      Math.floor(((before + bytes) * 4) / 3),
    ),
  );
  return ways.filter((way) => way.length >= SHORTEST_PART);
}
