/**
 * Where calls wait that nobody holds a line open for.
 *
 *   1. A call has a place from its first question to its end. Who asks for one too many is refused, and nobody else is.
 *   2. One that nobody comes back for is closed when its time is over.
 *   3. There is one timer, however many wait.
 */
import { RunCancelled, type Round } from "@photon/core";
import { Crowd, type Linked } from "./crowd.ts";
import { earliest, Expiry } from "./expiry.ts";
import { Roster } from "./roster.ts";
import { OVER_LIMIT, RpcError } from "./rpc/errors.ts";
import type { Settings } from "./settings.ts";

/** How long after its deadline a question can still be told that it was too late, in milliseconds. */
export const AFTERTIME = 600_000;

/** A call that can wait. */
export interface Waiter extends Linked<Waiter> {
  /** Whose it is. */
  readonly principal: string;
  /** Until when it waits, while it does. */
  readonly until: number | undefined;
  close(reason: Error): Promise<void>;
}

/** Until when the questions of a round can be answered, or told that they were too late. */
export function lastMoment(
  round: Round,
  { clock, parkedFor }: Pick<Settings, "clock" | "parkedFor">,
): number {
  const now = clock.now();
  let last = now;
  for (const { deadline } of Object.values(round)) last = Math.max(last, deadline ?? now + parkedFor);
  return last + AFTERTIME;
}

export class Places {
  readonly #settings: Pick<Settings, "limits" | "clock" | "parkedFor">;
  readonly #waiters = new Crowd<Waiter>();
  readonly #byPrincipal = new Roster<string, number>();
  readonly #expiry: Expiry;

  constructor(settings: Pick<Settings, "limits" | "clock" | "parkedFor">) {
    this.#settings = settings;
    this.#expiry = new Expiry(settings.clock, (now) => this.#closeExpired(now));
  }

  get size(): number {
    return this.#waiters.size;
  }

  /** Refuses where there is no place for one more. */
  refuseWhenFull(principal: string): void {
    const { parked, parkedPerPrincipal } = this.#settings.limits;
    if ((this.#byPrincipal.get(principal) ?? 0) >= parkedPerPrincipal)
      throw new RpcError(OVER_LIMIT, `You have ${parkedPerPrincipal} calls waiting for answers already.`);
    if (this.#waiters.size >= parked)
      throw new RpcError(
        OVER_LIMIT,
        `This server has ${parked} calls waiting for answers already; come back later.`,
      );
  }

  has(waiter: Waiter): boolean {
    return this.#waiters.has(waiter);
  }

  /** Gives a call a place, whether or not there is one left; it is looked for when its time is over. */
  take(waiter: Waiter, until: number): void {
    if (!this.#waiters.has(waiter)) {
      const { principal } = waiter;
      this.#waiters.add(waiter);
      this.#byPrincipal.set(principal, (this.#byPrincipal.get(principal) ?? 0) + 1);
    }
    this.#expiry.notBefore(until);
  }

  /** It is over. */
  leave(waiter: Waiter): void {
    if (!this.#waiters.has(waiter)) return;
    this.#waiters.remove(waiter);
    const { principal } = waiter;
    const others = (this.#byPrincipal.get(principal) ?? 0) - 1;
    if (others > 0) this.#byPrincipal.set(principal, others);
    else this.#byPrincipal.delete(principal);
    if (this.#waiters.size === 0) this.#expiry.stop();
  }

  lastMoment(round: Round): number {
    return lastMoment(round, this.#settings);
  }

  #closeExpired(now: number): number | undefined {
    const later: number[] = [];
    for (const waiter of this.#waiters) {
      const { until } = waiter;
      if (until === undefined) continue;
      if (until > now) later.push(until);
      else void waiter.close(new RunCancelled("Nobody came back with an answer in time."));
    }
    return earliest(later);
  }
}
