import type { Clock, OpenQuestion } from "@photon/core";
import { LinkedList, type ListNode } from "../util/linked-list.ts";
import { earliest } from "../util/timers.ts";
import { CompactMap } from "../util/compact-map.ts";

/** Whether the time of a question is over: what is said to it now comes too late. */
export const isExpired = ({ deadline = Infinity }: Pick<OpenQuestion, "deadline">, now: number): boolean =>
  deadline <= now;

/**
 * The questions of a session whose time is running. There is one timer, however many they are.
 *
 * Those that have the same time are over in the order in which they began: so only the first of each kind is looked at.
 */

/** Something whose time is running. */
export interface DeadlineEntry extends ListNode<DeadlineEntry> {
  /** When it is over, in milliseconds since 1970. */
  readonly deadline: number;
  /** Its time is over. */
  onExpired(): void;
}

export class DeadlineQueue {
  readonly #clock: Clock;
  /** By how much time they had left when they began. */
  readonly #queues = new CompactMap<number, LinkedList<DeadlineEntry>>();
  #next: { readonly at: number; readonly stop: () => void } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The time of something begins, that has so much left. */
  add(timed: DeadlineEntry, left: number): void {
    let queue = this.#queues.get(left);
    if (queue === undefined) this.#queues.set(left, (queue = new LinkedList()));
    queue.add(timed);
    if (this.#next === undefined || timed.deadline < this.#next.at) this.#wait(timed.deadline, left);
  }

  /** It does not matter any more whether its time is over. */
  delete(timed: DeadlineEntry, left: number): void {
    const queue = this.#queues.get(left);
    if (queue?.has(timed) !== true) return;
    queue.remove(timed);
    if (queue.size > 0) return;
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
    for (const [left, queue] of this.#queues.entries()) {
      // What expires may take others with it, or bring others up.
      for (let first = queue.first; first !== undefined && first.deadline <= now; first = queue.first) {
        this.delete(first, left);
        first.onExpired();
      }
    }
    const next = earliest(this.#queues.values().flatMap(({ first }) => first?.deadline ?? []));
    if (next !== undefined) this.#wait(next, next - now);
  }

  #stop(): void {
    this.#next?.stop();
    this.#next = undefined;
  }
}
