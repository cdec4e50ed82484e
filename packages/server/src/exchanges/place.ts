/** Calls, and where they are parked. */
import type { Round } from "@photon/core";
import type { Account } from "../accounts.ts";
import type { Conversation, RoundAnswers } from "./conversation.ts";
import type { Leg } from "./leg.ts";
import type { State } from "./state.ts";

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
