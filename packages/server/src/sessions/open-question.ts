/**
 * One question that was put to the client of a call. It ends once: by what the client replies, when its time is over, or
 * when the call is closed.
 *
 * It may be open for days, among thousands: nothing waits inside of it.
 */
import type { OpenQuestion, Reply } from "@photon/core";
import type { RequestId, JsonObject } from "../jsonrpc/messages.ts";
import {
  type ResponseHandler,
  ClientError,
  ConnectionClosed,
  RequestCancelled,
} from "../jsonrpc/outgoing-requests.ts";
import { type DeadlineEntry, remainingTime } from "../calls/question-deadlines.ts";
import type { SessionClient } from "./session-client.ts";
import { PageRefused } from "../pages/types.ts";
import { INVALID_PARAMS, METHOD_NOT_FOUND } from "../jsonrpc/errors.ts";

export class SentQuestion implements ResponseHandler, DeadlineEntry {
  /** Never 0, and the same for the same question of the same run. */
  readonly id: string;
  readonly question: OpenQuestion;
  /** When it was asked, in milliseconds since 1970. */
  readonly at: number;
  /** How much time it had then, in milliseconds; undefined without a limit. */
  readonly left: number | undefined;
  previous: DeadlineEntry | undefined;
  next: DeadlineEntry | undefined;
  readonly #client: SessionClient;
  #stop: (() => void) | undefined;
  #isOver = false;

  constructor(id: string, question: OpenQuestion, at: number, client: SessionClient) {
    this.id = id;
    this.question = question;
    this.at = at;
    this.left = remainingTime(question, at);
    this.#client = client;
  }

  get countsAsQuestion(): boolean {
    return true;
  }

  get about(): RequestId {
    return this.#client.request;
  }

  get deadline(): number {
    return this.at + (this.left ?? Number.POSITIVE_INFINITY);
  }

  onExpired(): void {
    this.#client.withdraw(this, { action: "timeout" });
  }

  /** Calls `stop` when the question ends. */
  during(stop: () => void): void {
    const others = this.#stop;
    this.#stop =
      others === undefined
        ? stop
        : () => {
            others();
            stop();
          };
  }

  onResult(result: JsonObject): void {
    this.end(this.#client.parseReply(this, result));
  }

  onError(error: Error): void {
    this.end(this.#client.replyFor(error, this.question), error instanceof ClientError);
  }

  /** What comes later is not heard. */
  end(reply: Reply, isByClient = true): void {
    if (this.#isOver || (isByClient && this.#client.staysOpen(this, reply))) return;
    this.#isOver = true;
    this.#stop?.();
    this.#client.onQuestionEnded(this, reply, isByClient);
  }
}

/** What a client that answers with an error has said. It never becomes an answer. */
export function replyForFailure(error: unknown, report: (error: unknown) => void): Reply {
  if (error instanceof ConnectionClosed || error instanceof RequestCancelled) return { action: "cancel" };
  if (error instanceof PageRefused) return { action: "unsupported", reason: error.reason };
  report(error);
  if (!(error instanceof ClientError)) return { action: "cancel" };
  // -1 is what the specification gives for a person who rejected a request for a sample.
  if (error.code === -1) return { action: "decline" };
  return error.code === METHOD_NOT_FOUND || error.code === INVALID_PARAMS
    ? { action: "unsupported", reason: `the client refused it: ${error.message}` }
    : { action: "cancel" };
}
