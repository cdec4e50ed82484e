import type { Question } from "./effects.ts";

/**
 * Names the questions and steps of a run, the same way each time it is replayed.
 *
 * An unnamed ask is `ask-N`, N its ordinal among all asks of the run; a named
 * one its id. What was named before gets `#2`, `#3`, ….
 */
export class Keys {
  readonly #used = new Map<string, number>();
  readonly #ordinals = { ask: 0, sample: 0, roots: 0 };

  ofQuestion(question: Question, id: string | undefined = question.id): string {
    const ordinal = ++this.#ordinals[question.emit];
    return this.#next(id ?? `${question.emit}-${ordinal}`, "");
  }

  ofStep(name: string): string {
    return this.#next(name, "step ");
  }

  #next(name: string, space: string): string {
    const count = (this.#used.get(space + name) ?? 0) + 1;
    this.#used.set(space + name, count);
    return count === 1 ? name : `${name}#${count}`;
  }
}
