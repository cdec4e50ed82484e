import type { Question } from "./effects.ts";

/**
 * Names the questions and steps of a run, the same way each time it is replayed.
 *
 * An unnamed ask is `ask-N`, N its ordinal among all asks of the run; a named
 * one its id. What was named before gets `#2`, `#3`, ….
 */
export class Keys {
  /** Most runs ask nothing. */
  #counts: Map<string, number> | undefined;

  ofQuestion(question: Question, id: string | undefined = question.id): string {
    // No name has a "#" in it.
    const ordinal = this.#count(`#${question.emit}`);
    return this.#next(id ?? `${question.emit}-${ordinal}`, "");
  }

  ofStep(name: string): string {
    return this.#next(name, "step ");
  }

  #next(name: string, space: string): string {
    const count = this.#count(space + name);
    return count === 1 ? name : `${name}#${count}`;
  }

  #count(name: string): number {
    this.#counts ??= new Map();
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return count;
  }
}
