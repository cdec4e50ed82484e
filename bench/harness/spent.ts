/** What a piece of work took: of time, and of the processors of both sides. */
import { performance } from "node:perf_hooks";
import type { Running } from "./start-server.ts";

export interface Spent {
  readonly count: number;
  readonly seconds: number;
  /** Microseconds of processor for each, of the server and of this process. */
  readonly server: number;
  readonly client: number;
  /** How much of one processor the client needed, in percent: where that is near 100, it was the client that was measured. */
  readonly clientLoad: number;
}

export async function spentOn(server: Running, work: () => Promise<number>): Promise<Spent> {
  const before = await server.usage();
  const cpu = process.cpuUsage();
  const start = performance.now();
  const count = await work();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const after = await server.usage();
  const client = user + system;
  return {
    count,
    seconds,
    server: (after.cpu - before.cpu) / count,
    client: client / count,
    clientLoad: client / seconds / 1e4,
  };
}

/** Does something over and over, so many at once, for so long; gives back how often it was done. */
export async function keepDoing(
  act: () => Promise<unknown>,
  inFlight: number,
  seconds: number,
): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let count = 0;
  const one = async (): Promise<void> => {
    do {
      await act();
      count += 1;
    } while (performance.now() < end);
  };
  await Promise.all(Array.from({ length: inFlight }, one));
  return count;
}
