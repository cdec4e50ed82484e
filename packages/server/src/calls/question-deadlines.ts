/**
 * The timeouts of questions. Core sets the deadline of each question (runtime/question-round.ts; default: runtime/environment.ts), and
 * restarts it when another question of the round is answered (`roundAfterReply`). Each place that waits for an answer enforces it:
 *
 *   - sessions and SDK servers: `DeadlineQueue`, and `onExpired` in sessions/sent-question.ts;
 *   - stateless calls: stateless/client-questions.ts and request-state.ts; `WaitingCalls`, if the client never returns;
 *   - handed-over calls: handover/continue-tools.ts, continue-call.ts, handed-over-call.ts and local-run.ts;
 *   - pages: pages/page-controller.ts; the inbox: durable/inbox.ts and submit-answer.ts;
 *   - durable runs without a client: `due` in durable/run-repository.ts, recorded by background/worker.ts up to six lease times late;
 *   - answerers, and `photon run`: `askWithDeadline` in core's runtime/answerers.ts.
 */
import type { Clock, OpenQuestion, Round } from "@photon/core";
import { CompactMap } from "../util/compact-map.ts";
import { LinkedList, type ListNode } from "../util/linked-list.ts";
import { earliest, ExpiryTimer } from "../util/timers.ts";
import type { Settings } from "../settings.ts";

type Timed = Pick<OpenQuestion, "deadline" | "wait">;

/** How long after the deadline a client that returns is still told that it was too late, in milliseconds. */
export const LATE_ANSWER_GRACE_MS = 600_000;

/** Whether the time of a question is over, so that an answer comes too late. */
export const isExpired = ({ deadline = Infinity }: Pick<OpenQuestion, "deadline">, now: number): boolean =>
  deadline <= now;

/** The deadline of a question that is asked now; undefined without a limit. */
export const deadlineOf = ({ deadline, wait }: Timed, now: number): number | undefined =>
  deadline ?? (wait === undefined ? undefined : now + wait);

/** How many milliseconds a question has that is asked now; undefined without a limit. */
export function remainingTime(question: Timed, now: number): number | undefined {
  const deadline = deadlineOf(question, now);
  return deadline === undefined ? undefined : deadline - now;
}

/** Until when a client can answer the questions of a round, or be told that it was too late. */
export function answerableUntil(
  round: Round,
  { clock, maxWait }: Pick<Settings, "clock" | "maxWait">,
): number {
  const now = clock.now();
  let last = now;
  for (const { deadline } of Object.values(round)) last = Math.max(last, deadline ?? now + maxWait);
  return last + LATE_ANSWER_GRACE_MS;
}

export interface DeadlineEntry extends ListNode<DeadlineEntry> {
  /** In milliseconds since 1970. */
  readonly deadline: number;
  onExpired(): void;
}

/**
 * The open questions of all sessions that have a deadline, with one timer. Questions with the same time limit expire in the order in
 * which they were asked, so that only the first of each limit is compared.
 */
export class DeadlineQueue {
  /** By the time that they had when they were asked, in milliseconds. */
  readonly #queues = new CompactMap<number, LinkedList<DeadlineEntry>>();
  readonly #timer: ExpiryTimer;

  constructor(clock: Clock) {
    this.#timer = new ExpiryTimer(clock, (now) => this.#expire(now), 0);
  }

  add(entry: DeadlineEntry, remainingMs: number): void {
    let queue = this.#queues.get(remainingMs);
    if (queue === undefined) this.#queues.set(remainingMs, (queue = new LinkedList()));
    queue.add(entry);
    this.#timer.schedule(entry.deadline);
  }

  delete(entry: DeadlineEntry, remainingMs: number): void {
    const queue = this.#queues.get(remainingMs);
    if (queue?.has(entry) !== true) return;
    queue.remove(entry);
    if (queue.size > 0) return;
    this.#queues.delete(remainingMs);
    if (this.#queues.size === 0) this.#timer.stop();
  }

  /** Ends the questions whose time is over, and returns the next deadline. */
  #expire(now: number): number | undefined {
    for (const [remainingMs, queue] of this.#queues.entries()) {
      // `onExpired` may add and delete questions.
      for (let first = queue.first; first !== undefined && first.deadline <= now; first = queue.first) {
        this.delete(first, remainingMs);
        first.onExpired();
      }
    }
    return earliest(this.#queues.values().flatMap(({ first }) => first?.deadline ?? []));
  }
}
