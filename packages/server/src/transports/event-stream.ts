/** Server-sent events on one response: headers, framing, signs of life, and no more than a client can take. */
import type { ServerResponse } from "node:http";
import type { Settings } from "../settings.ts";
import { drained } from "./drained.ts";

export interface StreamEvent {
  readonly id?: string;
  readonly event?: string;
  /** One line. */
  readonly data: string;
  /** How long to wait before coming back, in milliseconds. */
  readonly retry?: number;
}

/** How often a silent stream shows that it is alive: before proxies take it for dead. */
const KEEP_ALIVE = 25_000;

export class EventStream {
  readonly #response: ServerResponse;
  readonly #most: number;
  readonly #clock: Settings["clock"];
  #stopBeating = (): void => {};

  constructor(response: ServerResponse, { limits, clock }: Pick<Settings, "limits" | "clock">) {
    this.#response = response;
    this.#most = limits.queueBytes;
    this.#clock = clock;
    response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    });
    response.flushHeaders();
    // A client may be gone before it is answered: then `close` has been told already.
    if (response.destroyed) return;
    this.#beat();
    response.once("close", () => this.#stopBeating());
  }

  /** Whether nobody reads it any more. */
  get isGone(): boolean {
    return this.#response.destroyed;
  }

  /** Writes an event; settles when the client can take more. One that takes too little is hung up on. */
  write({ id, event, data, retry }: StreamEvent): void | Promise<void> {
    const lines = [
      ...(id === undefined ? [] : [`id: ${id}`]),
      ...(retry === undefined ? [] : [`retry: ${retry}`]),
      ...(event === undefined ? [] : [`event: ${event}`]),
      `data: ${data}`,
    ];
    return this.#put(`${lines.join("\n")}\n\n`);
  }

  end(): void {
    this.#response.end();
  }

  #put(text: string): void | Promise<void> {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return undefined;
    if (response.writableLength > this.#most) return void response.destroy();
    return response.write(text) ? undefined : drained(response);
  }

  #beat(): void {
    this.#stopBeating = this.#clock.after(KEEP_ALIVE, () => {
      void this.#put(": alive\n\n");
      this.#beat();
    });
  }
}
