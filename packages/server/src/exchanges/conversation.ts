/**
 * A call of 2026-07-28, from its first request to its end, however many requests that takes.
 *
 *   1. One request at a time carries it: that one hears what it tells, and is ended by its questions or its result.
 *   2. While it is parked it waits for the answers to one round of questions, and nothing of it runs.
 *   3. Closing it closes the body, and waits for it.
 */
import { randomInt } from "node:crypto";
import { RunCancelled, type Entry, type Replies, type Round } from "@photon/core";
import type { Envelope } from "../mcp/envelope.ts";
import type { InputRequest } from "../mcp/input-requests.ts";
import { inputRequiredResult } from "../mcp/modern-results.ts";
import type { Notification, Wire } from "../rpc/message.ts";
import type { Leg } from "./leg.ts";
import { digestOf } from "./replies.ts";
import type { State } from "./state.ts";

/** As many as `randomInt` can tell apart. */
const MOST_HANDLES = 2 ** 48 - 1;

/** Which call it is. */
export interface Call {
  readonly runId: string;
  readonly principal: string;
  /** What is called, for people. */
  readonly subject: string;
  /** What its states are bound to. */
  readonly binding: string;
}

/** What goes into a state beside the questions. */
export interface Carried {
  readonly progress?: number;
  readonly journal?: readonly Entry[];
}

/** Where conversations are parked. */
export interface Place {
  /** Takes in what is parked until then; throws where that is new, and there is no place for it. */
  admit(conversation: Conversation, until: number): void;
  seal(state: State, call: Call): string;
  /** Until when questions can be answered, or told that they were too late. */
  lastMoment(round: Round): number;
}

interface Waiting {
  readonly round: Round;
  readonly handle: number;
  readonly until: number;
  /** Whether another process can go on with it. */
  readonly isReplayable: boolean;
  readonly resume: (replies: Replies) => void;
}

export class Conversation {
  readonly call: Call;
  readonly #place: Place;
  #leg: Leg;
  #rounds: number;
  #waiting: Waiting | undefined;
  #perform: Promise<void> = Promise.resolve();
  /** Ends what is being performed. */
  onClose: (reason: unknown) => void | Promise<void> = () => {};

  /** `rounds` there have been before, where it goes on from a state. */
  constructor(call: Call, place: Place, leg: Leg, rounds = 0) {
    this.call = call;
    this.#place = place;
    this.#leg = leg;
    this.#rounds = rounds;
    this.#carriedBy(leg);
  }

  /** What the request that is being answered says of itself. */
  get envelope(): Envelope {
    return this.#leg.envelope;
  }

  /** How many rounds of questions there have been. */
  get rounds(): number {
    return this.#rounds;
  }

  /** What it waits for, and until when, while it is parked. */
  get waiting(): Omit<Waiting, "resume"> | undefined {
    return this.#waiting;
  }

  /** Whether it waits for the answers that come with this state. */
  isAt({ handle }: State): boolean {
    return this.#waiting?.handle === handle;
  }

  /** Whether the run has gone on elsewhere: by this state, it has been asked more than here, or the same there. */
  isBehind(state: State): boolean {
    const isHere = this.#waiting === undefined || this.isAt(state);
    return this.#rounds < state.round || (this.#rounds === state.round && !isHere);
  }

  tell(notification: Notification): void | Promise<void> {
    return this.#leg.tell(notification);
  }

  /** Performs the call. What comes of it ends the request that is being answered by then. */
  begin(perform: () => Wire | Promise<Wire>): Promise<void> {
    this.#perform = (async () => {
      try {
        const result = await perform();
        this.#leg.finish(result);
      } catch (error) {
        this.#leg.fail(error);
      }
    })();
    return this.#perform;
  }

  /** Ends the request with questions, and waits for the one that brings the answers. */
  park(round: Round, requests: { readonly [key: string]: InputRequest }, carried: Carried): Promise<Replies> {
    const questions = digestOf(round);
    const until = this.#place.lastMoment(round);
    const handle = randomInt(MOST_HANDLES);
    const state = { run: this.call.runId, round: this.#rounds + 1, handle, questions, until, ...carried };
    const sealed = this.#place.seal(state, this.call);
    this.#place.admit(this, until);
    this.#rounds += 1;
    return new Promise((resume) => {
      this.#waiting = { round, handle, until, isReplayable: carried.journal !== undefined, resume };
      this.#leg.finish(inputRequiredResult(requests, sealed));
    });
  }

  /** Ends the request that brought a state with what is wrong with its answers, and waits for others at that state. */
  refuse(error: unknown, round: Round, { handle, until }: State): Promise<Replies> {
    this.#place.admit(this, until);
    return new Promise((resume) => {
      this.#waiting = { round, handle, until, isReplayable: true, resume };
      this.#leg.refuse(error);
    });
  }

  /** Goes on with answers, for another request. */
  resume(leg: Leg, replies: Replies): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#leg = leg;
    this.#carriedBy(leg);
    waiting?.resume(replies);
  }

  #carriedBy(leg: Leg): void {
    leg.onAbandoned = () => void this.close(new RunCancelled("The client cancelled the call."));
  }

  async close(reason: unknown): Promise<void> {
    await this.onClose(reason);
    // Whoever waits for answers finds the run closed.
    this.#waiting?.resume({});
    this.#waiting = undefined;
    await this.#perform;
  }
}
