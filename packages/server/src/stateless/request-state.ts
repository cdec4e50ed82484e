/**
 * What a client carries for a run between two requests: `requestState`.
 *
 * It is sealed, and bound to the call it belongs to: the method, what is called, the arguments, and who calls. What was
 * changed, has expired, or comes with another call does not open, and the client is not told which of these it was.
 */
import type { JournalEntry } from "@photon/core";
import type { SealedBox } from "../crypto/sealed-box.ts";
import { INVALID_PARAMS, RpcError } from "../jsonrpc/errors.ts";
import type { Params } from "../jsonrpc/messages.ts";
import { CompactMap } from "../util/compact-map.ts";
import { canonicalOf, digestText } from "../crypto/digest.ts";

export interface RequestState {
  /** The id of the run. */
  readonly run: string;
  /** Which round of its questions this is, from 1; 0 before the first. */
  readonly round: number;
  /** How many of them there were before this call: clients count those of one call. Below 0 where requests without questions count too. */
  readonly roundsBefore?: number | undefined;
  /** What was called, where another call continues it and the journal is all there is of it. */
  readonly called?: Params | undefined;
  /** Tells apart where one run waits for the same answers twice: a request that was lost was sent again, elsewhere. */
  readonly handle: number;
  /** A digest of the questions. */
  readonly questions: string;
  /** Until when it is good. */
  readonly until: number;
  /** When the questions were sent. The state is sealed: a client cannot make a reply look quicker or slower than it was. */
  readonly asked?: number | undefined;
  /** The last progress that was told, if there was any. */
  readonly progress?: number | undefined;
  /** What a durable tool is replayed from, where its client carries it. */
  readonly journal?: readonly JournalEntry[] | undefined;
  /** The process that alone has the call, where there are others. */
  readonly process?: string | undefined;
  /** How many records the log of the run has, where a store keeps it: an answer to this is the next of them. */
  readonly logged?: number | undefined;
  /** Answers that a request brought before the server stopped: the next request need not bring them again. */
  readonly brought?: { readonly [key: string]: unknown } | undefined;
  /** When those arrived. */
  readonly answeredAt?: number | undefined;
}

/** What a state is bound to: the same text for the same content. A body may change what it was given: it is made before. */
export function bindingOf(method: string, params: Params, principal: string): string {
  const { name, uri, arguments: given } = params;
  return canonicalOf([method, name, uri, given, principal]);
}

export const invalidState = (): RpcError => new RpcError(INVALID_PARAMS, "Invalid or expired requestState.");

export const callGone = (): RpcError =>
  new RpcError(
    INVALID_PARAMS,
    "The call that this requestState belongs to is over; call again from the start.",
  );

/**
 * Encrypts and decrypts `requestState`. The last states are cached by their exact text and binding, so that the usual retry needs
 * no decryption; every other state is decrypted and verified.
 */

/** The number of cached states. */
const REMEMBERED = 1000;

interface Sealed {
  readonly state: RequestState;
  /** A digest of what it is bound to. */
  readonly binding: string;
}

export class RequestStateCodec {
  readonly #sealer: SealedBox;
  /** By what clients carry. */
  readonly #remembered = new CompactMap<string, Sealed>();

  constructor(sealer: SealedBox) {
    this.#sealer = sealer;
  }

  /** Seals a state, which opens only with the same binding. */
  seal(state: RequestState, binding: string): string {
    const sealed = this.#sealer.encrypt(JSON.stringify(state), binding);
    // A journal may be long, and grows; answers may be long, too.
    if (state.journal === undefined && state.brought === undefined)
      this.#remember(sealed, { state, binding: digestText(binding) });
    return sealed;
  }

  /** Opens what a client gave back. */
  open(given: unknown, binding: string, now: number): RequestState {
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
  #known(sealed: string, binding: string): RequestState | undefined {
    const one = this.#remembered.get(sealed);
    if (one?.binding !== digestText(binding)) return undefined;
    this.#remembered.delete(sealed);
    return one.state;
  }

  #read(sealed: string, binding: string): RequestState | undefined {
    const text = this.#sealer.decrypt(sealed, binding);
    // What opens was sealed here, or by a process with the same keys.
    return text === undefined ? undefined : (JSON.parse(text) as RequestState);
  }
}
