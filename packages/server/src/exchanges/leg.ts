/**
 * One request of a client's, and what came of it: a run's way from one round of questions to the next, or to its end.
 *
 *   1. It is finished once; whoever asks for its outcome later is given the same.
 *   2. It is abandoned when everybody who waited for it has gone. One that is finished never is.
 */
import type { Envelope } from "../mcp/envelope.ts";
import { INVALID_REQUEST, RpcError } from "../rpc/errors.ts";
import type { Notification, Wire } from "../rpc/message.ts";
import type { Caller } from "../rpc/peer.ts";

export class Leg {
  readonly envelope: Envelope;
  /** Settles with the result of the request. */
  readonly outcome: Promise<Wire>;
  /** The same for whoever sent the request: rejects when they go and others still wait. */
  readonly answer: Promise<Wire>;
  /** Called when nobody waits for it any more. */
  onAbandoned = (): void => {};
  readonly #callers = new Set<Caller>();
  /** Whoever sent the request. */
  #first: Caller | undefined;
  #resolve: (result: Wire) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #isFinished = false;
  #isAbandoned = false;
  #isRefused = false;

  constructor(envelope: Envelope, caller: Caller) {
    this.envelope = envelope;
    this.#first = caller;
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Where everybody has gone, nobody takes it.
    this.outcome.catch(() => {});
    this.answer = this.join(caller);
    this.answer.catch(() => {});
  }

  /** Whether everybody went before it was finished. Whatever comes of it then is nobody's outcome. */
  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** Whether what it brought was no answer: then nothing has come of it. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** One more waits for the outcome. The last to go waits for its end; whoever goes before is not held up by the others. */
  join(caller: Caller): Promise<Wire> {
    if (this.#isFinished) return this.outcome;
    this.#callers.add(caller);
    let letGo: (error: RpcError) => void = () => {};
    const left = new Promise<never>((_, reject) => {
      letGo = reject;
    });
    const leave = (): void => {
      this.#callers.delete(caller);
      if (this.#isFinished) return;
      if (this.#callers.size > 0) return letGo(new RpcError(INVALID_REQUEST, "The request was cancelled."));
      this.#isAbandoned = true;
      this.onAbandoned();
    };
    const { signal } = caller;
    // Told once `onAbandoned` can be there: whoever makes a leg sets it in the same turn.
    if (signal.aborted) queueMicrotask(leave);
    else signal.addEventListener("abort", leave, { once: true });
    const forget = (): void => signal.removeEventListener("abort", leave);
    this.outcome.then(forget, forget);
    return Promise.race([this.outcome, left]);
  }

  /** Tells something on the way, to whoever sent the request. */
  tell(notification: Notification): void | Promise<void> {
    const first = this.#first;
    if (first !== undefined && this.#callers.has(first)) return first.tell(notification);
  }

  finish(result: Wire): void {
    this.#end();
    this.#resolve(result);
  }

  fail(error: unknown): void {
    this.#end();
    this.#reject(error);
  }

  refuse(error: unknown): void {
    this.#isRefused = true;
    this.fail(error);
  }

  /** A parked run costs little: it does not hold on to whoever asked for it. */
  #end(): void {
    this.#isFinished = true;
    this.#callers.clear();
    this.#first = undefined;
    this.onAbandoned = () => {};
  }
}
