/**
 * What one request of a client is told over Streamable HTTP: numbered, kept, and
 * told again to a client that lost its connection and comes back.
 */
import type { ServerResponse } from "node:http";
import { EventStream } from "../http/event-stream.ts";
import type { Settings } from "../settings.ts";

interface Kept {
  readonly number: number;
  readonly data: string;
}

/** How long a client waits before it comes back, in milliseconds. */
const RETRY = 1000;

export class ResumableStream {
  readonly name: string;
  readonly #settings: Pick<Settings, "limits" | "clock">;
  readonly #kept: Kept[] = [];
  #count = 0;
  #events: EventStream | undefined;
  #isDone = false;

  constructor(name: string, settings: Pick<Settings, "limits" | "clock">) {
    this.name = name;
    this.#settings = settings;
  }

  /** Whether a client is listening. */
  get isHeard(): boolean {
    return this.#events !== undefined;
  }

  /** Whether nothing more will be said. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** The number of the last event. */
  get count(): number {
    return this.#count;
  }

  /** How many events are kept. */
  get size(): number {
    return this.#kept.length;
  }

  /** Whether everything after an event is still kept. */
  isWholeAfter(number: number): boolean {
    return number >= this.#count - this.#kept.length && number <= this.#count;
  }

  /** Lets a client listen, after the event that it has already. `isPrimed`: it is given a number to come back with at once. */
  listen(
    response: ServerResponse,
    after: number,
    isPrimed: boolean,
    headers: Readonly<Record<string, string>> = {},
  ): void {
    const events = new EventStream(response, this.#settings, headers);
    this.#events?.end();
    this.#events = events;
    response.once("close", () => {
      if (this.#events === events) this.#events = undefined;
    });
    if (isPrimed) void events.write({ id: `${this.name}.${after}`, retry: RETRY, data: "" });
    for (const { number, data } of this.#kept)
      if (number > after) void events.write({ id: `${this.name}.${number}`, data });
    if (this.#isDone) this.#end();
  }

  say(data: string): void | Promise<void> {
    this.#count += 1;
    this.#kept.push({ number: this.#count, data });
    return this.#events?.write({ id: `${this.name}.${this.#count}`, data });
  }

  /** Nothing more will be said. */
  finish(): void {
    this.#isDone = true;
    this.#end();
  }

  /** Hangs up on whoever listens. What was said is kept. */
  hangUp(): void {
    this.#end();
  }

  /** Lets go of the oldest event. */
  forgetOldest(): void {
    this.#kept.shift();
  }

  #end(): void {
    this.#events?.end();
    this.#events = undefined;
  }
}
