/**
 * Seals states for clients to carry, and opens what they give back.
 *
 * The last of them are remembered: what comes back to the letter, and with the call that it is bound to, opens, and need not
 * be opened to know that. Everything else is.
 */
import type { Sealer } from "../seal.ts";
import { digestOf, invalidState, type State } from "./state.ts";

/** At least so many are remembered, and at most twice as many. */
const REMEMBERED = 512;

interface Sealed {
  readonly state: State;
  /** A digest of what it is bound to. */
  readonly binding: string;
}

export class States {
  readonly #sealer: Sealer;
  /** By what clients carry. The older ones are forgotten together. */
  #newer = new Map<string, Sealed>();
  #older = new Map<string, Sealed>();

  constructor(sealer: Sealer) {
    this.#sealer = sealer;
  }

  /** Seals a state, which opens only with the same binding. */
  seal(state: State, binding: string): string {
    const sealed = this.#sealer.seal(JSON.stringify(state), binding);
    // A journal may be long, and goes on to be written.
    if (state.journal === undefined) this.#remember(sealed, { state, binding: digestOf(binding) });
    return sealed;
  }

  /** Opens what a client gave back. */
  open(given: unknown, binding: string, now: number): State {
    const state =
      typeof given === "string" ? (this.#known(given, binding) ?? this.#read(given, binding)) : undefined;
    if (state === undefined || state.until <= now) throw invalidState();
    return state;
  }

  #remember(sealed: string, one: Sealed): void {
    if (this.#newer.size >= REMEMBERED) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(sealed, one);
  }

  /** What was sealed, if that is remembered. It seldom comes twice. */
  #known(sealed: string, binding: string): State | undefined {
    const one = this.#newer.get(sealed) ?? this.#older.get(sealed);
    if (one?.binding !== digestOf(binding)) return undefined;
    if (!this.#newer.delete(sealed)) this.#older.delete(sealed);
    return one.state;
  }

  #read(sealed: string, binding: string): State | undefined {
    const text = this.#sealer.open(sealed, binding);
    // What opens was sealed here, or by somebody with the same keys.
    return text === undefined ? undefined : (JSON.parse(text) as State);
  }
}
