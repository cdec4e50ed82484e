import type { Clock } from "@photon/core";

/** Does something every so many milliseconds; gives back what stops it. */
export function beat(clock: Clock, every: number, act: () => void): () => void {
  let stop = (): void => {};
  const again = (): void => {
    stop = clock.after(every, () => {
      act();
      again();
    });
  };
  again();
  return () => stop();
}
