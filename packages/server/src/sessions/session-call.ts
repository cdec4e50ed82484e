/**
 * A request of a client's, on its way to its answer.
 *
 * What runs a body is performed from question to question. While one is open it is a paused object: nothing waits
 * inside of it, and it continues with the reply.
 */
import type { Replies, Round } from "@photon/core";
import type { CallRunner } from "../calls/call-runner.ts";
import type { Request, RequestId, Response, JsonObject } from "../jsonrpc/messages.ts";
import { hasClientElsewhere, asRetryable, isMoved } from "../jsonrpc/errors.ts";
import { driveCall } from "../durable/drive-call.ts";
import type { RequestHandler } from "./request-handler.ts";
import type { Respond } from "./session.ts";
import type { ReplyListener, SessionClient } from "./session-client.ts";

export class SessionCall implements ReplyListener {
  readonly id: RequestId;
  /** The one request that a client cannot cancel is `initialize`. */
  readonly isCancellable: boolean;
  /** Takes its answer. */
  readonly answer: Respond;
  isCancelled = false;
  /** How much memory is counted for it, by what its client sent; in bytes. */
  weight = 0;
  /** The client's side of it, where it runs a body. */
  clientPort: SessionClient | undefined;
  readonly #handler: RequestHandler;
  #runner: CallRunner | undefined;

  constructor({ id, method }: Pick<Request, "id" | "method">, answer: Respond, handler: RequestHandler) {
    this.id = id;
    this.isCancellable = method !== "initialize";
    this.answer = answer;
    this.#handler = handler;
  }

  /** Ends with a result. */
  async respondWith(given: JsonObject | Promise<JsonObject>): Promise<void> {
    let response: Response | undefined;
    try {
      response = { jsonrpc: "2.0", id: this.id, result: await given };
    } catch (error) {
      response = this.#handler.onCallFailed(this, error);
    }
    this.#handler.onCallEnded(this, response);
  }

  /** Runs a body, and ends with what comes of it. */
  start(runner: CallRunner): void {
    this.#runner = runner;
    void this.#advance(runner);
  }

  /** Leaves the run to other processes. Resolves when the step under way has ended. */
  async detach(reason: Error): Promise<void> {
    await this.clientPort?.detach(reason);
    // The run is stopped by now: this closes pages, and ends what waits inside of the runner.
    await this.#runner?.close();
  }

  resume(replies: Replies): void {
    if (this.#runner !== undefined) void this.#advance(this.#runner, replies);
  }

  failed(error: unknown): void {
    if (this.#runner !== undefined) void this.#fail(this.#runner, error);
  }

  async #advance(runner: CallRunner, replies?: Replies): Promise<void> {
    const { clientPort, id } = this;
    try {
      const result = await driveCall(runner, clientPort, (round) => this.#ask(round), replies);
      if (result === undefined) return;
      const reading = clientPort?.untilResultMayBeSent(result);
      if (reading !== undefined) await reading;
      this.#handler.onCallEnded(this, { jsonrpc: "2.0", id, result });
    } catch (error) {
      await this.#fail(runner, error);
    }
  }

  /** Asks the client, unless the log has a reply already. */
  #ask(round: Round): undefined | Promise<Replies | undefined> {
    const { clientPort } = this;
    const opening = clientPort?.openRound(round);
    if (opening === undefined) clientPort?.ask(round, this);
    return opening?.then((known) => {
      if (known === undefined) clientPort?.ask(round, this);
      return known;
    });
  }

  async #fail(runner: CallRunner, error: unknown): Promise<void> {
    const { clientPort } = this;
    if (hasClientElsewhere(error) && !this.isCancelled) return this.#handler.onCallMoved(this.id);
    // An interrupted run has not ended: its body must not be closed.
    if (asRetryable(error) !== undefined) await clientPort?.drop();
    await runner.close();
    if (clientPort?.durable !== undefined && isMoved(error) && !this.isCancelled)
      return this.#handler.follow(this, clientPort);
    await clientPort?.durable?.fail(error);
    this.#handler.onCallEnded(this, this.#handler.onCallFailed(this, error));
  }
}
