/** The time and the CPU that some work takes. */
import { performance } from "node:perf_hooks";
import type { RunningServer } from "./start-server.ts";

export interface Cost {
  /** How often the work was done. */
  readonly count: number;
  readonly seconds: number;
  /** CPU of the server and of this process, for each time, in microseconds. */
  readonly server: number;
  readonly client: number;
  /** The load of one processor by the client, in percent. Near 100, the client limits the rate, not the server. */
  readonly clientLoad: number;
}

/** `work` returns how often something was done. */
export async function measureCost(server: RunningServer, work: () => Promise<number>): Promise<Cost> {
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

/** Repeats `act` for this many seconds, with this many at a time. Returns how often it was done. */
export async function repeatFor(
  act: () => Promise<unknown>,
  inFlight: number,
  seconds: number,
): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let count = 0;
  const repeat = async (): Promise<void> => {
    do {
      await act();
      count += 1;
    } while (performance.now() < end);
  };
  await Promise.all(Array.from({ length: inFlight }, repeat));
  return count;
}

/** Runs `work` this many times. Returns the mean time of one run, in microseconds. */
export async function meanTime(times: number, work: () => unknown): Promise<number> {
  const start = performance.now();
  for (let count = 0; count < times; count++) await work();
  return ((performance.now() - start) / times) * 1000;
}
