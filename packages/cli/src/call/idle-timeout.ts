/** Limits how long the server may send nothing while it works. The time that a person takes to answer does not count. */
export class IdleTimeout {
  readonly #limit: number | undefined;
  readonly #onTimeout: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;

  /** `limit` in milliseconds; undefined for no limit. */
  constructor(limit: number | undefined, onTimeout: () => void) {
    this.#limit = limit;
    this.#onTimeout = onTimeout;
  }

  /** Starts when the server begins to work. */
  start(): void {
    this.#isRunning = true;
    this.reset();
  }

  /** Starts again from zero, because the server has sent something. */
  reset(): void {
    clearTimeout(this.#timer);
    if (this.#limit !== undefined && this.#isRunning) this.#timer = setTimeout(this.#onTimeout, this.#limit);
  }

  /** Stops while a person answers, and when the call has ended. */
  stop(): void {
    this.#isRunning = false;
    clearTimeout(this.#timer);
  }
}
