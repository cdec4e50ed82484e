/**
 * Text from a tool, as a terminal may show it.
 *
 * Whatever a tool says may come from somewhere else: a web page, a model. None
 * of it may move the cursor, set the title, or turn the direction of what follows.
 */

// Texts that begin with an escape and go on to a terminator: titles, links, clipboards.
// Within one none begins, so that no character is looked at for more than one of them: the time is linear.
const STRINGS =
  "(?:\\u001B[\\]PX^_]|[\\u0090\\u0098\\u009D-\\u009F])[^\\u0007\\u001B\\u0090\\u0098\\u009C-\\u009F]*(?:\\u0007|\\u001B\\\\|\\u009C)";
const SEQUENCES = "(?:\\u001B\\[|\\u009B)[0-?]*[ -/]*[@-~]";
const ESCAPES = "\\u001B[ -/]*[0-~]";
// All but tab and line feed; what shows text in another order than it is written.
const CONTROLS = "[\\u0000-\\u0008\\u000B-\\u001F\\u007F-\\u009F\\u202A-\\u202E\\u2066-\\u2069]";

const COLORS = "\\u001B\\[(?:[349]\\d|10[0-7])(?:;\\d+)*m";

const unwanted = new RegExp(`${STRINGS}|${SEQUENCES}|${ESCAPES}`, "g");
const controls = new RegExp(CONTROLS, "g");
const colors = new RegExp(COLORS, "g");

/** The text without escape sequences and control characters; tabs and lines stay. */
export function cleanText(text: string): string {
  return text
    .replaceAll(unwanted, "")
    .replaceAll(/\r\n?|[\u2028\u2029]/g, "\n")
    .replaceAll(controls, "");
}

/** The same on one line. */
export function oneLine(text: string): string {
  return cleanText(text).replaceAll(/\s+/g, " ").trim();
}

/** The text without its colours. What moves the cursor stays, and what strikes out: `NO_COLOR` is about colours. */
export function withoutColors(text: string): string {
  return text.replaceAll(colors, "");
}
