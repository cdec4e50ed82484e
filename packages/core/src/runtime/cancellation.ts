/**
 * Stops a run before its end: cancels or detaches it.
 *
 *   1. `cancel(reason)` ends the run: the body's `finally` blocks run. After the grace period they are no longer awaited.
 *   2. `detach(reason)` leaves the run unfinished: the body is neither resumed nor closed, and the step in progress completes.
 *      Another process continues the run from its journal.
 *
 * An `AbortController` is created only when the body or a step reads `signal`: most never do, and it is large.
 */
import type { Clock } from "../util/time.ts";
import { createAbortController, type Signal } from "../util/platform.ts";

/** Thrown inside the interpreter to stop a run. Neither the body nor the host sees it: they get its `reason`. */
export class RunStopped extends Error {
  readonly reason: unknown;
  /** Whether the run is detached: its body is not closed, because the run has not ended. */
  readonly isDetached: boolean;

  constructor(reason: unknown, isDetached = false) {
    super("The run was stopped.");
    this.reason = reason;
    this.isDetached = isDetached;
  }
}

/** A pending race. `ignoresCancel`: it is rejected after the grace period, not when the run is cancelled. */
interface PendingRace {
  readonly ignoresCancel: boolean;
  readonly reject: (reason: unknown) => void;
}

type Controller = ReturnType<typeof createAbortController>;

export class Cancellation {
  #stopped: RunStopped | undefined;
  #isForced = false;
  /** Whether the body's signal is aborted. That of a step is aborted only if the run is cancelled. */
  #abortsBody = false;
  /** Undefined when empty: thousands of runs may be suspended at a question, where nothing races. */
  #races: PendingRace[] | undefined;
  #body: Controller | undefined;
  #step: Controller | undefined;
  readonly #clock: Clock | undefined;
  readonly #grace: number;
  #stopGrace: (() => void) | undefined;

  /** With a clock, races that ignore the cancellation are rejected `grace` milliseconds after it. */
  constructor(clock?: Clock, grace = 0) {
    this.#clock = clock;
    this.#grace = grace;
  }

  /** Why the run was cancelled or detached, once it was. */
  get stopped(): RunStopped | undefined {
    return this.#stopped;
  }

  /** For the body: aborted when the run is cancelled, or detached with `abortsBody`. */
  get signal(): Signal {
    this.#body ??= this.#createController(this.#abortsBody);
    return this.#body.signal;
  }

  /** For a step: aborted when the run is cancelled. A step of a detached run completes. */
  get stepSignal(): Signal {
    this.#step ??= this.#createController(this.#stopped?.isDetached === false);
    return this.#step.signal;
  }

  /** Cancels the run. Without effect if it was cancelled or detached before. */
  cancel(reason: unknown): void {
    if (this.#stopped !== undefined) return;
    this.#stopGrace = this.#clock?.after(this.#grace, () => {
      this.#isForced = true;
      this.#rejectRaces();
    });
    this.#stop(new RunStopped(reason), true);
    this.#step?.abort(reason);
  }

  /** Detaches the run. Without effect if it was cancelled or detached before. `abortsBody` also aborts the body's signal. */
  detach(reason: unknown, abortsBody = false): void {
    if (this.#stopped === undefined) this.#stop(new RunStopped(reason, true), abortsBody);
  }

  /** Stops the timer of the grace period. Called when the run has ended. */
  end(): void {
    this.#stopGrace?.();
  }

  /** The promise; rejects with `RunStopped` as soon as the run is cancelled or detached. */
  raceCancelled<T>(promise: Promise<T>): Promise<T> {
    return this.#race(promise, false);
  }

  /** The promise; rejects with `RunStopped` once the grace period of a cancelled run is over. */
  raceForced<T>(promise: Promise<T>): Promise<T> {
    return this.#race(promise, true);
  }

  #stop(stopped: RunStopped, abortsBody: boolean): void {
    this.#stopped = stopped;
    this.#abortsBody = abortsBody;
    this.#rejectRaces();
    if (abortsBody) this.#body?.abort(stopped.reason);
  }

  #createController(isAborted: boolean): Controller {
    const controller = createAbortController();
    if (isAborted) controller.abort(this.#stopped?.reason);
    return controller;
  }

  #race<T>(promise: Promise<T>, ignoresCancel: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const race: PendingRace = { ignoresCancel, reject };
      if (this.#races === undefined) this.#races = [race];
      else this.#races.push(race);
      promise.then(
        (value) => {
          this.#remove(race);
          return resolve(value);
        },
        (error: unknown) => {
          this.#remove(race);
          return race.reject(error);
        },
      );
      if (this.#stopped !== undefined) this.#rejectRaces();
    });
  }

  /** Rejecting a promise twice has no effect, so races stay listed until their own promise settles. */
  #rejectRaces(): void {
    for (const { ignoresCancel, reject } of this.#races ?? [])
      if (this.#isForced || !ignoresCancel) reject(this.#stopped);
  }

  #remove(race: PendingRace): void {
    const races = this.#races ?? [];
    if (races.length === 1) this.#races = undefined;
    else races.splice(races.indexOf(race), 1);
  }
}
