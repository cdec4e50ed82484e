/**
 * How much the long tests do: soak, fuzz, chaos, kills, and the like.
 *
 * `npm test` runs a tenth of each, `npm run test:long` all of it. PHOTON_SCALE=10 makes it ten times as much.
 */
const SCALE = Number(process.env["PHOTON_SCALE"] ?? 0.1);

/** Whether everything is tried; else tests take turns at what they have in common. */
export const isWhole: boolean = SCALE >= 1;

/** How many of these there are, at least one. */
export const scaled = (whole: number): number => Math.max(1, Math.round(whole * SCALE));
