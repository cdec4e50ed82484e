/** A value that a test gives once, for code that waits for it. */
export class Later<T> {
  readonly given: Promise<T>;
  give: (value: T) => void = () => {};

  constructor() {
    this.given = new Promise((resolve) => {
      this.give = resolve;
    });
  }
}
