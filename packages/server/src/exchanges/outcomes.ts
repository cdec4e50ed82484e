/**
 * What came of requests that brought a state: given again to whoever brings the same state with the same answers.
 *
 * A client whose connection broke cannot know whether its request was answered, and sends it again. So many are kept, each
 * until its state expires; the oldest go first.
 */
import type { Clock } from "@photon/core";
import { earliest, Expiry } from "./expiry.ts";
import type { Leg } from "./leg.ts";
import type { State } from "./state.ts";

interface Kept {
  readonly leg: Leg;
  /** A digest of the answers. */
  readonly answers: string;
  readonly until: number;
}

export class Outcomes {
  readonly #most: number;
  readonly #byState = new Map<string, Kept>();
  readonly #expiry: Expiry;

  constructor(most: number, clock: Clock) {
    this.#most = most;
    this.#expiry = new Expiry(clock, (now) => this.#forgetExpired(now));
  }

  get size(): number {
    return this.#byState.size;
  }

  find(state: State): Kept | undefined {
    return this.#byState.get(nameOf(state));
  }

  /** Keeps what is about to come of a state. */
  keep(state: State, answers: string, leg: Leg): void {
    const name = nameOf(state);
    // Behind all others, also where it takes the place of one that broke off.
    this.#byState.delete(name);
    this.#byState.set(name, { leg, answers, until: state.until });
    for (const oldest of this.#byState.keys()) {
      if (this.#byState.size <= this.#most) break;
      this.#byState.delete(oldest);
    }
    this.#expiry.notBefore(state.until);
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
