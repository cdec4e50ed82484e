/**
 * What one request of a client is told over Streamable HTTP: numbered, kept, and
 * told again to a client that lost its connection and comes back.
 */
import type { ServerResponse } from "node:http";
import type { Account } from "../accounts.ts";
import { EventStream, type Streaming } from "./event-stream.ts";
import type { KeptEvent, Speaking } from "./kept-events.ts";

/** How long a client waits before it comes back, in milliseconds. */
const RETRY = 1000;

export class ResumableStream implements Speaking {
  readonly name: string;
  readonly kept: KeptEvent[] = [];
  readonly #settings: Streaming & { readonly account: Account };
  readonly #left: () => void;
  #count = 0;
  #told = 0;
  #events: EventStream | undefined;
  #doneAt: number | undefined;
  #isPrimed = false;

  /** `left` is called whenever somebody who listened has gone. `count` events were told before, by another process. */
  constructor(
    name: string,
    settings: Streaming & { readonly account: Account },
    left: () => void,
    count = 0,
  ) {
    this.name = name;
    this.#count = count;
    this.#settings = settings;
    this.#left = left;
  }

  /** Whether a client is listening. */
  get isHeard(): boolean {
    return this.#events !== undefined;
  }

  get doneAt(): number | undefined {
    return this.#doneAt;
  }

  get count(): number {
    return this.#count;
  }

  /** The number of the last event that went out to somebody. */
  get told(): number {
    return this.#told;
  }

  /** Whether everything after an event is still kept. */
  isWholeAfter(number: number): boolean {
    return this.#count - number === this.#keptAfter(number).length;
  }

  /** Lets a client listen, after the event that it has already. `isPrimed`: it is given a number to come back with at once. */
  listen(response: ServerResponse, after: number, isPrimed: boolean): void {
    const events = new EventStream(response, this.#settings, this.#settings.account, () => {
      if (this.#events === events) this.#events = undefined;
      this.#left();
    });
    if (events.isGone) return;
    this.#events?.end();
    this.#events = events;
    this.#isPrimed = isPrimed;
    if (isPrimed) events.hold({ id: `${this.name}.${after}`, retry: RETRY, data: "" });
    for (const { number, data } of this.#keptAfter(after)) {
      this.#told = Math.max(this.#told, number);
      events.hold({ id: `${this.name}.${number}`, data });
    }
    if (this.#doneAt !== undefined) this.hangUp();
  }

  #keptAfter(last: number): readonly KeptEvent[] {
    return this.kept.length === 0 ? this.kept : this.kept.filter(({ number }) => number > last);
  }

  /** Says something: to whoever listens, and for whoever comes back. Its number is `count` from then on. */
  say(data: string): void | Promise<void> {
    this.#count += 1;
    if (this.#events === undefined) return undefined;
    this.#told = this.#count;
    return this.#events.write({ id: `${this.name}.${this.#count}`, data });
  }

  /** Says the last there is to say. */
  conclude(data: string): void {
    this.#count += 1;
    this.#doneAt = this.#settings.clock.now();
    if (this.#events === undefined) return;
    this.#told = this.#count;
    this.#events.end({ id: `${this.name}.${this.#count}`, data });
    this.#events = undefined;
  }

  /** Nothing more will be said. */
  finish(): void {
    this.#doneAt = this.#settings.clock.now();
    this.hangUp();
  }

  /** Hangs up on whoever listens, if that client was given a number to come back with before anything was said. */
  release(): void {
    if (this.#isPrimed) this.hangUp();
  }

  /** Hangs up on whoever listens. What was said is kept. */
  hangUp(): void {
    this.#events?.end();
    this.#events = undefined;
  }
}
