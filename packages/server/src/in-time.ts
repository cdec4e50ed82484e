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
