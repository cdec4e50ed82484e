/**
 * What the work of a server may take. Counted, not timed: it is the same on every machine.
 *
 * Each number is what was counted when it was written. Whoever makes it less lowers it here; whoever needs more has a reason
 * to give. Of a bound that is put to 0, the test says what is counted.
 *
 *   parses, stringifies   JSON read and written. Each message is read and written once; what is more is for its own sake.
 *   promises              Every async call makes one, and nearly every `await`.
 *   timers                Made anew. One that is only put off does not count.
 *   signals               AbortControllers, and signals made of others.
 *   bytes                 Of new objects, by the interpreter: with nothing compiled away, the same each time.
 */
import type { Revision, Transport } from "../../bench/client/wire.ts";

export interface Counts {
  readonly parses: number;
  readonly stringifies: number;
  readonly promises: number;
  readonly timers: number;
  readonly signals: number;
  readonly bytes: number;
}

interface Bounds {
  readonly transport: Transport;
  readonly revision: Revision;
  /** Of a tool that gives back its input. */
  readonly call: Counts;
  /** Of a tool that asks one question, and gives back the answer. */
  readonly ask: Counts;
  /** Of a tool that tells its progress a hundred times. */
  readonly tell: Counts;
}

/** What V8 makes of an object is not the same in every Node. */
export const BYTES_MORE = 1.08;

export const bounds: readonly Bounds[] = [
  {
    transport: "stdio",
    revision: "2025-11-25",
    call: { parses: 1, stringifies: 1, promises: 22, timers: 0, signals: 0, bytes: 14_400 },
    ask: { parses: 2, stringifies: 2, promises: 53, timers: 1, signals: 0, bytes: 37_700 },
    tell: { parses: 1, stringifies: 101, promises: 1024, timers: 1, signals: 0, bytes: 448_000 },
  },
  {
    transport: "websocket",
    revision: "2025-11-25",
    call: { parses: 1, stringifies: 1, promises: 22, timers: 0, signals: 0, bytes: 16_300 },
    ask: { parses: 2, stringifies: 2, promises: 53, timers: 1, signals: 0, bytes: 41_700 },
    tell: { parses: 1, stringifies: 101, promises: 1024, timers: 1, signals: 0, bytes: 576_000 },
  },
  {
    transport: "http",
    revision: "2025-11-25",
    call: { parses: 1, stringifies: 1, promises: 30, timers: 1, signals: 0, bytes: 32_800 },
    ask: { parses: 2, stringifies: 2, promises: 69, timers: 4, signals: 0, bytes: 75_800 },
    tell: { parses: 1, stringifies: 101, promises: 630, timers: 2, signals: 0, bytes: 356_000 },
  },
  {
    transport: "sse",
    revision: "2025-11-25",
    call: { parses: 1, stringifies: 1, promises: 30, timers: 1, signals: 0, bytes: 30_100 },
    ask: { parses: 2, stringifies: 2, promises: 69, timers: 3, signals: 0, bytes: 70_700 },
    tell: { parses: 1, stringifies: 101, promises: 632, timers: 2, signals: 0, bytes: 286_000 },
  },
  {
    transport: "stdio",
    revision: "2026-07-28",
    call: { parses: 1, stringifies: 2, promises: 25, timers: 0, signals: 0, bytes: 21_600 },
    ask: { parses: 2, stringifies: 8, promises: 61, timers: 1, signals: 0, bytes: 59_500 },
    tell: { parses: 1, stringifies: 102, promises: 1025, timers: 0, signals: 0, bytes: 450_000 },
  },
  {
    transport: "websocket",
    revision: "2026-07-28",
    call: { parses: 1, stringifies: 2, promises: 25, timers: 0, signals: 0, bytes: 24_300 },
    ask: { parses: 2, stringifies: 8, promises: 61, timers: 1, signals: 0, bytes: 65_100 },
    tell: { parses: 1, stringifies: 102, promises: 1027, timers: 1, signals: 0, bytes: 584_000 },
  },
  {
    transport: "http",
    revision: "2026-07-28",
    call: { parses: 1, stringifies: 2, promises: 34, timers: 1, signals: 0, bytes: 37_900 },
    ask: { parses: 2, stringifies: 8, promises: 79, timers: 3, signals: 0, bytes: 94_300 },
    tell: { parses: 1, stringifies: 102, promises: 634, timers: 2, signals: 0, bytes: 279_000 },
  },
];

/** What `photon serve` loads over stdio until it has answered `initialize`, the tool itself left out, once it is known. */
export const start = {
  /** Files of JavaScript. */
  files: 9,
  /** What is in them: each thousand takes V8 some 0.06 ms to read. A few are to spare. */
  characters: 470_000,
  /** Parts of Node that a server which checks nothing does without, for a tool in JavaScript. */
  builtins: ["module", "os"],
} as const;
