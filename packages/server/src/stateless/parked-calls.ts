/** The calls of 2026-07-28, by their runs; where they are parked, and what their clients carry meanwhile. */
import type { Round } from "@photon/core";
import type { Places } from "../calls/waiting-calls.ts";
import { Roster } from "../util/compact-map.ts";
import { OVER_LIMIT, RpcError } from "../jsonrpc/errors.ts";
import type { Settings } from "../settings.ts";
import type { Conversation, RoundAnswers } from "./stateless-call.ts";
import type { State, States } from "./request-state.ts";
import type { Account } from "../accounts.ts";
import type { Leg } from "./request-attempt.ts";

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

/** Calls, and where they are parked. */

/** Which call it is. */
export interface Call {
  readonly runId: string;
  readonly principal: string;
  /** What it is counted for. */
  readonly account: Account;
  /** How much memory what its client sent takes, in bytes. */
  readonly weight: number;
  /** What is called, for people. */
  readonly subject: string;
}

/** Where conversations are parked. */
export interface Place {
  /** Takes in what is parked until then; throws where that is new, and there is no place for it. */
  admit(conversation: Conversation, until: number): void;
  /** It is over. */
  leave(conversation: Conversation): void;
  /** A state for the client to carry, which opens only with the same binding. */
  seal(state: State, call: Call, binding: string): string;
  /** The run of a call has moved: a new conversation continues it from its log, for the same request and its answers. */
  follow(leg: Leg, call: Call, state: State, answers: RoundAnswers | undefined): void;
  /** Until when questions can be answered, or told that they were too late. */
  lastMoment(round: Round): number;
}
