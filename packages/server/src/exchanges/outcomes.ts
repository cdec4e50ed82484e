/**
 * What came of requests that brought a state: given again to whoever brings the same state with the same answers.
 *
 * A client whose connection broke cannot know whether its request was answered, and sends it again. So many are kept, each
 * until its state expires; the oldest go first. But where a state is good for one request only, and could be replayed,
 * that it was used is not forgotten before: who would use one too many is refused.
 */
import { OVER_LIMIT, RpcError } from "../rpc/errors.ts";
import type { Settings } from "../settings.ts";
import { earliest, Expiry } from "./expiry.ts";
import type { Leg } from "./leg.ts";
import type { State } from "./state.ts";

interface Kept {
  readonly leg: Leg;
  /** A digest of the answers. */
  readonly answers: string;
  readonly until: number;
  readonly isForgettable: boolean;
}

export class Outcomes {
  readonly #most: number;
  readonly #isSingleUse: boolean;
  readonly #byState = new Map<string, Kept>();
  readonly #expiry: Expiry;

  constructor({ limits, singleUse, clock }: Pick<Settings, "limits" | "singleUse" | "clock">) {
    this.#most = limits.outcomes;
    this.#isSingleUse = singleUse;
    this.#expiry = new Expiry(clock, (now) => this.#forgetExpired(now));
  }

  find(state: State): Kept | undefined {
    const kept = this.#byState.get(nameOf(state));
    return kept?.leg.isRefused === true ? undefined : kept;
  }

  /** Keeps what is about to come of a state. */
  keep(state: State, answers: string, leg: Leg): void {
    const { until } = state;
    const isForgettable = !this.#isSingleUse || state.journal === undefined;
    const name = nameOf(state);
    // Behind all others, also where it takes the place of one that broke off.
    this.#byState.delete(name);
    this.#byState.set(name, { leg, answers, until, isForgettable });
    for (const [oldest, kept] of this.#byState) {
      if (this.#byState.size <= this.#most) break;
      if (kept.isForgettable) this.#byState.delete(oldest);
    }
    if (this.#byState.size > this.#most && !isForgettable) {
      this.#byState.delete(name);
      const sentence = `This server remembers ${this.#most} used states already; come back later.`;
      throw new RpcError(OVER_LIMIT, sentence);
    }
    this.#expiry.notBefore(until);
  }

  clear(): void {
    this.#byState.clear();
    this.#expiry.stop();
  }

  #forgetExpired(now: number): number | undefined {
    for (const [name, { until }] of this.#byState) if (until <= now) this.#byState.delete(name);
    return earliest(Array.from(this.#byState.values(), ({ until }) => until));
  }
}

const nameOf = ({ run, round, questions }: State): string => `${run}:${round}:${questions}`;
