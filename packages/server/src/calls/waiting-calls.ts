/**
 * Calls that wait for answers without an open request.
 *
 *   1. A call is counted from its first question to its end, and so is its memory. The principal that exceeds a limit is refused, and
 *      no other.
 *   2. A call whose client does not come back is closed when its time is over.
 *   3. There is one timer for all of them.
 */
import { RunCancelled } from "@photon/core";
import type { Account } from "../accounts.ts";
import { LinkedList, type ListNode } from "../util/linked-list.ts";
import { earliest, ExpiryTimer } from "../util/timers.ts";
import { OVER_LIMIT, RpcError } from "../jsonrpc/errors.ts";
import type { Settings } from "../settings.ts";

/** Memory of a call that runs on a session or is parked, beside what its client sent; in bytes. */
export const CALL_BYTES: number = 2 * 1024;

/** A call that can wait. */
export interface WaitingCall extends ListNode<WaitingCall> {
  /** What it is counted for. */
  readonly account: Account;
  /** How much memory it takes, by what its client sent; in bytes. Nothing, where a store keeps it. */
  readonly weight: number;
  /** How much of that is counted. */
  reserved: number;
  /** Until when it waits, while it does. */
  readonly until: number | undefined;
  close(reason: Error): Promise<void>;
}

export class WaitingCalls {
  readonly #settings: Pick<Settings, "limits" | "clock">;
  readonly #waiters = new LinkedList<WaitingCall>();
  readonly #expiry: ExpiryTimer;

  constructor(settings: Pick<Settings, "limits" | "clock">) {
    this.#settings = settings;
    this.#expiry = new ExpiryTimer(settings.clock, (now) => this.#closeExpired(now));
  }

  get size(): number {
    return this.#waiters.size;
  }

  /** Refuses where there is no place for one more. */
  assertCapacity(account: Account): void {
    const { parked, parkedPerPrincipal } = this.#settings.limits;
    const exceeded = account.parked.exceededBy(1);
    if (exceeded === "principal")
      throw new RpcError(
        OVER_LIMIT,
        `You have reached your limit of calls that wait for answers (${parkedPerPrincipal}).`,
      );
    if (exceeded === "total")
      throw new RpcError(
        OVER_LIMIT,
        `This server has reached its limit of calls that wait for answers (${parked}); come back later.`,
      );
  }

  has(waiter: WaitingCall): boolean {
    return this.#waiters.has(waiter);
  }

  /**
   * Gives a call a place, whether or not there is one left; it is looked for when its time is over. Throws where there is no
   * memory for it, or for what it was told since it had a place.
   */
  add(waiter: WaitingCall, until: number): void {
    const { account, weight } = waiter;
    const isNew = !this.#waiters.has(waiter);
    const more = weight - waiter.reserved;
    if (more > 0) {
      // Its request has the same once more, and is answered next.
      account.reserveOrThrow(more, more);
      waiter.reserved += more;
    }
    if (isNew) {
      this.#waiters.add(waiter);
      account.parked.add(1);
    }
    this.#expiry.schedule(until);
  }

  /** It is over. */
  remove(waiter: WaitingCall): void {
    if (!this.#waiters.has(waiter)) return;
    this.#waiters.remove(waiter);
    waiter.account.parked.release(1);
    waiter.account.release(waiter.reserved);
    waiter.reserved = 0;
    if (this.#waiters.size === 0) this.#expiry.stop();
  }

  #closeExpired(now: number): number | undefined {
    const later: number[] = [];
    for (const waiter of this.#waiters) {
      const { until } = waiter;
      if (until === undefined) continue;
      if (until > now) later.push(until);
      else void waiter.close(new RunCancelled("The client did not return with an answer in time."));
    }
    return earliest(later);
  }
}
