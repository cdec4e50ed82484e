/**
 * What the questions of a call are called: the id that `--answer` names.
 *
 * In 2026-07-28 every question comes with one. On a session Photon's own servers put it into the id of their request
 * (`run:key:attempt`); with others questions are counted, as unnamed ones are.
 */
export class QuestionKeys {
  #count = 0;
  readonly #attempts = new Map<string, number>();

  keyOf(id: string | number | undefined, isModern: boolean): string {
    this.#count += 1;
    if (isModern && id !== undefined) return String(id);
    const [, key] = /^[\da-f]{8}-[\da-f-]{27}:(.+):\d+$/.exec(String(id)) ?? [];
    return key ?? `ask-${this.#count}`;
  }

  /** The number of the attempt at a question that begins now. */
  attempt(key: string): number {
    const attempt = (this.#attempts.get(key) ?? 0) + 1;
    this.#attempts.set(key, attempt);
    return attempt;
  }

  get all(): readonly string[] {
    return [...this.#attempts.keys()];
  }
}
