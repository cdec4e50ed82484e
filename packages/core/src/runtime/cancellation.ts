/**
 * Stops a run before its end: it is closed, or it is detached.
 *
 *   1. `close(reason)` ends the run: the body's `finally` blocks run. After the grace period they are no longer awaited.
 *   2. `detach(reason)` leaves the run unfinished: the body is neither resumed nor closed, and the step under way ends by
 *      itself. Another process continues the run from its journal.
 *
 * Lighter than an `AbortController`, of which a run makes one only when its
 * body or a step asks for `signal`: most never do.
 */
import type { Clock } from "../util/time.ts";
import { newController, type Signal } from "../util/platform.ts";

/** Thrown inside the interpreter where the run stops without its body: never seen by a body or a host. */
export class StopSignal extends Error {
  readonly reason: unknown;
  /** Whether the run is detached: its body is not closed, because the run has not ended. */
  readonly isDetached: boolean;

  constructor(reason: unknown, isDetached = false) {
    super("The run was stopped.");
    this.reason = reason;
    this.isDetached = isDetached;
  }
}

/** Who waits for something else, and gives that up when the run is closed; or only when it is abandoned. */
interface Waiter {
  readonly ignoresCancel: boolean;
  readonly giveUp: (reason: unknown) => void;
  /** Who was waiting already. There are one or two at a time, and none while a question is open. */
  before: Waiter | undefined;
}

/** Hears of failures; whoever waited goes on with what they say. */
interface ErrorSink<T> {
  report(error: unknown): T;
}

type Controller = ReturnType<typeof newController>;

function abortedFor(stop: StopSignal | undefined): Controller {
  const controller = newController();
  if (stop !== undefined) controller.abort(stop.reason);
  return controller;
}

export class Cancellation {
  #stop: StopSignal | undefined;
  #abandoned = false;
  #waiting: Waiter | undefined;
  /** Why the body is told to stop working, once it is. */
  #bodyStop: StopSignal | undefined;
  #body: Controller | undefined;
  #step: Controller | undefined;
  readonly #clock: Clock | undefined;
  readonly #grace: number;
  #stopGrace: (() => void) | undefined;

  /** With a clock, it is abandoned so many milliseconds after it was closed. */
  constructor(clock?: Clock, grace = 0) {
    this.#clock = clock;
    this.#grace = grace;
  }

  /** Why the run was closed or detached, once it was. */
  get stop(): StopSignal | undefined {
    return this.#stop;
  }

  /** For the body: aborted when the run is closed, or detached because its client has gone. */
  get signal(): Signal {
    this.#body ??= abortedFor(this.#bodyStop);
    return this.#body.signal;
  }

  /** For a step: aborted when the run is closed. The step of a run that is detached ends by itself. */
  get stepSignal(): Signal {
    this.#step ??= abortedFor(this.#stop?.isDetached === false ? this.#stop : undefined);
    return this.#step.signal;
  }

  /** Closes the run. The first reason stays, and a run that was detached stays so. */
  cancel(reason: unknown): void {
    if (this.#stop !== undefined) return;
    this.#stop = new StopSignal(reason);
    this.#stopGrace = this.#clock?.after(this.#grace, () => this.#force());
    this.#wake();
    this.#bodyStop = this.#stop;
    this.#body?.abort(reason);
    this.#step?.abort(reason);
  }

  /** Detaches the run, unless it was closed before. `abortsBody`: the body is told by its signal to stop working. */
  detach(reason: unknown, abortsBody = false): void {
    if (this.#stop !== undefined) return;
    this.#stop = new StopSignal(reason, true);
    this.#wake();
    if (!abortsBody) return;
    this.#bodyStop = this.#stop;
    this.#body?.abort(reason);
  }

  /** The run is over: nobody waits for it any more. */
  end(): void {
    this.#stopGrace?.();
  }

  /** The promise, or `Stop` as soon as the run is closed or detached. If it rejects, `hearer.report` gives the value, where there is one. */
  raceCancelled<T>(promise: Promise<T>, hearer?: ErrorSink<T>): Promise<T> {
    return this.#race(promise, false, hearer);
  }

  /** The promise, or `Stop` once the grace period of a closed run is over. */
  raceForced<T>(promise: Promise<T>): Promise<T> {
    return this.#race(promise, true);
  }

  #force(): void {
    this.#abandoned = true;
    this.#wake();
  }

  #race<T>(promise: Promise<T>, isPatient: boolean, hearer?: ErrorSink<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const waiter: Waiter = { ignoresCancel: isPatient, giveUp: reject, before: this.#waiting };
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
      if (this.#stop !== undefined) this.#wake();
    });
  }

  /** Who gave up does not mind being told again. */
  #wake(): void {
    for (let waiter = this.#waiting; waiter !== undefined; waiter = waiter.before) {
      if (this.#abandoned || !waiter.ignoresCancel) waiter.giveUp(this.stop);
    }
  }

  #leave(waiter: Waiter): void {
    if (this.#waiting === waiter) this.#waiting = waiter.before;
    let later = this.#waiting;
    while (later !== undefined && later.before !== waiter) later = later.before;
    if (later !== undefined) later.before = waiter.before;
  }
}

/** How long a body has worked, of how long it may. The clock runs only while it works. */
export class ActiveTimeLimit {
  readonly #clock: Clock;
  readonly #onOver: () => void;
  #left: number;

  /** `limit` in milliseconds. `onOver` is called when it is over. */
  constructor(limit: number, clock: Clock, onOver: () => void) {
    this.#left = limit;
    this.#clock = clock;
    this.#onOver = onOver;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const left = this.#left;
    const before = this.#clock.now();
    const stop = this.#clock.after(left, this.#onOver);
    try {
      return await work();
    } finally {
      stop();
      this.#left = Math.max(0, left - (this.#clock.now() - before));
    }
  }
}
