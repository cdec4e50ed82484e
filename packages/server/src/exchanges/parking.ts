/** The calls of 2026-07-28, by their runs; where they are parked, and what their clients carry meanwhile. */
import type { Round } from "@photon/core";
import type { Places } from "../calls/waiting-calls.ts";
import { Roster } from "../util/compact-map.ts";
import { OVER_LIMIT, RpcError } from "../jsonrpc/errors.ts";
import type { Settings } from "../settings.ts";
import type { Conversation } from "./conversation.ts";
import type { Call, Place } from "./place.ts";
import type { State } from "./state.ts";
import type { States } from "./states.ts";

export class Parking implements Place {
  readonly follow: Place["follow"];
  readonly #settings: Pick<Settings, "limits">;
  readonly #states: States;
  readonly #places: Places;
  /** Every call that has asked something or continues from a state, and has not ended: no request can continue any other. */
  readonly #byRun = new Roster<string, Conversation>();

  constructor(settings: Pick<Settings, "limits">, states: States, places: Places, follow: Place["follow"]) {
    this.follow = follow;
    this.#settings = settings;
    this.#states = states;
    this.#places = places;
  }

  get all(): readonly Conversation[] {
    return this.#byRun.values();
  }

  find(runId: string): Conversation | undefined {
    return this.#byRun.get(runId);
  }

  /** It goes on from a state. */
  enter(conversation: Conversation): void {
    this.#byRun.set(conversation.runId, conversation);
  }

  admit(conversation: Conversation, until: number): void {
    // A call that continues from a state was entered before.
    const isNew = this.#byRun.get(conversation.runId) !== conversation;
    if (isNew) this.#places.refuseWhenFull(conversation.account);
    this.#places.take(conversation, until);
    if (isNew) this.enter(conversation);
  }

  /** It is over. */
  leave(conversation: Conversation): void {
    const { runId } = conversation;
    if (this.#byRun.get(runId) === conversation) this.#byRun.delete(runId);
    this.#places.leave(conversation);
  }

  seal(state: State, { subject }: Call, binding: string): string {
    const sealed = this.#states.seal(state, binding);
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
