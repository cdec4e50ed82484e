/** The word somebody meant, if one of those there are is near enough to what was typed. */
export function nearest(typed: string, words: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(typed.length / 3));
  const [best] = words
    .map((word) => ({ word, distance: isBeginning(typed, word) ? 0 : distance(typed, word) }))
    .filter((one) => one.distance <= most)
    .toSorted((a, b) => a.distance - b.distance);
  return best?.word;
}

/** Whether the word was typed up to some point: "ver" for "verbose". */
const isBeginning = (typed: string, word: string): boolean => typed.length >= 3 && word.startsWith(typed);

/** How many letters have to be put in, taken out, changed, or swapped with the next one. */
function distance(from: string, to: string): number {
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      next.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (before[column - 2] ?? Infinity) + 1 : Infinity,
        ),
      );
    }
    before = last;
    last = next;
  }
  return last[to.length] ?? 0;
}
