/** Texts as SQLite takes them: for it, a text ends at the first NUL. */

const NUL = "\0";
/** What comes before a letter that stands for NUL, or for this itself. */
const MARK = "\u0001";

export function escape(text: string): string {
  if (!text.includes(NUL) && !text.includes(MARK)) return text;
  return text.replaceAll(MARK, `${MARK}b`).replaceAll(NUL, `${MARK}a`);
}

export function unescape(text: string): string {
  return text.includes(MARK) ? text.replaceAll(`${MARK}a`, NUL).replaceAll(`${MARK}b`, MARK) : text;
}
