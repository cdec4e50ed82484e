/** What went over the wire, as much of it as is kept: so many messages, and so many characters of them. */
import { signal, type ReadonlySignal } from "@preact/signals";
import type { Exchange } from "../desk/exchange.ts";

/** How many messages are kept. */
const MOST = 2000;
/** How many characters of all of them. */
const MOST_CHARACTERS = 4_000_000;
/** How many of one. */
const MOST_OF_ONE = 16_384;

type Noted = Omit<Exchange, "id" | "at" | "size">;

export class WireLog {
  readonly #now: () => number;
  readonly #onFrame: (callback: () => void) => void;
  readonly #shown = signal<readonly Exchange[]>([]);
  readonly #dropped = signal(0);
  #kept: Exchange[] = [];
  #characters = 0;
  #droppedNow = 0;
  #ids = 0;
  #isScheduled = false;

  constructor(now: () => number, onFrame: (callback: () => void) => void) {
    this.#now = now;
    this.#onFrame = onFrame;
  }

  get shown(): ReadonlySignal<readonly Exchange[]> {
    return this.#shown;
  }

  get dropped(): ReadonlySignal<number> {
    return this.#dropped;
  }

  note({ text, ...about }: Noted): void {
    const kept = text.slice(0, MOST_OF_ONE);
    this.#kept.push({ ...about, text: kept, size: text.length, id: (this.#ids += 1), at: this.#now() });
    this.#characters += kept.length;
    this.#show();
  }

  clear(): void {
    this.#kept = [];
    this.#characters = 0;
    this.#droppedNow = 0;
    this.#publish();
  }

  /** Shows what there is at the next frame, and not for each message: there may be thousands. */
  #show(): void {
    // Without a frame, as in a tab that nobody sees, it must not grow for ever.
    if (this.#kept.length > 2 * MOST || this.#characters > 2 * MOST_CHARACTERS) this.#trim();
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#onFrame(() => {
      this.#isScheduled = false;
      this.#trim();
      this.#publish();
    });
  }

  #publish(): void {
    this.#shown.value = [...this.#kept];
    this.#dropped.value = this.#droppedNow;
  }

  #trim(): void {
    let first = Math.max(0, this.#kept.length - MOST);
    for (const { text } of this.#kept.slice(0, first)) this.#characters -= text.length;
    while (this.#characters > MOST_CHARACTERS) {
      this.#characters -= this.#kept[first]?.text.length ?? this.#characters;
      first += 1;
    }
    if (first > 0) this.#kept = this.#kept.slice(first);
    this.#droppedNow += first;
  }
}
