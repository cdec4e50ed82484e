/**
 * The time limits of questions. Core gives each question of a round its deadline (`openQuestion` in question-round.ts; the default
 * is in environment.ts); the host of a call enforces it with the functions below:
 *
 *   - On a session, a `DeadlineQueue` ends the question (sessions/sent-question.ts).
 *   - In a stateless call, a late answer counts as a timeout (stateless/input-responses.ts), and so does a late answer that a model
 *     relays (handover/relayed-answers.ts). `WaitingCalls` closes a call whose client never returns.
 *   - A page expires (pages/page-controller.ts).
 *   - The inbox does not list an expired question (durable/inbox.ts), and rejects its answer (durable/submit-answer.ts).
 *   - For a durable run that no client drives, the worker records the timeout (background/worker.ts).
 *   - Without a server, `askWithDeadline` of core's answerers.ts waits.
 *
 * When one question of a round is answered, the time of the others starts anew: `roundAfterReply` in core.
 */
import type { Clock, OpenQuestion, Round } from "@photon/core";
import { LinkedList, type ListNode } from "../util/linked-list.ts";
import { earliest } from "../util/timers.ts";
import { CompactMap } from "../util/compact-map.ts";
import type { Settings } from "../settings.ts";

type Timed = Pick<OpenQuestion, "deadline" | "wait">;

/** How long after its deadline a question can still be answered with "too late", in milliseconds. */
export const LATE_ANSWER_GRACE_MS = 600_000;

/** Whether the time of a question is over: an answer comes too late. */
export const isExpired = ({ deadline = Infinity }: Pick<OpenQuestion, "deadline">, now: number): boolean =>
  deadline <= now;

/** When the time of a question is over that is asked now; undefined where it has no end. */
export const deadlineOf = ({ deadline, wait }: Timed, now: number): number | undefined =>
  deadline ?? (wait === undefined ? undefined : now + wait);

/** How many milliseconds are left to answer a question that is asked now; undefined where its time has no end. */
export function remainingTime(question: Timed, now: number): number | undefined {
  const deadline = deadlineOf(question, now);
  return deadline === undefined ? undefined : deadline - now;
}

/** When the first of some questions expires. */
export const firstDeadline = (questions: readonly Timed[]): number | undefined =>
  earliest(questions.flatMap(({ deadline }) => deadline ?? []));

/** Until when the questions of a round can be answered, or answered with "too late". */
export function answerableUntil(
  round: Round,
  { clock, maxWait }: Pick<Settings, "clock" | "maxWait">,
): number {
  const now = clock.now();
  let last = now;
  for (const { deadline } of Object.values(round)) last = Math.max(last, deadline ?? now + maxWait);
  return last + LATE_ANSWER_GRACE_MS;
}

/** A question in a `DeadlineQueue`. */
export interface DeadlineEntry extends ListNode<DeadlineEntry> {
  /** When its time is over, in milliseconds since 1970. */
  readonly deadline: number;
  onExpired(): void;
}

/**
 * The open questions of all sessions that have a deadline, with one timer. Questions with the same time limit expire in the order in
 * which they were asked, so that only the first of each limit is compared.
 */
export class DeadlineQueue {
  readonly #clock: Clock;
  /** By the time that they had when they were asked. */
  readonly #queues = new CompactMap<number, LinkedList<DeadlineEntry>>();
  #next: { readonly at: number; readonly stop: () => void } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a question that has `left` milliseconds. */
  add(timed: DeadlineEntry, left: number): void {
    let queue = this.#queues.get(left);
    if (queue === undefined) this.#queues.set(left, (queue = new LinkedList()));
    queue.add(timed);
    if (this.#next === undefined || timed.deadline < this.#next.at) this.#wait(timed.deadline, left);
  }

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
      this.#expire(this.#clock.now());
    });
    this.#next = { at, stop };
  }

  /** Ends the questions whose time is over, and waits for the next. */
  #expire(now: number): void {
    for (const [left, queue] of this.#queues.entries()) {
      // `onExpired` may add and delete questions.
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
