import type { Clock } from "@photon/core";

/** What a promise comes to within so many milliseconds; nothing where it takes longer. */
export async function withTimeout<T>(
  promise: Promise<T>,
  clock: Clock,
  most: number,
): Promise<T | undefined> {
  let stop = (): void => {};
  const over = new Promise<undefined>((resolve) => {
    stop = clock.after(most, () => resolve(undefined));
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    stop();
  }
}

/** How long a server that closes waits for a call whose input is being checked: only then it is known whether it can be detached. */
export const START_TIMEOUT_MS = 1000;
/** How often a condition is looked at, in milliseconds. */
const POLL_MS = 5;

/** Resolves when a condition holds, or so many milliseconds are over. */
export async function untilTrue(isTrue: () => boolean, clock: Clock, limit: number): Promise<void> {
  for (let waited = 0; !isTrue() && waited < limit; waited += POLL_MS)
    await new Promise<void>((resolve) => {
      clock.after(POLL_MS, resolve);
    });
}

/** The least time between two looks, in milliseconds: however many things expire one after another. */
const PAUSE = 1000;

/** Looks for what has expired when the first of it has: one timer, whatever there is to expire. */
export class ExpiryTimer {
  readonly #clock: Clock;
  readonly #look: (now: number) => number | undefined;
  #next: { readonly at: number; readonly stop: () => void } | undefined;

  /** `look` lets go of what has expired, and says when the next of it will. */
  constructor(clock: Clock, look: (now: number) => number | undefined) {
    this.#clock = clock;
    this.#look = look;
  }

  /** Something expires then. */
  schedule(time: number): void {
    if (this.#next !== undefined && this.#next.at <= time) return;
    this.stop();
    const stop = this.#clock.after(Math.max(PAUSE, time - this.#clock.now()), () => {
      this.#next = undefined;
      const next = this.#look(this.#clock.now());
      if (next !== undefined) this.schedule(next);
    });
    this.#next = { at: time, stop };
  }

  stop(): void {
    this.#next?.stop();
    this.#next = undefined;
  }
}

/** The earliest of some moments; nothing where there are none. */
export function earliest(moments: Iterable<number>): number | undefined {
  let first: number | undefined;
  for (const moment of moments) if (first === undefined || moment < first) first = moment;
  return first;
}

/**
 * Timers only for what needs them: most of what begins with a request is over in the turn that it began in.
 */
export interface Deferred {
  readonly isOver: boolean;
  /** It was not over after the turn in which it began. */
  onNextTick(): void;
}

let begun: Deferred[] = [];

/** Has something told when it lasts longer than this turn: one runDeferred at all of them, when the turn is over. */
export function runAfterTick(one: Deferred): void {
  if (begun.push(one) === 1) setImmediate(runDeferred);
}

function runDeferred(): void {
  const all = begun;
  begun = [];
  for (const one of all) if (!one.isOver) one.onNextTick();
}

/** Calls a function every `interval` milliseconds. Returns what stops it. */
export function every(clock: Clock, interval: number, act: () => void): () => void {
  let stop: (() => void) | undefined;
  const wait = (): void => {
    stop = clock.after(interval, () => {
      act();
      // Unless `act` has stopped it.
      if (stop !== undefined) wait();
    });
  };
  wait();
  return () => {
    stop?.();
    stop = undefined;
  };
}
