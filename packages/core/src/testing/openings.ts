import type { OpenQuestion } from "../effects.ts";

interface Waiting {
  readonly resolve: (question: OpenQuestion) => void;
  readonly reject: (error: Error) => void;
}

/** The questions that are open, and who waits for one to be. */
export class Openings {
  readonly #open = new Set<OpenQuestion>();
  #waiting: Waiting[] = [];
  #runs = 0;

  /** A run has begun. */
  begin(): void {
    this.#runs += 1;
  }

  /** A run has ended. Where it was the last, whoever waits for a question waits in vain. */
  end(): void {
    this.#runs -= 1;
    if (this.#runs > 0) return;
    for (const { reject } of this.#taken()) reject(new Error("The tool ended before it asked anything."));
  }

  add(question: OpenQuestion): void {
    this.#open.add(question);
    for (const { resolve } of this.#taken()) resolve(question);
  }

  remove(question: OpenQuestion): void {
    this.#open.delete(question);
  }

  next(): Promise<OpenQuestion> {
    const [first] = this.#open;
    if (first !== undefined) return Promise.resolve(first);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
    });
  }

  #taken(): readonly Waiting[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }
}
