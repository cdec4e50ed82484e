/**
 * Text from a tool or a server, as a terminal may show it. Every place that shows such a text cleans it here.
 *
 * Whatever a tool says may come from somewhere else: a web page, a model. None of it may move the cursor, set the title,
 * turn the direction of what follows, or be there without being seen. Logs have another list, which escapes instead of leaving
 * out: `escapeForLog` of @photon/server.
 */

// Texts that begin with an escape and go on to a terminator: titles, links, clipboards.
// Within one none begins, so that no character is looked at for more than one of them: the time is linear.
const STRINGS =
  "(?:\\u001B[\\]PX^_]|[\\u0090\\u0098\\u009D-\\u009F])[^\\u0007\\u001B\\u0090\\u0098\\u009C-\\u009F]*(?:\\u0007|\\u001B\\\\|\\u009C)";
const SEQUENCES = "(?:\\u001B\\[|\\u009B)[0-?]*[ -/]*[@-~]";
const ESCAPES = "\\u001B[ -/]*[0-~]";
// Controls; what shows text in another order than it is written; what is not shown at all. Neither tab and line feed,
// nor what joins letters and emoji and chooses their form: that changes what is seen, unless it follows nothing it could.
const UNSEEN = "(?![\\t\\n\\u200C\\u200D\\uFE00-\\uFE0F])[\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}]";
const JOINERS = "(?<![^\\p{ASCII}])[\\u200C\\u200D\\uFE00-\\uFE0F]+";

const COLORS = "\\u001B\\[(?:[349]\\d|10[0-7])(?:;\\d+)*m";

const unwanted = new RegExp(`${STRINGS}|${SEQUENCES}|${ESCAPES}`, "g");
const unseen = new RegExp(UNSEEN, "gu");
const joiners = new RegExp(JOINERS, "gu");
const colors = new RegExp(COLORS, "g");

/** The text without escape sequences, control characters and what is not seen; tabs and lines stay. */
export function cleanText(text: string): string {
  return text
    .replaceAll(unwanted, "")
    .replaceAll(/\r\n?|[\u2028\u2029]/g, "\n")
    .replaceAll(unseen, "")
    .replaceAll(joiners, "");
}

/** JSON that can be printed anywhere: what `cleanText` leaves out is written as an escape. */
export function escapeJson(json: string): string {
  const escape = (text: string): string =>
    Array.from({ length: text.length }, (_, at) => {
      const unit = text.charCodeAt(at).toString(16).padStart(4, "0");
      return `\\u${unit}`;
    }).join("");
  return json.replaceAll(unseen, escape).replaceAll(joiners, escape);
}

/** The same on one line. */
export function oneLine(text: string): string {
  return cleanText(text).replaceAll(/\s+/g, " ").trim();
}

/** The text without its colours. What moves the cursor stays, and what strikes out: `NO_COLOR` is about colours. */
export function withoutColors(text: string): string {
  return text.replaceAll(colors, "");
}
