/** The median; of an even number of figures, the upper of the two in the middle. */
export function median(figures: readonly number[]): number {
  return percentile(figures, 0.5);
}

/** The percentile; `part` is from 0 to 1. */
export function percentile(figures: readonly number[], part: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
