/** How long a server may say nothing. The time somebody takes to answer it is not the server's. */
export class Silence {
  readonly #limit: number | undefined;
  readonly #broken: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isCounted = false;

  /** `limit` in milliseconds, or nothing where it may be silent for ever. */
  constructor(limit: number | undefined, broken: () => void) {
    this.#limit = limit;
    this.#broken = broken;
  }

  /** It is the server's turn from now on. */
  count(): void {
    this.#isCounted = true;
    this.heard();
  }

  /** The server has said something. */
  heard(): void {
    clearTimeout(this.#timer);
    if (this.#limit !== undefined && this.#isCounted) this.#timer = setTimeout(this.#broken, this.#limit);
  }

  /** It is somebody else's turn, or the call is over. */
  stop(): void {
    this.#isCounted = false;
    clearTimeout(this.#timer);
  }
}
