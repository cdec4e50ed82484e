/** The spellings in which a value may leave. Pure. */
import { textToBase64, utf8, wellFormed } from "./util/platform.ts";

/** Shorter values are only recognised when they stand alone: "1" is in every other text. */
export const SHORTEST_PART = 6;

/** How a value may be spelled: as it is, inside JSON, inside a URL, as base64. */
export function spellings(value: string): readonly string[] {
  const base64 = [textToBase64(value), ...base64Within(value)];
  const others = base64.flatMap((one) => [one, one.replace(/=+$/, ""), urlSafe(one)]);
  return [...new Set([value, ...inJson(value), ...inUrl(value), ...others])];
}

/** Once and twice: in ASCII or not, in lower or upper case, with the slash escaped or not. */
function inJson(value: string): readonly string[] {
  const once = [
    escaped(value),
    asciiOf(value, codeUnit),
    asciiOf(value, (unit) => `\\u${codeUnit(unit).slice(2).toUpperCase()}`),
  ];
  const all = [...once, ...once.map(slashesEscaped)];
  const twice = all.map(escaped);
  return [...all, ...twice, ...twice.map(slashesEscaped)];
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

const slashesEscaped = (json: string): string => json.replaceAll("/", String.raw`\/`);

/** What JSON escapes by one letter stays so; of the rest, what is no printable ASCII is spelled as code units. */
const asciiOf = (value: string, spell: (unit: string) => string): string =>
  value.replaceAll(/[^ !#-[\]-~]/g, (unit) => {
    const json = escaped(unit);
    return json.length === 2 ? json : spell(unit);
  });

const codeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** What is percent-encoded in the parts of an address, as the URL Standard has it, and by functions of JavaScript. */
const ENCODED_IN_URLS: readonly RegExp[] = [
  // A fragment, and a query: of any scheme, and of http.
  /[^!#-;=?-_a-~]/gu,
  /[^!$-;=?-~]/gu,
  /[^!$-&(-;=?-~]/gu,
  // A path, before and after the standard had "^" encoded; a user and a password.
  /[^!$-;=@-_a-z|~]/gu,
  /[^!$-;=@-\]_a-z|~]/gu,
  /[^!$-.0-9A-Z_a-z~]/gu,
  // `encodeURI`, `encodeURIComponent`, and the latter with what forms encode as well.
  /[^!#$&-;=?-Z_a-z~]/gu,
  /[^!'()*\-.0-9A-Z_a-z~]/gu,
  /[^*\-.0-9A-Z_a-z]/gu,
];

/** In upper and lower case. Forms have a blank as "+". */
function inUrl(value: string): readonly string[] {
  const text = wellFormed(value);
  const urls = ENCODED_IN_URLS.map((encoded) => text.replaceAll(encoded, percentEncoded));
  const all = [...urls, ...urls.slice(-2).map((one) => one.replaceAll("%20", "+"))];
  return [...all, ...all.map((one) => one.replaceAll(/%[\dA-F]{2}/g, (byte) => byte.toLowerCase()))];
}

const percentEncoded = (character: string): string => {
  const encoded = encodeURIComponent(character);
  return encoded === character ? `%${character.charCodeAt(0).toString(16).toUpperCase()}` : encoded;
};

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
