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

type Listener = () => void;

const NOBODY: readonly Listener[] = [];

export class Closing {
  #closed: { readonly reason: unknown } | undefined;
  #stop: Stop | undefined;
  #abandoned = false;
  /** One or two at a time, and none while a question is open. */
  #listeners = NOBODY;
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
    this.#notify();
    this.#controller?.abort(reason);
  }

  /** The run is over: nobody waits for it any more. */
  end(): void {
    this.#stopGrace?.();
  }

  #abandon(): void {
    this.#abandoned = true;
    this.#notify();
  }

  /** Calls back when the run is closed, and again when it is abandoned; returns what stops that. */
  #listen(listener: Listener): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      const others = this.#listeners.filter((one) => one !== listener);
      this.#listeners = others.length === 0 ? NOBODY : others;
    };
  }

  /** The promise, or `Stop` as soon as the run is closed. */
  unlessClosed<T>(promise: Promise<T>): Promise<T> {
    return this.#race(promise, () => this.stop);
  }

  /** The promise, or `Stop` as soon as the run is abandoned. */
  unlessAbandoned<T>(promise: Promise<T>): Promise<T> {
    return this.#race(promise, () => (this.#abandoned ? (this.stop ?? new Stop(undefined)) : undefined));
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  #race<T>(promise: Promise<T>, stopped: () => Stop | undefined): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const look = (): void => {
        const stop = stopped();
        if (stop === undefined) return;
        stopListening();
        reject(stop);
      };
      const stopListening = this.#listen(look);
      promise.then(resolve, reject).finally(stopListening);
      look();
    });
  }
}
