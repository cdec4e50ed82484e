import type { Clock } from "@photon/core";
import { Crowd, type Linked } from "../util/linked-list.ts";

/** How often a silent stream shows that it is alive: before proxies take it for dead. */
const KEEP_ALIVE = 25_000;

/** Something that shows on demand that it is alive. */
export interface Beating extends Linked<Beating> {
  beat(): void;
}

/** Has streams show again and again that they are alive: one timer for all of them, as long as there are any. */
export class Pulse {
  readonly #clock: Clock;
  readonly #beating = new Crowd<Beating>();
  #stop: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(one: Beating): void {
    this.#beating.add(one);
    this.#wait();
  }

  delete(one: Beating): void {
    if (!this.#beating.has(one)) return;
    this.#beating.remove(one);
    if (this.#beating.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }

  #wait(): void {
    this.#stop ??= this.#clock.after(KEEP_ALIVE, () => {
      this.#stop = undefined;
      for (const one of this.#beating) one.beat();
      if (this.#beating.size > 0) this.#wait();
    });
  }
}
