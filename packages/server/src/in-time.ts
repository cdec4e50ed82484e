import type { Clock } from "@photon/core";

/** What a promise comes to within so many milliseconds; nothing where it takes longer. */
export async function inTime<T>(promise: Promise<T>, clock: Clock, most: number): Promise<T | undefined> {
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
