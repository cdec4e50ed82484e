// Control characters, what shows text in another order than it is written, and what else ends a line.
const UNSAFE = "[\\u0000-\\u001F\\u007F-\\u009F\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]";
const unsafe = new RegExp(UNSAFE, "g");

/** A text that stays on its line, and does nothing to the terminal: what could is written out, `\n` or `\u001b`. */
export function harmless(text: string): string {
  return text.replaceAll(unsafe, (character) => {
    if (character === "\n") return String.raw`\n`;
    if (character === "\t") return String.raw`\t`;
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
