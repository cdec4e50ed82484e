/** `passed` waits until the gate is opened. */
export class Gate {
  #open: () => void = () => {};
  readonly #opened = new Promise<void>((resolve) => {
    this.#open = resolve;
  });
  #came: () => void = () => {};
  /** Resolves when something waits at the gate. */
  readonly reached: Promise<void> = new Promise((resolve) => {
    this.#came = resolve;
  });

  /** An open gate. */
  static open(): Gate {
    const gate = new Gate();
    gate.open();
    return gate;
  }

  open(): void {
    this.#open();
  }

  /** Resolves when the gate is open, or the signal is aborted. */
  passed(signal?: AbortSignal): Promise<void> {
    this.#came();
    const given = new Promise<void>((resolve) => {
      signal?.addEventListener("abort", () => resolve());
    });
    return Promise.race([this.#opened, given]);
  }
}
