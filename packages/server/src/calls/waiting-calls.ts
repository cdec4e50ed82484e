/**
 * Calls that wait for answers without an open request.
 *
 *   1. A call counts from its first question to its end, and so does its memory. Only the principal over its limit is refused.
 *   2. A call whose client does not return is closed when its time is over.
 *   3. There is one timer for all of them.
 */
import { RunCancelled } from "@photon/core";
import type { Account } from "../accounts.ts";
import { LinkedList, type ListNode } from "../util/linked-list.ts";
import { earliest, ExpiryTimer } from "../util/timers.ts";
import type { Settings } from "../settings.ts";

/** The memory of a call that runs on a session or is parked, beside what its client sent; in bytes. */
export const CALL_BYTES: number = 2 * 1024;

export interface WaitingCall extends ListNode<WaitingCall> {
  readonly account: Account;
  /** The memory that the call takes, in bytes; 0 if a store has it. */
  readonly weight: number;
  /** How much of that is reserved. */
  reserved: number;
  /** When the call is closed; undefined while it does not wait. */
  readonly until: number | undefined;
  close(reason: Error): Promise<void>;
}

export class WaitingCalls {
  readonly #calls = new LinkedList<WaitingCall>();
  readonly #expiry: ExpiryTimer;

  constructor({ clock }: Pick<Settings, "clock">) {
    this.#expiry = new ExpiryTimer(clock, (now) => this.#closeExpired(now));
  }

  get size(): number {
    return this.#calls.size;
  }

  /** Throws if one more call exceeds a limit. */
  assertCapacity(account: Account): void {
    const refusal = account.refusalOf("parked");
    if (refusal !== undefined) throw refusal.error;
  }

  /** Adds a call, or updates its memory and time. Throws over the limit of memory; `assertCapacity` checks the number of calls. */
  add(call: WaitingCall, until: number): void {
    const { account, weight } = call;
    const more = weight - call.reserved;
    if (more > 0) {
      // With a margin: the request has reserved the same, and is about to be answered.
      account.reserveOrThrow(more, more);
      call.reserved += more;
    }
    if (!this.#calls.has(call)) {
      this.#calls.add(call);
      account.add("parked");
    }
    this.#expiry.schedule(until);
  }

  remove(call: WaitingCall): void {
    if (!this.#calls.has(call)) return;
    this.#calls.remove(call);
    call.account.remove("parked");
    call.account.release(call.reserved);
    call.reserved = 0;
    if (this.#calls.size === 0) this.#expiry.stop();
  }

  #closeExpired(now: number): number | undefined {
    const later: number[] = [];
    for (const call of this.#calls) {
      const { until } = call;
      if (until === undefined) continue;
      if (until > now) later.push(until);
      else void call.close(new RunCancelled("The client did not return with an answer in time."));
    }
    return earliest(later);
  }
}
