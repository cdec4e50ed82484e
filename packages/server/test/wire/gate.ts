/** Keeps whoever comes waiting, until it is opened. */
export class Gate {
  #open: () => void = () => {};
  readonly #opened = new Promise<void>((resolve) => {
    this.#open = resolve;
  });
  #came: () => void = () => {};
  /** Settles when somebody waits. */
  readonly reached: Promise<void> = new Promise((resolve) => {
    this.#came = resolve;
  });

  /** One that keeps nobody. */
  static open(): Gate {
    const gate = new Gate();
    gate.open();
    return gate;
  }

  open(): void {
    this.#open();
  }

  /** Settles when it is open, or nobody wants to pass any more. */
  passed(signal?: AbortSignal): Promise<void> {
    this.#came();
    const given = new Promise<void>((resolve) => {
      signal?.addEventListener("abort", () => resolve());
    });
    return Promise.race([this.#opened, given]);
  }
}
