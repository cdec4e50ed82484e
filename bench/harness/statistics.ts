/** The figure in the middle; of an even number of them, the upper of the two. */
export function median(figures: readonly number[]): number {
  return percentile(figures, 0.5);
}

/** The figure below which this part of them lies. */
export function percentile(figures: readonly number[], part: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
