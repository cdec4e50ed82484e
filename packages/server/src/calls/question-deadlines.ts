/**
 * The timeouts of questions. Core gives each question of a round its deadline (`openQuestion` in runtime/question-round.ts; the default
 * is in runtime/environment.ts). Each place that waits for an answer enforces it with the functions below:
 *
 *   - On a session, and in tools on an SDK server, a `DeadlineQueue` ends the question: `onExpired` in sessions/sent-question.ts.
 *   - In a stateless call, a late answer counts as a timeout (stateless/client-questions.ts). `WaitingCalls` closes a call whose client
 *     never returns.
 *   - In a call that was handed over, a late answer that a model passes on counts as a timeout (handover/continue-tools.ts). When the
 *     model only calls again, the expired questions are timeouts (handed-over-call.ts, continue-call.ts), and no page is awaited for
 *     them (local-run.ts).
 *   - A page expires (pages/page-controller.ts). The inbox lists no expired questions (durable/inbox.ts), and
 *     rejects their answers (durable/submit-answer.ts).
 *   - For a durable run that no client drives, the deadline is `due` of its entry in the store (durable/run-repository.ts), and the
 *     worker of any process records the timeout, up to six lease times late (background/worker.ts). Replay restores deadlines from the journal (core's runtime/interpreter.ts).
 *   - A `requestState` expires after the deadlines of its questions (stateless/request-state.ts).
 *   - For answerers, and without a server, `askWithDeadline` of core's runtime/answerers.ts waits.
 *
 * When one question of a round is answered, the time of the others starts anew: `roundAfterReply` in runtime/question-round.ts.
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
