/**
 * Every form of a secret that is redacted: as it is, and as other programs encode it in JSON, in URLs and in base64.
 *
 * SECURITY.md promises each of them.
 */
import { textToBase64, toUtf8Binary, wellFormed } from "./platform.ts";

/** A secret as it is, and in every encoding. */
export const encodedForms = (secret: string): readonly string[] => [
  ...new Set([secret, ...jsonForms(secret), ...urlForms(secret), ...base64Forms(secret)]),
];

/** Escaped once and twice; in ASCII or not, with lower or upper case hex digits, with the slash escaped or not. */
function jsonForms(value: string): readonly string[] {
  const once = [
    jsonEscape(value),
    toAsciiJson(value, codeUnit),
    toAsciiJson(value, (unit) => `\\u${codeUnit(unit).slice(2).toUpperCase()}`),
  ];
  const all = [...once, ...once.map(escapeSlashes)];
  const twice = all.map(jsonEscape);
  return [...all, ...twice, ...twice.map(escapeSlashes)];
}

const jsonEscape = (text: string): string => JSON.stringify(text).slice(1, -1);

const escapeSlashes = (json: string): string => json.replaceAll("/", String.raw`\/`);

/** Keeps JSON's escapes of one letter, and formats other characters that are not printable ASCII as code units. */
const toAsciiJson = (value: string, spell: (unit: string) => string): string =>
  value.replaceAll(/[^ !#-[\]-~]/g, (unit) => {
    const json = jsonEscape(unit);
    return json.length === 2 ? json : spell(unit);
  });

const codeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** The characters that are percent-encoded in the parts of a URL, by the URL Standard and by functions of JavaScript. */
const URL_ENCODE_SETS: readonly RegExp[] = [
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

/** With upper and lower case hex digits. Forms encode a space as "+". */
function urlForms(value: string): readonly string[] {
  const text = wellFormed(value);
  const urls = URL_ENCODE_SETS.map((encoded) => text.replaceAll(encoded, percentEncode));
  const all = [...urls, ...urls.slice(-2).map((one) => one.replaceAll("%20", "+"))];
  return [...all, ...all.map((one) => one.replaceAll(/%[\dA-F]{2}/g, (byte) => byte.toLowerCase()))];
}

const percentEncode = (character: string): string => {
  const encoded = encodeURIComponent(character);
  return encoded === character ? `%${character.charCodeAt(0).toString(16).toUpperCase()}` : encoded;
};

/** Shorter fragments are part of many texts. */
const MIN_FRAGMENT_LENGTH = 6;

/**
 * Base64 and base64url, with padding and without: of the text, and what base64 of a longer text contains of it. Three bytes
 * become four characters, so there are three alignments.
 */
function base64Forms(value: string): readonly string[] {
  const bytes = toUtf8Binary(value).length;
  const fragments = [0, 1, 2].map((before) =>
    textToBase64("\0".repeat(before) + value).slice(
      before === 0 ? 0 : before + 1,
      Math.floor(((before + bytes) * 4) / 3),
    ),
  );
  const long = fragments.filter(({ length }) => length >= MIN_FRAGMENT_LENGTH);
  return [textToBase64(value), ...long].flatMap((base64) => {
    const unpadded = base64.replace(/=+$/, "");
    return [base64, unpadded, unpadded.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
