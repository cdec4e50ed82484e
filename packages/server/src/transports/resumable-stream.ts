/**
 * What one request of a client is told over Streamable HTTP: numbered, kept, and
 * told again to a client that lost its connection and comes back.
 */
import type { ServerResponse } from "node:http";
import type { Settings } from "../settings.ts";
import { EventStream } from "./event-stream.ts";
import type { KeptEvents } from "./kept-events.ts";

/** How long a client waits before it comes back, in milliseconds. */
const RETRY = 1000;

export class ResumableStream {
  readonly name: string;
  readonly #settings: Pick<Settings, "limits" | "clock">;
  readonly #kept: KeptEvents;
  #count = 0;
  #told = 0;
  #events: EventStream | undefined;
  #doneAt: number | undefined;
  #isPrimed = false;

  constructor(name: string, kept: KeptEvents, settings: Pick<Settings, "limits" | "clock">) {
    this.name = name;
    this.#kept = kept;
    this.#settings = settings;
  }

  /** Whether a client is listening. */
  get isHeard(): boolean {
    return this.#events !== undefined;
  }

  /** When everything was said, once it is. */
  get doneAt(): number | undefined {
    return this.#doneAt;
  }

  /** The number of the last event. */
  get count(): number {
    return this.#count;
  }

  /** The number of the last event that went out to somebody. */
  get told(): number {
    return this.#told;
  }

  /** Whether everything after an event is still kept. */
  isWholeAfter(number: number): boolean {
    return this.#count - number === this.#kept.after(this.name, number).length;
  }

  /** Lets a client listen, after the event that it has already. `isPrimed`: it is given a number to come back with at once. */
  listen(response: ServerResponse, after: number, isPrimed: boolean): void {
    const events = new EventStream(response, this.#settings);
    if (events.isGone) return;
    this.#events?.end();
    this.#events = events;
    response.once("close", () => {
      if (this.#events === events) this.#events = undefined;
    });
    this.#isPrimed = isPrimed;
    if (isPrimed) void events.write({ id: `${this.name}.${after}`, retry: RETRY, data: "" });
    for (const { number, data } of this.#kept.after(this.name, after)) void this.#tell(number, data);
    if (this.#doneAt !== undefined) this.hangUp();
  }

  /** Says something: to whoever listens, and for whoever comes back. Its number is `count` from then on. */
  say(data: string): void | Promise<void> {
    this.#count += 1;
    return this.#tell(this.#count, data);
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

  #tell(number: number, data: string): void | Promise<void> {
    if (this.#events === undefined) return undefined;
    this.#told = Math.max(this.#told, number);
    return this.#events.write({ id: `${this.name}.${number}`, data });
  }
}
