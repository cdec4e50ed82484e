/**
 * What ends a server from outside.
 *
 *   1. SIGTERM and SIGHUP: it closes, exit code 0. SIGINT: it closes, exit code 130.
 *   2. Closing lets the bodies' `finally` blocks run. A second signal, and nobody waits for them.
 */
import type { Signal, CommandIO } from "../io.ts";

const EXIT_CODES: ReadonlyMap<Signal, number> = new Map([
  ["SIGINT", 130],
  ["SIGTERM", 0],
  ["SIGHUP", 0],
]);

export class Ending {
  /** The exit code, once somebody wants the end. */
  readonly asked: Promise<number>;
  /** Settles when somebody wants it at once. */
  readonly insisted: Promise<void>;
  readonly #signals: CommandIO["signals"];
  readonly #listeners: readonly (readonly [Signal, () => void])[];
  #isAsked = false;
  readonly #settlers: ((exitCode: number) => void)[] = [];

  constructor(signals: CommandIO["signals"]) {
    this.asked = new Promise((resolve) => {
      this.#settlers.push(resolve);
    });
    this.insisted = new Promise((resolve) => {
      this.#settlers.push(() => resolve());
    });
    this.#signals = signals;
    this.#listeners = Array.from(EXIT_CODES, ([signal, exitCode]) => [signal, () => this.end(exitCode)]);
    for (const [signal, listener] of this.#listeners) signals.on(signal, listener);
  }

  /** Whether somebody wants the end: nothing more is begun. */
  get isAsked(): boolean {
    return this.#isAsked;
  }

  end(exitCode: number): void {
    this.#isAsked = true;
    this.#settlers.shift()?.(exitCode);
  }

  /** Hears no signal any more. */
  close(): void {
    for (const [signal, listener] of this.#listeners) this.#signals.off(signal, listener);
  }
}
