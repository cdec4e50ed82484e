/** What people are asked just now, over all runs. Shown at once: somebody waits. */
import { signal, type ReadonlySignal } from "@preact/signals";
import type { Question } from "./question.ts";

export class QuestionBoard {
  readonly #shown = signal<readonly Question[]>([]);

  get shown(): ReadonlySignal<readonly Question[]> {
    return this.#shown;
  }

  find(id: string): Question | undefined {
    return this.#shown.value.find((question) => question.id === id);
  }

  of(runId: string): readonly Question[] {
    return this.#shown.value.filter((question) => question.runId === runId);
  }

  put(questions: readonly Question[]): void {
    this.#shown.value = [...this.#shown.value, ...questions].toSorted((a, b) => a.since - b.since);
  }

  /** What a question waits for now; nothing: it is open again. */
  waits({ id }: Question, waitsFor?: Question["waitsFor"]): void {
    this.#shown.value = this.#shown.value.map((question) => {
      if (question.id !== id) return question;
      const { waitsFor: _, ...open } = question;
      return waitsFor === undefined ? open : { ...open, waitsFor };
    });
  }

  take(isTaken: (question: Question) => boolean): void {
    const left = this.#shown.value.filter((question) => !isTaken(question));
    if (left.length < this.#shown.value.length) this.#shown.value = left;
  }
}
