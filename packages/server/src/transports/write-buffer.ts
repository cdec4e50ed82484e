import type { Writable } from "node:stream";

/** Lets what is said in one turn go out in one write: each is a system call. */
export class WriteBatcher {
  readonly #stream: Pick<Writable, "cork" | "uncork">;
  #isHeld = false;
  /** Settles when what is held back is written, where somebody waits for that. */
  #written: Promise<void> | undefined;
  #settle = nothing;

  constructor(stream: Pick<Writable, "cork" | "uncork">) {
    this.#stream = stream;
  }

  /** Holds back what is written, until the end of the turn at the latest. */
  hold(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    this.#stream.cork();
    process.nextTick(letGo, this);
  }

  /**
   * Settles when what is held back is written. For what a body tells on its way: it is written before the body goes on,
   * which may take down the process, or keep everybody else from having a turn.
   */
  flushed(): Promise<void> {
    this.#written ??= new Promise((resolve) => {
      this.#settle = resolve;
    });
    return this.#written;
  }

  /** Writes what was held back. */
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

/** One for all lines: there may be thousands. */
const letGo = (corked: WriteBatcher): void => corked.flush();

/** A stream, as far as it tells that it takes more, or is gone. */
interface Draining {
  on(event: string, listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
}

const waits = new WeakMap<Draining, Promise<void>>();

/** Settles when a stream that is full takes more, or is gone. However many wait, they wait with one set of listeners. */
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
