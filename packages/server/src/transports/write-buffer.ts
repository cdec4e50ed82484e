import type { Writable } from "node:stream";

/** Joins the writes of one tick into one system call. */
export class WriteBatcher {
  readonly #stream: Pick<Writable, "cork" | "uncork">;
  #isHeld = false;
  /** Resolves when the held writes are written; created when `flushed()` is called. */
  #written: Promise<void> | undefined;
  #settle = nothing;

  constructor(stream: Pick<Writable, "cork" | "uncork">) {
    this.#stream = stream;
  }

  /** Holds writes until the end of the tick. */
  hold(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    this.#stream.cork();
    process.nextTick(flush, this);
  }

  /** Resolves when the held writes are written. Notifications wait for it: the body that emits them may block or end the process. */
  flushed(): Promise<void> {
    this.#written ??= new Promise((resolve) => {
      this.#settle = resolve;
    });
    return this.#written;
  }

  flush(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#stream.uncork();
    if (this.#written === undefined) return;
    this.#written = undefined;
    this.#settle();
  }
}

const nothing = (): void => {};

/** One for all connections. */
const flush = (batcher: WriteBatcher): void => batcher.flush();

/** The part of a Writable that is used. */
interface Draining {
  on(event: string, listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
}

const waits = new WeakMap<Draining, Promise<void>>();

/** Resolves when a full stream has drained, or has closed. All waiters share one set of listeners. */
export function waitForDrain(stream: Draining): Promise<void> {
  const waiting = waits.get(stream);
  if (waiting !== undefined) return waiting;
  const wait = new Promise<void>((resolve) => {
    const done = (): void => {
      for (const event of ["drain", "close", "error"]) stream.off(event, done);
      waits.delete(stream);
      resolve();
    };
    for (const event of ["drain", "close", "error"]) stream.on(event, done);
  });
  waits.set(stream, wait);
  return wait;
}
