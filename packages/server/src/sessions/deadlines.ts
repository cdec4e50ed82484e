/**
 * The questions of a session whose time is running. There is one timer, however many they are.
 *
 * Those that have the same time are over in the order in which they began: so only the first of each kind is looked at.
 */
import type { Clock } from "@photon/core";

/** Something whose time is running. */
export interface Timed {
  /** When it is over, in milliseconds since 1970. */
  readonly deadline: number;
  /** Its time is over. */
  expire(): void;
}

export class Deadlines {
  readonly #clock: Clock;
  /** By how much time they had left when they began. */
  readonly #queues = new Map<number, Set<Timed>>();
  #next: { readonly at: number; readonly stop: () => void } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The time of something begins, that has so much left. */
  add(timed: Timed, left: number): void {
    const queue = this.#queues.get(left);
    if (queue === undefined) this.#queues.set(left, new Set([timed]));
    else queue.add(timed);
    if (this.#next === undefined || timed.deadline < this.#next.at) this.#wait(timed.deadline, left);
  }

  /** It does not matter any more whether its time is over. */
  delete(timed: Timed, left: number): void {
    const queue = this.#queues.get(left);
    if (queue?.delete(timed) !== true || queue.size > 0) return;
    this.#queues.delete(left);
    if (this.#queues.size === 0) this.#stop();
  }

  #wait(at: number, left: number): void {
    this.#stop();
    const stop = this.#clock.after(left, () => {
      this.#next = undefined;
      this.#look(this.#clock.now());
    });
    this.#next = { at, stop };
  }

  /** Lets go of what is over, and waits for the next. */
  #look(now: number): void {
    let next = Number.POSITIVE_INFINITY;
    for (const [left, queue] of this.#queues) {
      for (const timed of queue) {
        if (timed.deadline > now) {
          next = Math.min(next, timed.deadline);
          break;
        }
        this.delete(timed, left);
        timed.expire();
      }
    }
    if (next < Number.POSITIVE_INFINITY) this.#wait(next, next - now);
  }

  #stop(): void {
    this.#next?.stop();
    this.#next = undefined;
  }
}
