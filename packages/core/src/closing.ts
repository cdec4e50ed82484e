/**
 * The end of a run before its time, in two stages.
 *
 *   1. `close(reason)`: the body is told to end, and its `finally` blocks run.
 *   2. `abandon()`, after the grace period: whoever waits for that has waited long enough.
 *
 * Lighter than an `AbortController`, of which a run makes one only when its
 * body asks for `signal`: most bodies never do.
 */
import type { Clock } from "./clock.ts";
import { newController, type Signal } from "./platform.ts";

/** Thrown inside the interpreter where the run ends without its body: never seen by a body or a host. */
export class Stop extends Error {
  readonly reason: unknown;

  constructor(reason: unknown) {
    super("The run was stopped.");
    this.reason = reason;
  }
}

/** Who waits for something else, and gives that up when the run is closed; or only when it is abandoned. */
interface Waiter {
  readonly isPatient: boolean;
  readonly giveUp: (reason: unknown) => void;
  /** Who was waiting already. There are one or two at a time, and none while a question is open. */
  before: Waiter | undefined;
}

/** Hears of failures; whoever waited goes on with what they say. */
interface Hearer<T> {
  report(error: unknown): T;
}

export class Closing {
  #closed: { readonly reason: unknown } | undefined;
  #stop: Stop | undefined;
  #abandoned = false;
  #waiting: Waiter | undefined;
  #controller: ReturnType<typeof newController> | undefined;
  readonly #clock: Clock | undefined;
  readonly #grace: number;
  #stopGrace: (() => void) | undefined;

  /** With a clock, it is abandoned so many milliseconds after it was closed. */
  constructor(clock?: Clock, grace = 0) {
    this.#clock = clock;
    this.#grace = grace;
  }

  /** What the run is being closed for, once it is. */
  get stop(): Stop | undefined {
    if (this.#closed !== undefined) this.#stop ??= new Stop(this.#closed.reason);
    return this.#stop;
  }

  /** For the body: aborted when the run is closed. */
  get signal(): Signal {
    if (this.#controller === undefined) {
      this.#controller = newController();
      if (this.#closed !== undefined) this.#controller.abort(this.#closed.reason);
    }
    return this.#controller.signal;
  }

  /** Closes the run. The first reason stays. */
  close(reason: unknown): void {
    if (this.#closed !== undefined) return;
    this.#closed = { reason };
    this.#stopGrace = this.#clock?.after(this.#grace, () => this.#abandon());
    this.#wake();
    this.#controller?.abort(reason);
  }

  /** The run is over: nobody waits for it any more. */
  end(): void {
    this.#stopGrace?.();
  }

  /** The promise, or `Stop` as soon as the run is closed. What it is rejected with is told to `hearer`, where there is one. */
  unlessClosed<T>(promise: Promise<T>, hearer?: Hearer<T>): Promise<T> {
    return this.#race(promise, false, hearer);
  }

  /** The promise, or `Stop` as soon as the run is abandoned. */
  unlessAbandoned<T>(promise: Promise<T>): Promise<T> {
    return this.#race(promise, true);
  }

  #abandon(): void {
    this.#abandoned = true;
    this.#wake();
  }

  #race<T>(promise: Promise<T>, isPatient: boolean, hearer?: Hearer<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const waiter: Waiter = { isPatient, giveUp: reject, before: this.#waiting };
      this.#waiting = waiter;
      promise.then(
        (value) => {
          this.#leave(waiter);
          return resolve(value);
        },
        (error: unknown) => {
          this.#leave(waiter);
          return hearer === undefined ? waiter.giveUp(error) : resolve(hearer.report(error));
        },
      );
      if (this.#closed !== undefined) this.#wake();
    });
  }

  /** Who gave up does not mind being told again. */
  #wake(): void {
    for (let waiter = this.#waiting; waiter !== undefined; waiter = waiter.before) {
      if (this.#abandoned || !waiter.isPatient) waiter.giveUp(this.stop);
    }
  }

  #leave(waiter: Waiter): void {
    if (this.#waiting === waiter) this.#waiting = waiter.before;
    let later = this.#waiting;
    while (later !== undefined && later.before !== waiter) later = later.before;
    if (later !== undefined) later.before = waiter.before;
  }
}
