import type { Clock } from "@photon/core";

/** Does something interval so many milliseconds; gives back what stops it. */
export function beat(clock: Clock, interval: number, act: () => void): () => void {
  let stop = (): void => {};
  const again = (): void => {
    stop = clock.after(interval, () => {
      act();
      again();
    });
  };
  again();
  return () => stop();
}
