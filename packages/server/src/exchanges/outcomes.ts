/**
 * What came of requests that brought a state: given again to whoever brings the same state with the same answers.
 *
 * A client whose connection broke cannot know whether its request was answered, and sends it again. So many are kept, and
 * so many bytes of them, each until its state expires; the oldest go first. But where a state is good for one request only,
 * nothing is given again; and where it could be replayed, that it was used is not forgotten before: who would use one too
 * many is refused.
 */
import { OVER_LIMIT, RpcError } from "../rpc/errors.ts";
import type { Settings } from "../settings.ts";
import { earliest, Expiry } from "../expiry.ts";
import type { Leg } from "./leg.ts";
import type { State } from "./state.ts";

interface Kept {
  /** Nothing, where it has finished and is not given again. */
  leg: Leg | undefined;
  /** How much its outcome weighs, once there is one. */
  bytes: number;
  /** A digest of the answers. */
  readonly answers: string;
  readonly until: number;
  readonly isForgettable: boolean;
}

export class Outcomes {
  readonly #most: number;
  readonly #mostBytes: number;
  readonly #isSingleUse: boolean;
  readonly #byState = new Map<string, Kept>();
  #bytes = 0;
  readonly #expiry: Expiry;

  constructor({ limits, singleUse, clock }: Pick<Settings, "limits" | "singleUse" | "clock">) {
    this.#most = limits.outcomes;
    this.#mostBytes = limits.outcomeBytes;
    this.#isSingleUse = singleUse;
    this.#expiry = new Expiry(clock, (now) => this.#forgetExpired(now));
  }

  find(state: State): Kept | undefined {
    const kept = this.#byState.get(nameOf(state));
    return kept?.leg?.isRefused === true ? undefined : kept;
  }

  /** Keeps what is about to come of a state. */
  keep(state: State, answers: string, leg: Leg): void {
    const { until } = state;
    const isForgettable = !this.#isSingleUse || state.journal === undefined;
    const name = nameOf(state);
    // Behind all others, also where it takes the place of one that broke off.
    this.#forget(name);
    const kept: Kept = { leg, bytes: 0, answers, until, isForgettable };
    this.#byState.set(name, kept);
    for (const [oldest, one] of this.#byState) {
      if (this.#byState.size <= this.#most) break;
      if (one.isForgettable) this.#forget(oldest);
    }
    if (this.#byState.size > this.#most && !isForgettable) {
      this.#forget(name);
      const sentence = `This server remembers ${this.#most} used states already; come back later.`;
      throw new RpcError(OVER_LIMIT, sentence);
    }
    this.#expiry.notBefore(until);
    leg.outcome.then(
      (result) => this.#finished(name, kept, result),
      (error: unknown) => this.#finished(name, kept, String(error)),
    );
  }

  clear(): void {
    this.#byState.clear();
    this.#bytes = 0;
    this.#expiry.stop();
  }

  #finished(name: string, kept: Kept, outcome: unknown): void {
    if (this.#byState.get(name) !== kept || kept.leg?.isRefused === true) return;
    if (this.#isSingleUse) {
      kept.leg = undefined;
      return;
    }
    kept.bytes = bytesOf(outcome);
    this.#bytes += kept.bytes;
    for (const [oldest, one] of this.#byState) {
      if (this.#bytes <= this.#mostBytes) break;
      if (one.bytes > 0) this.#forget(oldest);
    }
  }

  #forget(name: string): void {
    this.#bytes -= this.#byState.get(name)?.bytes ?? 0;
    this.#byState.delete(name);
  }

  #forgetExpired(now: number): number | undefined {
    for (const [name, { until }] of this.#byState) if (until <= now) this.#forget(name);
    return earliest(Array.from(this.#byState.values(), ({ until }) => until));
  }
}

/** As much as it is on the wire. What cannot be sent is an error there, of no length to speak of. */
function bytesOf(outcome: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(outcome));
  } catch {
    return 0;
  }
}

const nameOf = ({ run, round, questions }: State): string => `${run}:${round}:${questions}`;
