/** Colours for our own words; without them the words stay as they are. */
export type Paint = { readonly [tone in keyof typeof TONES]: (text: string) => string };

const TONES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  magenta: [35, 39],
  cyan: [36, 39],
  gray: [90, 39],
} as const;

export function paintIn(color: boolean): Paint {
  const tones = Object.entries(TONES).map(([tone, [on, off]]) => [
    tone,
    (text: string) => (color && text !== "" ? `\u001B[${on}m${text}\u001B[${off}m` : text),
  ]);
  // One function for each tone of the table.
  return Object.fromEntries(tones) as Paint;
}
