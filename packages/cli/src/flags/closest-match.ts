/** The word that is closest to a misspelt one; undefined if none is close enough. */
export function closestMatch(typed: string, words: readonly string[]): string | undefined {
  const [best] = byCloseness(typed, words);
  return best !== undefined && distanceTo(typed, best) <= Math.max(1, Math.floor(typed.length / 3))
    ? best
    : undefined;
}

/** All the words, the closest first. */
export const byCloseness = (typed: string, words: readonly string[]): readonly string[] =>
  words
    .map((word) => ({ word, distance: distanceTo(typed, word) }))
    .toSorted((a, b) => a.distance - b.distance)
    .map(({ word }) => word);

/** 0 also for a beginning: "ver" for "verbose". */
const distanceTo = (typed: string, word: string): number =>
  typed.length >= 3 && word.startsWith(typed) ? 0 : editDistance(typed, word);

/** How many letters must be inserted, removed, changed, or swapped with the next one. */
function editDistance(from: string, to: string): number {
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
