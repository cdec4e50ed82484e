/**
 * One question that was sent to the client of a call. It ends once: with the client's reply, at its deadline, or when the server
 * withdraws it. `SessionClient` decides what each of these means.
 *
 * Thousands of questions may be open for days. To save memory, a question has no promise: its owner is called back.
 */
import type { OpenQuestion } from "@photon/core";
import type { RequestId, JsonObject } from "../jsonrpc/messages.ts";
import type { ResponseHandler } from "../jsonrpc/outgoing-requests.ts";
import { type DeadlineEntry, remainingTime } from "../calls/question-deadlines.ts";

/** The call that sent a question. */
export interface QuestionOwner {
  /** The client's request that started the call. */
  readonly request: RequestId;
  onResult(sent: SentQuestion, result: JsonObject): void;
  onError(sent: SentQuestion, error: Error): void;
  onExpired(sent: SentQuestion): void;
}

export class SentQuestion implements ResponseHandler, DeadlineEntry {
  /** The id of the request to the client. The same for the same question of the same run. */
  readonly id: string;
  readonly question: OpenQuestion;
  /** When it was asked, in milliseconds since 1970. */
  readonly at: number;
  /** How much time it had when it was asked; undefined without a limit. */
  readonly remainingMs: number | undefined;
  previous: DeadlineEntry | undefined;
  next: DeadlineEntry | undefined;
  readonly #owner: QuestionOwner;
  #onEnd: (() => void) | undefined;
  #hasEnded = false;

  constructor(id: string, question: OpenQuestion, at: number, owner: QuestionOwner) {
    this.id = id;
    this.question = question;
    this.at = at;
    this.remainingMs = remainingTime(question, at);
    this.#owner = owner;
  }

  get countsAsQuestion(): boolean {
    return true;
  }

  get about(): RequestId {
    return this.#owner.request;
  }

  get deadline(): number {
    return this.at + (this.remainingMs ?? Number.POSITIVE_INFINITY);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  onResult(result: JsonObject): void {
    this.#owner.onResult(this, result);
  }

  onError(error: Error): void {
    this.#owner.onError(this, error);
  }

  onExpired(): void {
    this.#owner.onExpired(this);
  }

  /** Calls `stop` when the question ends. */
  onEnd(stop: () => void): void {
    const others = this.#onEnd;
    this.#onEnd =
      others === undefined
        ? stop
        : () => {
            others();
            stop();
          };
  }

  end(): void {
    this.#hasEnded = true;
    this.#onEnd?.();
  }
}
