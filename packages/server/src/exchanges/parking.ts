/**
 * Where runs wait for the answers to their questions.
 *
 *   1. A run has a place from its first question to its end. Who asks for one too many is refused, and nobody else is.
 *   2. A run that nobody comes back for is closed when its time is over.
 *   3. There is one timer, however many wait.
 */
import { RunCancelled, type Round } from "@photon/core";
import { OVER_LIMIT, RpcError } from "../rpc/errors.ts";
import type { Sealer } from "../seal.ts";
import type { Settings } from "../settings.ts";
import type { Call, Conversation, Place } from "./conversation.ts";
import { earliest, Expiry } from "./expiry.ts";
import { sealState, type State } from "./state.ts";

/** How long after its deadline a question can still be told that it was too late, in milliseconds. */
const AFTERTIME = 600_000;

export class Parking implements Place {
  readonly #settings: Settings;
  readonly #sealer: Sealer;
  readonly #parked = new Set<Conversation>();
  readonly #byPrincipal = new Map<string, number>();
  readonly #expiry: Expiry;

  constructor(settings: Settings, sealer: Sealer) {
    this.#settings = settings;
    this.#sealer = sealer;
    this.#expiry = new Expiry(settings.clock, (now) => this.#closeExpired(now));
  }

  get size(): number {
    return this.#parked.size;
  }

  /** Refuses where there is no place for one more. */
  refuseWhenFull(principal: string): void {
    const { parked, parkedPerPrincipal } = this.#settings.limits;
    if ((this.#byPrincipal.get(principal) ?? 0) >= parkedPerPrincipal)
      throw new RpcError(OVER_LIMIT, `You have ${parkedPerPrincipal} calls waiting for answers already.`);
    if (this.#parked.size >= parked)
      throw new RpcError(
        OVER_LIMIT,
        `This server has ${parked} calls waiting for answers already; come back later.`,
      );
  }

  admit(conversation: Conversation, until: number): void {
    const { principal } = conversation.call;
    if (!this.#parked.has(conversation)) {
      // One that goes on from a state is not new.
      if (conversation.rounds === 0) this.refuseWhenFull(principal);
      this.#parked.add(conversation);
      this.#byPrincipal.set(principal, (this.#byPrincipal.get(principal) ?? 0) + 1);
    }
    this.#expiry.notBefore(until);
  }

  /** It is over. */
  leave(conversation: Conversation): void {
    const { principal } = conversation.call;
    if (!this.#parked.delete(conversation)) return;
    const others = (this.#byPrincipal.get(principal) ?? 0) - 1;
    if (others > 0) this.#byPrincipal.set(principal, others);
    else this.#byPrincipal.delete(principal);
    if (this.#parked.size === 0) this.#expiry.stop();
  }

  seal(state: State, call: Call): string {
    const sealed = sealState(state, this.#sealer, call.binding);
    const most = this.#settings.limits.stateBytes;
    if (sealed.length <= most) return sealed;
    throw new RpcError(
      OVER_LIMIT,
      `What ${call.subject} has been told comes to ${sealed.length} bytes, and a client is made to carry at most ${most} (limits.stateBytes). Return less from its steps, or ask less.`,
    );
  }

  lastMoment(round: Round): number {
    const { clock, parkedFor } = this.#settings;
    const now = clock.now();
    const ends = Object.values(round).map(({ deadline }) => deadline ?? now + parkedFor);
    return Math.max(now, ...ends) + AFTERTIME;
  }

  #closeExpired(now: number): number | undefined {
    const later: number[] = [];
    for (const conversation of this.#parked) {
      const { until } = conversation.waiting ?? {};
      if (until === undefined) continue;
      if (until > now) later.push(until);
      else void conversation.close(new RunCancelled("Nobody came back with an answer in time."));
    }
    return earliest(later);
  }
}
