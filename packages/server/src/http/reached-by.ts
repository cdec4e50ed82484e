import { nameOf } from "./loopback.ts";

/** Addresses that stand for every address of a machine: one is listened on, and called by nobody. */
const EVERY: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["[::]", "[::1]"],
]);

/** The name by which a person reaches a server that listens on a host, as URLs spell it: `[::1]` for `::1`. */
export function reachedBy(host: string): string {
  const name = nameOf(host);
  return EVERY.get(name) ?? name;
}

/** Whether a host stands for every address of the machine: by which of them it is reached, nobody here knows. */
export const isEvery = (host: string): boolean => EVERY.has(nameOf(host));
