import type { Writable } from "node:stream";

/**
 * Lets what is said in one turn go out in one write: each is a system call.
 *
 * Not for what a body tells on its way: that is lost with a process that the body takes down in the same turn.
 */
export class Corked {
  readonly #stream: Pick<Writable, "cork" | "uncork">;
  #isHeld = false;

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

  /** Writes what was held back. */
  letGo(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#stream.uncork();
  }
}

/** One for all lines: there may be thousands. */
const letGo = (corked: Corked): void => corked.letGo();
