/** What happened in a run. It may be told thousands of times a second, and is shown once per frame. */
import { signal, type ReadonlySignal } from "@preact/signals";
import type { Entry } from "./run.ts";

/** How many entries are kept: more than anybody reads. */
const MOST = 10_000;

/** What happened, before it has its place. */
export type Happened = Entry extends infer E ? (E extends Entry ? Omit<E, "at" | "id"> : never) : never;

export class Timeline {
  readonly #now: () => number;
  readonly #onFrame: (callback: () => void) => void;
  readonly #shown;
  #entries: Entry[];
  #ids: number;
  #letGo = 0;
  #isScheduled = false;

  constructor(now: () => number, onFrame: (callback: () => void) => void, before: readonly Entry[] = []) {
    this.#now = now;
    this.#onFrame = onFrame;
    this.#entries = [...before];
    this.#ids = before.at(-1)?.id ?? 0;
    this.#shown = signal<readonly Entry[]>(before);
  }

  get shown(): ReadonlySignal<readonly Entry[]> {
    return this.#shown;
  }

  add(happened: Happened): void {
    this.#ids += 1;
    this.#entries.push({ ...happened, at: this.#now(), id: this.#ids });
    // Seldom, as each time half of them goes.
    if (this.#entries.length > MOST) this.#letOldestGo();
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#onFrame(() => {
      this.#isScheduled = false;
      this.show();
    });
  }

  /** Shows what there is now, without waiting for a frame: a page that nobody sees has none. */
  show(): void {
    if (this.#shown.value.at(-1)?.id !== this.#ids) this.#shown.value = [...this.#entries];
  }

  #letOldestGo(): void {
    const [first] = this.#entries;
    const kept = this.#entries.slice(-MOST / 2);
    this.#letGo += this.#entries.length - kept.length - (this.#letGo > 0 ? 1 : 0);
    const message = `${this.#letGo} earlier entries were let go.`;
    // In the place of the oldest of them, so that ids still only grow.
    this.#entries = [{ kind: "note", message, at: first?.at ?? this.#now(), id: first?.id ?? 0 }, ...kept];
  }
}
