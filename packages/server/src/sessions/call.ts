/**
 * A request of a client's, on its way to its answer.
 *
 * What runs a body is performed from question to question. While one is open it is a paused object: nothing waits
 * inside of it, and it goes on when it hears the reply.
 */
import type { Replies } from "@photon/core";
import type { Performance, Stage } from "../performance.ts";
import type { Request, RequestId, Response, Wire } from "../rpc/message.ts";
import type { Answer } from "./batch.ts";
import type { Hearer, KeptRun } from "./kept-run.ts";
import type { LegacyFront } from "./legacy-front.ts";

/** What a call needs of the session it belongs to. */
interface Caller {
  /** The call has come to its end; nobody is told, where there is no response. */
  ended(call: Call, response: Response | undefined): void;
  /** What the client is told of an error, if it still waits. */
  failure(call: Call, error: unknown): Response | undefined;
}

export class Call implements Hearer {
  readonly id: RequestId;
  /** The one request that a client cannot cancel is `initialize`. */
  readonly isCancellable: boolean;
  /** Takes its answer. */
  readonly answer: Answer;
  isCancelled = false;
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

  hear(replies: Replies): void {
    if (this.#performance !== undefined) void this.#goOn(this.#performance, replies);
  }

  failed(error: unknown): void {
    if (this.#performance !== undefined) void this.#fail(this.#performance, error);
  }

  async #goOn(performance: Performance, replies?: Replies): Promise<void> {
    const { front, id } = this;
    try {
      const known = front?.kept;
      const reached = await (known === undefined
        ? performance.next(replies)
        : known.during(() => performance.next(replies)));
      // The first stage of a run is what makes it one that a store keeps.
      const stage = front?.kept === undefined ? reached : await unanswered(reached, performance, front.kept);
      if ("round" in stage) {
        const keeping = front?.keep(stage.round);
        if (keeping !== undefined) await keeping;
        return front?.ask(stage.round, this);
      }
      const { result } = stage;
      if (front?.kept !== undefined) await front.kept.ended({ result });
      const reading = front?.settled(result);
      if (reading !== undefined) await reading;
      this.#caller.ended(this, { jsonrpc: "2.0", id, result });
    } catch (error) {
      await this.#fail(performance, error);
    }
  }

  async #fail(performance: Performance, error: unknown): Promise<void> {
    const { front } = this;
    await performance.close();
    await front?.kept?.failed(error).catch(front.settings.report);
    this.#caller.ended(this, this.#caller.failure(this, error));
  }
}

/** The first stage from the one that was reached on whose questions nobody has answered by another way. Nobody holds it there. */
async function unanswered(reached: Stage, performance: Performance, kept: KeptRun): Promise<Stage> {
  let stage = reached;
  await kept.rests();
  while ("round" in stage) {
    const known = kept.knownIn(stage.round);
    if (known === undefined) break;
    stage = await kept.during(() => performance.next(known));
  }
  return stage;
}
