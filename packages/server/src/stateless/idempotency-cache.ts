/**
 * The outcomes of requests with a requestState: the same state with the same answers gets the same outcome again.
 *
 * A client whose connection broke cannot know whether its request was answered, and sends it again. The cache has a maximum number of
 * entries and bytes; the oldest entries are evicted first, and each expires with its state.
 *
 *   1. With `singleUse` a state is accepted once, and no outcome is given again.
 *   2. Then the entry of a state with a journal is not evicted, since the state could be replayed without it: where the cache is full
 *      of such entries, new ones are refused.
 */
import { OVER_LIMIT, RpcError } from "../jsonrpc/errors.ts";
import type { JsonObject } from "../jsonrpc/messages.ts";
import { bytesOfText } from "../jsonrpc/message-size.ts";
import type { Settings } from "../settings.ts";
import { LinkedList, type ListNode } from "../util/linked-list.ts";
import { earliest, ExpiryTimer } from "../util/timers.ts";
import type { PendingRequest, RequestAttempt, RequestOutcome, Resumption } from "./pending-request.ts";
import type { RequestState } from "./request-state.ts";

export interface CacheEntry extends ListNode<CacheEntry> {
  readonly key: string;
  readonly answersDigest: string;
  readonly until: number;
  readonly isEvictable: boolean;
  /** The attempt under way; then its outcome. Undefined if the outcome is not stored. */
  value: RequestAttempt | StoredOutcome | undefined;
  /** The memory of the outcome. */
  bytes: number;
}

/** A result is kept as text: one string is less work for the garbage collector than an object with many parts. */
type StoredOutcome = { readonly json: string } | { readonly error: unknown };

export class IdempotencyCache {
  readonly #settings: Pick<Settings, "limits" | "singleUse">;
  readonly #entries = new Map<string, CacheEntry>();
  /** For eviction: V8 walks over all removed entries of a Map to find its first, which took 9 % of the time of a question. */
  readonly #byAge = new LinkedList<CacheEntry>();
  #bytes = 0;
  readonly #expiry: ExpiryTimer;

  constructor(settings: Pick<Settings, "limits" | "singleUse" | "clock">) {
    this.#settings = settings;
    this.#expiry = new ExpiryTimer(settings.clock, (now) => this.#removeExpired(now));
  }

  find(state: RequestState): CacheEntry | undefined {
    return this.#entries.get(keyOf(state));
  }

  /** Adds the attempt of a request, whose outcome takes its place when it ends. */
  add({ state, answersDigest, attempt }: Resumption): void {
    const { limits, singleUse } = this.#settings;
    const { until } = state;
    const isEvictable = !singleUse || state.journal === undefined;
    const key = keyOf(state);
    // The new entry is evicted last, also if it replaces one.
    const replaced = this.#entries.get(key);
    if (replaced !== undefined) this.#remove(replaced);
    const entry: CacheEntry = {
      key,
      answersDigest,
      until,
      isEvictable,
      value: attempt,
      bytes: 0,
      previous: undefined,
      next: undefined,
    };
    this.#entries.set(key, entry);
    this.#byAge.add(entry);
    this.#evict();
    if (this.#entries.size > limits.outcomes && !isEvictable) {
      this.#remove(entry);
      throw new RpcError(
        OVER_LIMIT,
        `This server has reached its limit of used states (${limits.outcomes}); try again later.`,
      );
    }
    this.#expiry.schedule(until);
    // A local variable: V8 allocates a closure that is assigned to a property directly in old space, with all that it retains.
    const onEnd: RequestAttempt["onEnd"] = (outcome, how) => {
      if (this.#entries.get(key) !== entry) return;
      if (how === "refused") return this.#remove(entry);
      entry.value = undefined;
      if (singleUse || how === "abandoned") return;
      entry.value = storedOutcome(outcome);
      entry.bytes = bytesOf(entry.value);
      this.#bytes += entry.bytes;
      this.#evict();
    };
    attempt.onEnd = onEnd;
  }

  clear(): void {
    for (const entry of this.#byAge) this.#remove(entry);
    this.#expiry.stop();
  }

  /** Removes the oldest entries, as long as there are too many or their outcomes take too much memory. */
  #evict(): void {
    const { outcomes, outcomeBytes } = this.#settings.limits;
    if (this.#entries.size <= outcomes && this.#bytes <= outcomeBytes) return;
    for (const entry of this.#byAge) {
      const areTooMany = this.#entries.size > outcomes;
      if (!areTooMany && this.#bytes <= outcomeBytes) return;
      if (areTooMany ? entry.isEvictable : entry.bytes > 0) this.#remove(entry);
    }
  }

  #remove(entry: CacheEntry): void {
    this.#bytes -= entry.bytes;
    this.#byAge.remove(entry);
    this.#entries.delete(entry.key);
  }

  #removeExpired(now: number): number | undefined {
    for (const entry of this.#byAge) if (entry.until <= now) this.#remove(entry);
    return earliest(Array.from(this.#byAge, ({ until }) => until));
  }
}

const keyOf = ({ run, round, questions }: RequestState): string => `${run}:${round}:${questions}`;

/** If a result cannot be serialized, the client got the error of that, and the error is stored. */
function storedOutcome(outcome: RequestOutcome): StoredOutcome {
  if ("error" in outcome) return outcome;
  try {
    return { json: JSON.stringify(outcome.result) };
  } catch (error) {
    return { error };
  }
}

/** Errors that are not an `RpcError` are sent as a fixed text, and count as 0 bytes. */
function bytesOf(stored: StoredOutcome): number {
  if ("json" in stored) return bytesOfText(stored.json);
  return stored.error instanceof RpcError ? bytesOfText(stored.error.message) : 0;
}

/** Answers a request with the outcome of an entry, now or when the attempt under way ends. Returns false if the entry has neither. */
export function replayOutcome({ value }: CacheEntry, pending: PendingRequest): boolean {
  if (value === undefined) return false;
  if ("json" in value) pending.succeed(JSON.parse(value.json) as JsonObject);
  else if ("error" in value) pending.fail(value.error);
  else if (value.isAbandoned) return false;
  else value.addDuplicate(pending);
  return true;
}
