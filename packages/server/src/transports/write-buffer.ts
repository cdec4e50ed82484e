/** Fewer system calls for small messages, and back-pressure from clients that read slowly. */
import type { Writable } from "node:stream";
import { type Deferred, deferred } from "../util/timers.ts";

/** Joins the writes of one tick into one system call. */
export class WriteBatcher {
  readonly #stream: Pick<Writable, "cork" | "uncork">;
  #isHeld = false;
  /** Created when `flushed()` is called. */
  #written: Deferred<void> | undefined;

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

  /** Resolves when the held writes are written. Notifications await it: the body that emits them may block or end the process. */
  flushed(): Promise<void> {
    this.#written ??= deferred();
    return this.#written.promise;
  }

  flush(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#stream.uncork();
    this.#written?.resolve();
    this.#written = undefined;
  }
}

/** One function for all batchers, so that a tick creates no closure. */
const flush = (batcher: WriteBatcher): void => batcher.flush();

/** The part of a Writable that `waitForDrain` uses. */
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
