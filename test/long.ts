/**
 * How much the long tests do: soak, fuzz, chaos, kills, and the like.
 *
 * `npm test` runs a twentieth of each, `npm run test:long` all of it. PHOTON_SCALE=10 makes it ten times as much.
 */
const SCALE = Number(process.env["PHOTON_SCALE"] ?? 0.05);

/** Whether everything is tried; else tests take turns at what they have in common. */
export const isWhole: boolean = SCALE >= 1;

/** How many of these there are, at least one. */
export const scaled = (whole: number): number => Math.max(1, Math.round(whole * SCALE));

/** The items of one of several tests that take turns: all of them, if everything is tried. */
export const inTurn = <Item>(items: readonly Item[], turn: number, turns: number): readonly Item[] =>
  items.filter((_, index) => isWhole || index % turns === turn % turns);
