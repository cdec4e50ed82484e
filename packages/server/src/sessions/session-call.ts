/**
 * A request of a client's, on its way to its answer.
 *
 * What runs a body is performed from question to question. While one is open it is a paused object: nothing waits
 * inside of it, and it goes on when it hears the reply.
 */
import type { Replies, Round } from "@photon/core";
import type { CallRunner } from "../calls/call-runner.ts";
import type { Request, RequestId, Response, JsonObject } from "../jsonrpc/messages.ts";
import { hasClientElsewhere, asRetryable, isMoved } from "../jsonrpc/errors.ts";
import { driveCall } from "../durable/drive-call.ts";
import type { Respond } from "./session.ts";
import type { ReplyListener, SessionClient } from "./session-client.ts";

/** What a call needs of the session it belongs to. */
interface CallOwner {
  /** The call has come to its end; nobody is told, where there is no response. */
  onCallEnded(call: SessionCall, response: Response | undefined): void;
  /** What the client is told of an error, if it still waits. */
  onCallFailed(call: SessionCall, error: unknown): Response | undefined;
  /** Another process has continued the run: the call continues from its log, for the client that waits here. */
  follow(call: SessionCall, clientPort: SessionClient): void;
  /** Another process continues the run, because its client has come back there. */
  onCallMoved(id: RequestId): void;
}

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
  readonly #caller: CallOwner;
  #runner: CallRunner | undefined;

  constructor({ id, method }: Pick<Request, "id" | "method">, answer: Respond, caller: CallOwner) {
    this.id = id;
    this.isCancellable = method !== "initialize";
    this.answer = answer;
    this.#caller = caller;
  }

  /** Ends with a result. */
  async respondWith(given: JsonObject | Promise<JsonObject>): Promise<void> {
    let response: Response | undefined;
    try {
      response = { jsonrpc: "2.0", id: this.id, result: await given };
    } catch (error) {
      response = this.#caller.onCallFailed(this, error);
    }
    this.#caller.onCallEnded(this, response);
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
      const reading = clientPort?.settled(result);
      if (reading !== undefined) await reading;
      this.#caller.onCallEnded(this, { jsonrpc: "2.0", id, result });
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
    if (hasClientElsewhere(error) && !this.isCancelled) return this.#caller.onCallMoved(this.id);
    // An interrupted run has not ended: its body must not be closed.
    if (asRetryable(error) !== undefined) await clientPort?.drop();
    await runner.close();
    if (clientPort?.durable !== undefined && isMoved(error) && !this.isCancelled)
      return this.#caller.follow(this, clientPort);
    await clientPort?.durable?.fail(error);
    this.#caller.onCallEnded(this, this.#caller.onCallFailed(this, error));
  }
}
