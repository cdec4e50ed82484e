/**
 * The outcomes of requests with a state: the same state with the same answers is given the same outcome again.
 *
 * A client whose connection broke cannot know whether its request was answered, and sends it again. So many are kept, and
 * so many bytes of them, each until its state expires; the oldest go first. But where a state is good for one request only,
 * nothing is given again; and where it could be replayed, that it was used is not forgotten before: who would use one too
 * many is refused.
 */
import { CompactMap } from "../util/compact-map.ts";
import { OVER_LIMIT, RpcError } from "../jsonrpc/errors.ts";
import type { JsonObject } from "../jsonrpc/messages.ts";
import { bytesOfText } from "../jsonrpc/message-size.ts";
import type { Settings } from "../settings.ts";
import { earliest, ExpiryTimer } from "../util/timers.ts";
import type { RequestAttempt } from "./request-attempt.ts";
import type { RequestOutcome, PendingRequest } from "./pending-request.ts";
import type { RequestState } from "./request-state.ts";

export interface CachedOutcome {
  /** As long as nothing has come of it. */
  attempt: RequestAttempt | undefined;
  /** What has come of it, if that is given again. */
  outcome: StoredOutcome | undefined;
  /** How much that weighs. */
  bytes: number;
  /** A digest of the answers. */
  readonly answers: string;
  readonly until: number;
  readonly isForgettable: boolean;
}

/** An outcome for keeping: a text is little work for the garbage collector, where there are thousands. */
type StoredOutcome = { readonly json: string } | { readonly outcome: RequestOutcome };

export class IdempotencyCache {
  readonly #most: number;
  readonly #mostBytes: number;
  readonly #isSingleUse: boolean;
  readonly #byState = new CompactMap<string, CachedOutcome>();
  #bytes = 0;
  readonly #expiry: ExpiryTimer;

  constructor({ limits, singleUse, clock }: Pick<Settings, "limits" | "singleUse" | "clock">) {
    this.#most = limits.outcomes;
    this.#mostBytes = limits.outcomeBytes;
    this.#isSingleUse = singleUse;
    this.#expiry = new ExpiryTimer(clock, (now) => this.#forgetExpired(now));
  }

  find(state: RequestState): CachedOutcome | undefined {
    return this.#byState.get(stateKey(state));
  }

  /** Keeps what is about to come of a state. */
  add(state: RequestState, answers: string, attempt: RequestAttempt): void {
    const { until } = state;
    const isForgettable = !this.#isSingleUse || state.journal === undefined;
    const name = stateKey(state);
    // Behind all others, also where it takes the place of one that broke off.
    if (this.#byState.has(name)) this.#forget(name);
    const kept: CachedOutcome = { attempt, outcome: undefined, bytes: 0, answers, until, isForgettable };
    this.#byState.set(name, kept);
    if (this.#byState.size > this.#most) this.#forgetOldest();
    if (this.#byState.size > this.#most && !isForgettable) {
      this.#forget(name);
      const sentence = `This server has reached its limit of used states (${this.#most}); come back later.`;
      throw new RpcError(OVER_LIMIT, sentence);
    }
    this.#expiry.schedule(until);
    // Not written into the property: V8 makes such a function in old space, where all that it holds outlives it.
    const finished = (outcome: RequestOutcome): void => this.#finished(name, kept, attempt, outcome);
    attempt.onOutcome = finished;
  }

  clear(): void {
    this.#byState.clear();
    this.#bytes = 0;
    this.#expiry.stop();
  }

  #finished(
    name: string,
    kept: CachedOutcome,
    { isRefused, isAbandoned }: RequestAttempt,
    outcome: RequestOutcome,
  ): void {
    if (this.#byState.get(name) !== kept) return;
    if (isRefused) return this.#forget(name);
    kept.attempt = undefined;
    if (this.#isSingleUse || isAbandoned) return;
    kept.outcome = written(outcome);
    kept.bytes = bytesOf(kept.outcome);
    this.#bytes += kept.bytes;
    if (this.#bytes > this.#mostBytes) this.#forgetHeavy();
  }

  #forgetOldest(): void {
    for (const [oldest, { isForgettable }] of this.#byState) {
      if (isForgettable) this.#forget(oldest);
      if (this.#byState.size <= this.#most) return;
    }
  }

  #forgetHeavy(): void {
    for (const [oldest, { bytes }] of this.#byState) {
      if (bytes > 0) this.#forget(oldest);
      if (this.#bytes <= this.#mostBytes) return;
    }
  }

  #forget(name: string): void {
    this.#bytes -= this.#byState.get(name)?.bytes ?? 0;
    this.#byState.delete(name);
  }

  #forgetExpired(now: number): number | undefined {
    for (const [name, { until }] of this.#byState) if (until <= now) this.#forget(name);
    return earliest(this.#byState.values().map(({ until }) => until));
  }
}

/** The outcome, parsed. */
function outcomeIn({ outcome }: CachedOutcome): RequestOutcome | undefined {
  if (outcome === undefined || "outcome" in outcome) return outcome?.outcome;
  // It was the text of a result.
  return { result: JSON.parse(outcome.json) as JsonObject };
}

/** What is kept of an outcome. What cannot be sent, because an author made it so, is kept as it is. */
function written(outcome: RequestOutcome): StoredOutcome {
  if ("error" in outcome) return { outcome };
  try {
    return { json: JSON.stringify(outcome.result) };
  } catch {
    return { outcome };
  }
}

/** As much as its text takes in memory. What is no JSON, or was thrown by an author, is an error there, of no length to speak of. */
function bytesOf(kept: StoredOutcome): number {
  if ("json" in kept) return bytesOfText(kept.json);
  const { outcome } = kept;
  return "error" in outcome && outcome.error instanceof RpcError ? bytesOfText(outcome.error.message) : 0;
}

const stateKey = ({ run, round, questions }: RequestState): string => `${run}:${round}:${questions}`;

/** Gives a request the outcome, or lets it wait for it. Says whether there is one. */
export function replayOutcome(kept: CachedOutcome, recipient: PendingRequest): boolean {
  const outcome = outcomeIn(kept);
  if (outcome !== undefined) recipient.settle(outcome);
  else if (kept.attempt?.isAbandoned === false) kept.attempt.addDuplicate(recipient);
  else return false;
  return true;
}
