/**
 * Seals states for clients to carry, and opens what they give back.
 *
 * The last of them are remembered: what comes back to the letter, and with the call that it is bound to, opens, and need not
 * be opened to know that. Everything else is.
 */
import { Roster } from "../util/compact-map.ts";
import type { Sealer } from "../crypto/sealed-box.ts";
import { digestOf, invalidState, type State } from "./state.ts";

/** So many are remembered. */
const REMEMBERED = 1000;

interface Sealed {
  readonly state: State;
  /** A digest of what it is bound to. */
  readonly binding: string;
}

export class States {
  readonly #sealer: Sealer;
  /** By what clients carry. */
  readonly #remembered = new Roster<string, Sealed>();

  constructor(sealer: Sealer) {
    this.#sealer = sealer;
  }

  /** Seals a state, which opens only with the same binding. */
  seal(state: State, binding: string): string {
    const sealed = this.#sealer.seal(JSON.stringify(state), binding);
    // A journal may be long, and goes on to be written; answers that were brought may be long, too.
    if (state.journal === undefined && state.brought === undefined)
      this.#remember(sealed, { state, binding: digestOf(binding) });
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
    this.#remembered.set(sealed, one);
    const { size, oldest } = this.#remembered;
    if (size > REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
  }

  /** What was sealed, if that is remembered. It seldom comes twice. */
  #known(sealed: string, binding: string): State | undefined {
    const one = this.#remembered.get(sealed);
    if (one?.binding !== digestOf(binding)) return undefined;
    this.#remembered.delete(sealed);
    return one.state;
  }

  #read(sealed: string, binding: string): State | undefined {
    const text = this.#sealer.open(sealed, binding);
    // What opens was sealed here, or by somebody with the same keys.
    return text === undefined ? undefined : (JSON.parse(text) as State);
  }
}
