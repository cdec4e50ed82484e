/**
 * A request of a client's, on its way to its answer.
 *
 * What runs a body is performed from question to question. While one is open it is a paused object: nothing waits
 * inside of it, and it goes on when it hears the reply.
 */
import type { Replies } from "@photon/core";
import type { Performance } from "../calls/call-runner.ts";
import type { Request, RequestId, Response, Wire } from "../jsonrpc/messages.ts";
import { hasClientElsewhere, interruptionOf, isMoved } from "../jsonrpc/errors.ts";
import type { Answer } from "./session.ts";
import type { Hearer, LegacyFront } from "./session-client.ts";

/** What a call needs of the session it belongs to. */
interface Caller {
  /** The call has come to its end; nobody is told, where there is no response. */
  ended(call: Call, response: Response | undefined): void;
  /** What the client is told of an error, if it still waits. */
  failure(call: Call, error: unknown): Response | undefined;
  /** Another process has continued the run: the call continues from its log, for the client that waits here. */
  follow(call: Call, front: LegacyFront): void;
  /** Another process continues the run, because its client has come back there. */
  movedOn(id: RequestId): void;
}

export class Call implements Hearer {
  readonly id: RequestId;
  /** The one request that a client cannot cancel is `initialize`. */
  readonly isCancellable: boolean;
  /** Takes its answer. */
  readonly answer: Answer;
  isCancelled = false;
  /** How much memory is counted for it, by what its client sent; in bytes. */
  weight = 0;
  /** The client's side of it, where it runs a body. */
  front: LegacyFront | undefined;
  readonly #caller: Caller;
  #performance: Performance | undefined;

  constructor({ id, method }: Pick<Request, "id" | "method">, answer: Answer, caller: Caller) {
    this.id = id;
    this.isCancellable = method !== "initialize";
    this.answer = answer;
    this.#caller = caller;
  }

  /** Ends with a result. */
  async give(given: Wire | Promise<Wire>): Promise<void> {
    let response: Response | undefined;
    try {
      response = { jsonrpc: "2.0", id: this.id, result: await given };
    } catch (error) {
      response = this.#caller.failure(this, error);
    }
    this.#caller.ended(this, response);
  }

  /** Runs a body, and ends with what comes of it. */
  perform(performance: Performance): void {
    this.#performance = performance;
    void this.#goOn(performance);
  }

  /** Leaves the run to other processes. Resolves when the step under way has ended. */
  async detach(reason: Error): Promise<void> {
    await this.front?.detach(reason);
    // The run is stopped by now: this closes pages, and ends what waits inside of the performance.
    await this.#performance?.close();
  }

  hear(replies: Replies): void {
    if (this.#performance !== undefined) void this.#goOn(this.#performance, replies);
  }

  failed(error: unknown): void {
    if (this.#performance !== undefined) void this.#fail(this.#performance, error);
  }

  async #goOn(performance: Performance, replies?: Replies): Promise<void> {
    const { front, id } = this;
    try {
      if (front?.durable !== undefined) await front.durable.acquire();
      let stage = await performance.next(replies);
      while ("round" in stage) {
        const opening = front?.openRound(stage.round);
        const known = opening && (await opening);
        if (known === undefined) return front?.ask(stage.round, this);
        stage = await performance.next(known);
      }
      const { result } = stage;
      if (front?.durable !== undefined) await front.durable.end({ result });
      const reading = front?.settled(result);
      if (reading !== undefined) await reading;
      this.#caller.ended(this, { jsonrpc: "2.0", id, result });
    } catch (error) {
      await this.#fail(performance, error);
    }
  }

  async #fail(performance: Performance, error: unknown): Promise<void> {
    const { front } = this;
    if (hasClientElsewhere(error) && !this.isCancelled) return this.#caller.movedOn(this.id);
    // An interrupted run has not ended: its body must not be closed.
    if (interruptionOf(error) !== undefined) await front?.drop();
    await performance.close();
    if (front?.durable !== undefined && isMoved(error) && !this.isCancelled)
      return this.#caller.follow(this, front);
    await front?.durable?.fail(error);
    this.#caller.ended(this, this.#caller.failure(this, error));
  }
}
