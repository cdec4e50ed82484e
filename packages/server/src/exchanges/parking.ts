/** The calls of 2026-07-28, by their runs; where they are parked, and what their clients carry meanwhile. */
import type { Round } from "@photon/core";
import type { Places } from "../places.ts";
import { OVER_LIMIT, RpcError } from "../rpc/errors.ts";
import type { Sealer } from "../seal.ts";
import type { Settings } from "../settings.ts";
import type { Call, Conversation, Place } from "./conversation.ts";
import { sealState, type State } from "./state.ts";

export class Parking implements Place {
  readonly #settings: Pick<Settings, "limits">;
  readonly #sealer: Sealer;
  readonly #places: Places;
  /** Those that have not asked anything yet: nobody can come back for them. */
  readonly #new = new Set<Conversation>();
  /** Every other that has not ended. */
  readonly #byRun = new Map<string, Conversation>();

  constructor(settings: Pick<Settings, "limits">, sealer: Sealer, places: Places) {
    this.#settings = settings;
    this.#sealer = sealer;
    this.#places = places;
  }

  get all(): readonly Conversation[] {
    return [...this.#new, ...this.#byRun.values()];
  }

  find(runId: string): Conversation | undefined {
    return this.#byRun.get(runId);
  }

  /** It begins. */
  enter(conversation: Conversation): void {
    if (conversation.rounds === 0) this.#new.add(conversation);
    else this.#byRun.set(conversation.call.runId, conversation);
  }

  admit(conversation: Conversation, until: number): void {
    // One that goes on from a state is not new.
    if (conversation.rounds === 0 && !this.#places.has(conversation))
      this.#places.refuseWhenFull(conversation.principal);
    this.#places.take(conversation, until);
    if (this.#new.delete(conversation)) this.#byRun.set(conversation.call.runId, conversation);
  }

  /** It is over. */
  leave(conversation: Conversation): void {
    if (this.#new.delete(conversation)) return;
    const { runId } = conversation.call;
    if (this.#byRun.get(runId) === conversation) this.#byRun.delete(runId);
    this.#places.leave(conversation);
  }

  seal(state: State, { subject }: Call, binding: string): string {
    const sealed = sealState(state, this.#sealer, binding);
    const most = this.#settings.limits.stateBytes;
    if (sealed.length <= most) return sealed;
    throw new RpcError(
      OVER_LIMIT,
      `What ${subject} has been told comes to ${sealed.length} bytes, and a client is made to carry at most ${most} (limits.stateBytes). Return less from its steps, or ask less.`,
    );
  }

  lastMoment(round: Round): number {
    return this.#places.lastMoment(round);
  }
}
