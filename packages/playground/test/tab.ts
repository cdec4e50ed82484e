/** A tab of a browser without the browser: what a page has around it, with real sockets. */
import { effect, type ReadonlySignal } from "@preact/signals";
import { WebSocket } from "ws";
import type { Settings } from "../src/desk/connection.ts";
import { openDesk, type OpenDesk } from "../src/desk/open-desk.ts";
import type { Offer } from "../src/desk/offer.ts";
import type { Question } from "../src/desk/question.ts";
import type { Entry, Given, Run } from "../src/desk/run.ts";
import type { Clock, Surroundings, TabStorage } from "../src/wire/surroundings.ts";

/** What a tab keeps while it is there. */
export class MemoryStorage implements TabStorage {
  readonly #items: Map<string, string>;

  constructor(items: Iterable<readonly [string, string]> = []) {
    this.#items = new Map(items);
  }

  get length(): number {
    return this.#items.size;
  }

  key(index: number): string | null {
    return [...this.#items.keys()][index] ?? null;
  }

  getItem(name: string): string | null {
    return this.#items.get(name) ?? null;
  }

  setItem(name: string, value: string): void {
    this.#items.set(name, value);
  }

  removeItem(name: string): void {
    this.#items.delete(name);
  }

  get text(): string {
    return JSON.stringify([...this.#items]);
  }
}

/** The machine's clock, by which pauses are short: nobody looks at them here. */
const hastyClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds < 5000 ? milliseconds / 20 : milliseconds);
    return () => clearTimeout(timer);
  },
};

export class Tab {
  readonly address: URL;
  readonly around: Partial<Surroundings>;
  readonly storage: MemoryStorage;
  desk: OpenDesk;

  constructor(url: string, settings: Partial<Settings> = {}, around: Partial<Surroundings> = {}) {
    this.address = new URL("/mcp", url);
    this.around = around;
    this.storage = new MemoryStorage([["photon/settings", JSON.stringify(settings)]]);
    this.desk = this.#open();
  }

  /** What a reload does: everything goes at once, but what was kept. */
  reload(): void {
    this.desk.leave();
    this.desk = this.#open();
  }

  close(): void {
    this.desk.leave();
  }

  async offer(name: string): Promise<Offer> {
    const offers = await until(this.desk.offers, (all) => all.some((offer) => offer.name === name));
    const found = offers.find((offer) => offer.name === name);
    if (found === undefined) throw new Error(`There is no ${name}.`);
    return found;
  }

  async call(name: string, given: Given = {}): Promise<Run> {
    return this.desk.call(await this.offer(name), given);
  }

  /** The first question that fits, as soon as there is one. */
  async question(fits: (question: Question) => boolean = () => true): Promise<Question> {
    const isOpen = (question: Question): boolean => question.waitsFor === undefined && fits(question);
    const questions = await until(this.desk.questions, (all) => all.some(isOpen));
    const found = questions.find(isOpen);
    if (found === undefined) throw new Error("Nothing is asked.");
    return found;
  }

  /** Answers the next question with a value. */
  async accept(value: unknown, fits?: (question: Question) => boolean): Promise<void> {
    this.desk.answer(await this.question(fits), { action: "accept", content: { value } });
  }

  isOpen(): Promise<unknown> {
    return until(this.desk.connection, ({ state }) => state === "open");
  }

  #open(): OpenDesk {
    return openDesk({
      address: this.address,
      fetch: (address, init) => fetch(address, init),
      openSocket: (address, protocol) => new WebSocket(address, protocol),
      clock: hastyClock,
      onFrame: (callback) => void setImmediate(callback),
      ...this.around,
      storage: this.storage,
    });
  }
}

/** Settles when a signal has a value that fits. */
export function until<T>(signal: ReadonlySignal<T>, fits: (value: T) => boolean): Promise<T> {
  return new Promise((resolve) => {
    let stop = (): void => {};
    let isDone = false;
    stop = effect(() => {
      const { value } = signal;
      if (isDone || !fits(value)) return;
      isDone = true;
      resolve(value);
      queueMicrotask(() => stop());
    });
  });
}

/** Settles when a run is over; gives how. */
export async function ended(run: Run): Promise<Record<string, unknown>> {
  const over = await until(run.state, ({ state }) => ["done", "failed", "cancelled"].includes(state));
  const { ended: _, ...how } = over as typeof over & { readonly ended: number };
  return how;
}

/** What happened in a run, of the kinds that are named, without when. */
export function happened(run: Run, ...kinds: readonly Entry["kind"][]): readonly unknown[] {
  return run.timeline.value
    .filter(({ kind }) => kinds.length === 0 || kinds.some((one) => one === kind))
    .map(({ at: _at, id: _id, ...entry }) => entry);
}
