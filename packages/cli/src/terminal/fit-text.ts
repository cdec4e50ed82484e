/** Fitting text into the width of a terminal. */

/** How many columns a character takes, at most: what may be wide counts as wide. */
const columnsOf = (character: string): number => ((character.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2);

/** How many columns a text takes, at most. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

/** The beginning of a text, with "…" where it was cut. */
export function cutTo(width: number, text: string): string {
  if (widthOf(text) <= width) return text;
  let cut = "";
  let left = Math.max(width - 1, 0);
  for (const character of text) {
    left -= columnsOf(character);
    if (left < 0) break;
    cut += character;
  }
  return `${cut}…`;
}

/** The text in lines of at most that width, broken between words where there are some. */
export function foldTo(width: number, text: string): readonly string[] {
  return text.split("\n").flatMap((line) => {
    const lines: string[] = [];
    let current = "";
    for (const word of line.split(" ")) {
      const longer = current === "" ? word : `${current} ${word}`;
      if (widthOf(longer) <= width || current === "") current = longer;
      else {
        lines.push(current);
        current = word;
      }
    }
    return [...lines, current];
  });
}
