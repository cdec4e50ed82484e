import { performance } from "node:perf_hooks";

/** How long something takes, in microseconds: the mean of so many times. */
export async function timed(times: number, work: () => unknown): Promise<number> {
  const start = performance.now();
  for (let count = 0; count < times; count++) await work();
  return ((performance.now() - start) / times) * 1000;
}
