/**
 * Cleans text for a terminal, and fits it into a width.
 *
 *   1. Text of a tool or a server may come from a web page or a model. It cannot move the cursor, set the title, change
 *      the direction of text or contain invisible characters. Everything that is printed goes through `cleanText`.
 *   2. Logs escape such characters instead of removing them: `escapeForLog` of @photon/server.
 */
import stringWidth from "fast-string-width";

// Control strings, which end with a terminator: titles, links, clipboards.
// None begins within another, so each character is matched once, and the time is linear.
const STRINGS =
  "(?:\\u001B[\\]PX^_]|[\\u0090\\u0098\\u009D-\\u009F])[^\\u0007\\u001B\\u0090\\u0098\\u009C-\\u009F]*(?:\\u0007|\\u001B\\\\|\\u009C)";
const SEQUENCES = "(?:\\u001B\\[|\\u009B)[0-?]*[ -/]*[@-~]";
const ESCAPES = "\\u001B[ -/]*[0-~]";
// Control characters, direction marks, invisible characters; except tab and line feed, and except joiners and variation
// selectors, which change how letters and emoji look, unless they follow a character that they cannot change.
const UNSEEN = "(?![\\t\\n\\u200C\\u200D\\uFE00-\\uFE0F])[\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}]";
const JOINERS = "(?<![^\\p{ASCII}])[\\u200C\\u200D\\uFE00-\\uFE0F]+";

const unwanted = new RegExp(`${STRINGS}|${SEQUENCES}|${ESCAPES}`, "g");
const unseen = new RegExp(UNSEEN, "gu");
const joiners = new RegExp(JOINERS, "gu");

/** Removes escape sequences, control characters and invisible characters; keeps tabs and line feeds. */
export function cleanText(text: string): string {
  return text
    .replaceAll(unwanted, "")
    .replaceAll(/\r\n?|[\u2028\u2029]/g, "\n")
    .replaceAll(unseen, "")
    .replaceAll(joiners, "");
}

/** JSON that is safe to print: what `cleanText` removes is written as an escape. */
export function escapeJson(json: string): string {
  const escape = (text: string): string =>
    Array.from({ length: text.length }, (_, at) => {
      const unit = text.charCodeAt(at).toString(16).padStart(4, "0");
      return `\\u${unit}`;
    }).join("");
  return json.replaceAll(unseen, escape).replaceAll(joiners, escape);
}

/** Clean text on one line. */
export function oneLine(text: string): string {
  return cleanText(text).replaceAll(/\s+/g, " ").trim();
}

/** A problem of core ("must be at most 30") as a sentence. */
export function sentenceOf(problem: string): string {
  // It may quote the schema of a server.
  const text = cleanText(problem);
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}

const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The beginning of a text, with "…" where it was cut. `fast-string-truncated-width` cuts some texts one column too late. */
export function cutTo(width: number, text: string): string {
  if (stringWidth(text) <= width) return text;
  let cut = "";
  let left = Math.max(width - 1, 0);
  for (const { segment } of characters.segment(text)) {
    left -= stringWidth(segment);
    if (left < 0) break;
    cut += segment;
  }
  return `${cut}…`;
}

/** The text in lines of at most that width, broken between words where possible. */
export function foldTo(width: number, text: string): readonly string[] {
  return text.split("\n").flatMap((line) => {
    const lines: string[] = [];
    let current = "";
    for (const word of line.split(" ")) {
      const longer = current === "" ? word : `${current} ${word}`;
      if (stringWidth(longer) <= width || current === "") current = longer;
      else {
        lines.push(current);
        current = word;
      }
    }
    return [...lines, current];
  });
}
