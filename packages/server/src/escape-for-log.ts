/**
 * Text that goes into a log as part of one line: control characters, marks that change the direction of text, and whatever else
 * ends a line are written as escapes, `\n` or `\u001b`. `toStderr` uses it, and the log of `photon serve`.
 *
 * What a terminal shows of a tool or a server is cleaned by another list (packages/cli/src/terminal/clean-text.ts), which also
 * leaves out what is not seen, and keeps lines and tabs. A character that is dangerous in both belongs to both.
 */
const UNSAFE = "[\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]";
const unsafe = new RegExp(UNSAFE, "g");

export function escapeForLog(text: string): string {
  return text.replaceAll(unsafe, (character) => {
    if (character === "\n") return String.raw`\n`;
    if (character === "\t") return String.raw`\t`;
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
