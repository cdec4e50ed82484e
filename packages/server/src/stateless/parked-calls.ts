/** The calls of 2026-07-28, by their runs; where they are parked, and what their clients carry meanwhile. */
import type { WaitingCalls } from "../calls/waiting-calls.ts";
import { CompactMap } from "../util/compact-map.ts";
import { OVER_LIMIT, RpcError } from "../jsonrpc/errors.ts";
import type { Settings } from "../settings.ts";
import type { StatelessCall, RoundAnswers } from "./stateless-call.ts";
import type { RequestState, RequestStateCodec } from "./request-state.ts";
import type { Account } from "../accounts.ts";
import type { RequestAttempt } from "./request-attempt.ts";

/** Which call it is. */
export interface CallRef {
  readonly runId: string;
  readonly principal: string;
  /** What it is counted for. */
  readonly account: Account;
  /** How much memory what its client sent takes, in bytes. */
  readonly weight: number;
  /** What is called, for people. */
  readonly subject: string;
}

/** Continues a call whose run has moved from its log, in a new `StatelessCall`, for the same request and its answers. */
type Follow = (
  attempt: RequestAttempt,
  call: CallRef,
  state: RequestState,
  answers: RoundAnswers | undefined,
) => void;

export class ParkedCalls {
  readonly follow: Follow;
  readonly #settings: Pick<Settings, "limits">;
  readonly #states: RequestStateCodec;
  readonly #waitingCalls: WaitingCalls;
  /** Every call that has asked something or continues from a state, and has not ended: no request can continue any other. */
  readonly #byRun = new CompactMap<string, StatelessCall>();

  constructor(
    settings: Pick<Settings, "limits">,
    states: RequestStateCodec,
    places: WaitingCalls,
    follow: Follow,
  ) {
    this.follow = follow;
    this.#settings = settings;
    this.#states = states;
    this.#waitingCalls = places;
  }

  get all(): readonly StatelessCall[] {
    return this.#byRun.values();
  }

  find(runId: string): StatelessCall | undefined {
    return this.#byRun.get(runId);
  }

  /** Adds a call that continues from a state. */
  add(call: StatelessCall): void {
    this.#byRun.set(call.runId, call);
  }

  /** Parks a call until then; throws where that is new, and there is no place for it. */
  park(call: StatelessCall, until: number): void {
    // A call that continues from a state was entered before.
    const isNew = this.#byRun.get(call.runId) !== call;
    if (isNew) this.#waitingCalls.assertCapacity(call.account);
    this.#waitingCalls.add(call, until);
    if (isNew) this.add(call);
  }

  /** It is over. */
  remove(call: StatelessCall): void {
    const { runId } = call;
    if (this.#byRun.get(runId) === call) this.#byRun.delete(runId);
    this.#waitingCalls.remove(call);
  }

  /** A state for the client to carry, which opens only with the same binding. */
  seal(state: RequestState, { subject }: CallRef, binding: string): string {
    const sealed = this.#states.seal(state, binding);
    const most = this.#settings.limits.stateBytes;
    if (sealed.length <= most) return sealed;
    throw new RpcError(
      OVER_LIMIT,
      `What ${subject} has been told comes to ${sealed.length} bytes, and a client is made to carry at most ${most} (limits.stateBytes). Return less from its steps, or ask less.`,
    );
  }
}
