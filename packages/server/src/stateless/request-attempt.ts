/**
 * One request of a client's, on behalf of which a call goes from one round of questions to the next, or to its end.
 *
 *   1. It ends once, and everybody who waits for it is given the same.
 *   2. It is abandoned when everybody who waited for it has gone. One that has ended never is.
 */
import type { RequestMeta } from "../protocol/request-meta.ts";
import { INVALID_REQUEST, RpcError } from "../jsonrpc/errors.ts";
import type { Notification, Params, JsonObject } from "../jsonrpc/messages.ts";
import type { RequestOutcome, PendingRequest } from "./pending-request.ts";
import type { StatelessCall } from "./stateless-call.ts";

const nothing = (): void => {};

export class RequestAttempt {
  readonly envelope: RequestMeta;
  /** What the states of its call are bound to. */
  readonly binding: string;
  /** How much memory the request takes, in bytes. */
  readonly weight: number;
  readonly params: Params;
  /** When the answers arrived that it brings: before the request, where another process received them first, and stopped. */
  readonly answeredAt: number;
  /** The call that it carries. */
  call: StatelessCall | undefined;
  /** What tells the client to send the request again; used where the server stops before a call carries the request. */
  retry: (() => JsonObject) | undefined;
  /** Called with the outcome, before a request is given it. */
  onOutcome: (outcome: RequestOutcome) => void = nothing;
  /** The request itself, while its client waits. */
  #first: PendingRequest | undefined;
  /** Those who sent the same again, while they wait. */
  #others: Set<PendingRequest> | undefined;
  /** The last request whose client went. It is given the outcome all the same. */
  #last: PendingRequest | undefined;
  #isRefused = false;
  #isEnded = false;

  constructor(
    envelope: RequestMeta,
    binding: string,
    params: Params,
    recipient: PendingRequest,
    answeredAt: number = recipient.receivedAt,
  ) {
    this.envelope = envelope;
    this.binding = binding;
    this.weight = recipient.caller.weight;
    this.params = params;
    this.answeredAt = answeredAt;
    this.#first = recipient;
    recipient.awaiting = this;
  }

  /** Whether every client went before it ended. Its outcome is then not kept. */
  get isAbandoned(): boolean {
    return this.#last !== undefined;
  }

  /** Whether what it brought was no answer: then nothing has come of it. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** One more waits for what comes of it. */
  addDuplicate(recipient: PendingRequest): void {
    this.#others ??= new Set();
    this.#others.add(recipient);
    recipient.awaiting = this;
  }

  /** The last request waits for the end; those before it are answered at once. */
  onRequestGone(recipient: PendingRequest): void {
    if (this.#first === recipient) this.#first = undefined;
    else this.#others?.delete(recipient);
    if (this.#first !== undefined || (this.#others?.size ?? 0) > 0)
      return recipient.fail(new RpcError(INVALID_REQUEST, "The request was cancelled."));
    this.#last = recipient;
    this.call?.onClientGone();
  }

  async stop(reason: Error): Promise<void> {
    if (this.call !== undefined) await this.call.stop(reason);
    else if (this.retry !== undefined) this.#finishWith(this.retry);
  }

  /** Sends a notification to the client of the request. */
  tell(notification: Notification): void | Promise<void> {
    return this.#first?.tell(notification);
  }

  finish(result: JsonObject): void {
    this.#end({ result });
  }

  /** Ends with a result that is made now, or with the error that keeps it from being made. */
  #finishWith(make: () => JsonObject): void {
    let result: JsonObject;
    try {
      result = make();
    } catch (error) {
      return this.fail(error);
    }
    this.finish(result);
  }

  fail(error: unknown): void {
    this.#end({ error });
  }

  refuse(error: unknown): void {
    this.#isRefused = true;
    this.fail(error);
  }

  /** A parked run costs little: it does not retain its requests. */
  #end(outcome: RequestOutcome): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const first = this.#first ?? this.#last;
    const others = this.#others;
    this.#first = undefined;
    this.#others = undefined;
    this.call = undefined;
    this.onOutcome(outcome);
    this.onOutcome = nothing;
    first?.settle(outcome);
    if (others !== undefined) for (const other of others) other.settle(outcome);
  }
}
