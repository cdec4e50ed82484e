/** Stops code that runs too long. Loaded with the first check of a value: most programs that load core never need it. */
import { builtin, startTimer } from "../platform.ts";

interface VirtualMachines {
  createContext(object: object): object;
  Script: new (code: string) => { runInContext(context: object, options: { timeout: number }): unknown };
}

/** The least of its time for which the processor works on something, before it is taken to need more: three quarters. */
const ENOUGH = 0.75;
/** How many times longer something may take on a machine that is busy with other programs. */
const LONGEST = 16;

/**
 * Runs something for at most so many milliseconds of processor time, and gives back what it returned; nothing where it was
 * stopped. Where other programs kept the processor busy, it is run again, for longer.
 */
export type RunWithin = <Found>(
  run: () => Found,
  milliseconds: number,
) => { readonly found: Found } | undefined;

/** What can stop code, a regular expression among it. Nothing where the platform cannot: Node can. */
export function createTimeLimit(): RunWithin | undefined {
  // What Node documents of it.
  const machines = builtin("node:vm") as VirtualMachines | undefined;
  if (machines === undefined) return undefined;
  const place: { run?: () => void } = {};
  const context = machines.createContext(place);
  const script = new machines.Script("run()");

  function runOnce<Found>(run: () => Found, timeout: number): { readonly found: Found } | undefined {
    let outcome: { readonly found: Found } | { readonly thrown: unknown } | undefined;
    place.run = () => {
      try {
        outcome = { found: run() };
      } catch (thrown) {
        outcome = { thrown };
      }
    };
    try {
      script.runInContext(context, { timeout });
    } catch {
      // Stopped: that cannot be caught inside.
      return undefined;
    } finally {
      delete place.run;
    }
    if (outcome !== undefined && "thrown" in outcome) throw outcome.thrown;
    return outcome;
  }

  return (run, milliseconds) => {
    const began = processorTime();
    const outcome = runOnce(run, milliseconds);
    const spent = processorTime() - began;
    if (outcome !== undefined || spent > ENOUGH * milliseconds) return outcome;
    return runOnce(run, Math.ceil(milliseconds * Math.min(LONGEST, milliseconds / spent)));
  };
}

/** The time that processors have spent on this process, in milliseconds. */
export function processorTime(): number {
  const { process } = globalThis as {
    readonly process?: { cpuUsage(): { readonly user: number; readonly system: number } };
  };
  const { user = 0, system = 0 } = process?.cpuUsage() ?? {};
  return (user + system) / 1000;
}

/** Calls back when the event loop has taken what came in. Not by a timer on Node: those that are due keep sockets waiting. */
export function afterTurn(callback: () => void): void {
  const { setImmediate } = globalThis as { readonly setImmediate?: (callback: () => void) => unknown };
  if (setImmediate === undefined) startTimer(0, callback);
  else setImmediate(callback);
}
