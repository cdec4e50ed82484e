/**
 * One call on its way: input → run → what it tells → what it asks → result.
 *
 * It is the same for tools, prompts and resources, and for every revision. Whoever performs it puts its questions to
 * somebody, and goes on with the replies. Between two rounds it is a paused object: nothing waits inside of it.
 *
 *   1. A body that demands a visit elsewhere begins again once that was made.
 *   2. What is thrown on the way becomes what its kind makes of it.
 */
import {
  ask,
  start,
  UrlRequired,
  type Ended,
  type Replies,
  type Round,
  type Run,
  type Runnable,
  type Turn,
} from "@photon/core";
import { Auditor } from "./audit.ts";
import { CallOptions } from "./call-options.ts";
import type { Ask, Front } from "./front.ts";
import type { Wire } from "./jsonrpc/messages.ts";
import { interruptionOf } from "./jsonrpc/errors.ts";

/** What a call has come to: something to ask, or its result. */
export type Stage = { readonly round: Round } | { readonly result: Wire };

export interface Performance {
  /** Goes on until there is something to ask, or to the end. */
  next(replies?: Replies): Promise<Stage>;
  /** It is given up where it is. Settles when the body has ended. */
  close(): Promise<void>;
  /** Stops without closing the body: the run has not ended. */
  detach(): Promise<void>;
}

/** What is done before and after the run of something, by what it is. */
export interface Kind<Definition, Given, Input, Result> {
  /** The input of the body. */
  read(definition: Definition, given: Given): Input | Promise<Input>;
  /** What the body returned, as the client is told. */
  spell(ended: Ended<Result>, definition: Definition, given: Given, front: Front): Wire | Promise<Wire>;
  /** What the client is told of an error. Throws where no result says it. */
  fail(error: unknown, front: Front): Wire;
}

/** Performs a call to its end, with somebody who is asked on the way. */
export async function performed(performance: Performance, askThem: Ask): Promise<Wire> {
  try {
    let stage = await performance.next();
    while ("round" in stage) stage = await performance.next(await askThem(stage.round));
    return stage.result;
  } catch (error) {
    if (interruptionOf(error) !== undefined) await performance.detach();
    throw error;
  } finally {
    await performance.close();
  }
}

/** The question whether somebody goes where a body wants them first. */
interface Visit {
  readonly demand: UrlRequired;
  readonly run: Run<boolean>;
}

export class LivePerformance<
  Definition extends Runnable<Input, Result>,
  Given,
  Input,
  Result,
> implements Performance {
  readonly #kind: Kind<Definition, Given, Input, Result>;
  readonly #definition: Definition;
  readonly #given: Given;
  readonly #front: Front;
  #run: Run<Result> | undefined;
  #visit: Visit | undefined;
  #auditor: Auditor | undefined;
  /** What was asked last, where it is audited. */
  #round: Round | undefined;

  /** Nothing happens before its first `next()`. */
  constructor(
    kind: Kind<Definition, Given, Input, Result>,
    definition: Definition,
    given: Given,
    front: Front,
  ) {
    this.#kind = kind;
    this.#definition = definition;
    this.#given = given;
    this.#front = front;
  }

  async next(replies?: Replies): Promise<Stage> {
    if (this.#visit !== undefined) return this.#goOnVisiting(this.#visit, replies);
    try {
      this.#run ??= this.#start(this.#definition, await this.#kind.read(this.#definition, this.#given));
      this.#hear(this.#run, replies);
      const turn = this.#reached(await this.#run.next(replies));
      if (!turn.done) return { round: turn.round };
      return { result: await this.#kind.spell(turn, this.#definition, this.#given, this.#front) };
    } catch (error) {
      return error instanceof UrlRequired && this.#front.visits ? this.#sendTo(error) : this.#failed(error);
    }
  }

  async close(): Promise<void> {
    await (this.#visit?.run ?? this.#run)?.close();
    this.#front.ended?.();
  }

  async detach(): Promise<void> {
    await (this.#visit?.run ?? this.#run)?.detach();
  }

  /** Asks somebody to go where the body wants them first. */
  #sendTo(demand: UrlRequired): Promise<Stage> {
    this.#front.ended?.();
    this.#run = undefined;
    this.#visit = { demand, run: this.#start(visitTo(demand), undefined as never) };
    return this.#goOnVisiting(this.#visit);
  }

  async #goOnVisiting({ demand, run }: Visit, replies?: Replies): Promise<Stage> {
    let hasBeen: boolean;
    try {
      this.#hear(run, replies);
      const turn = this.#reached(await run.next(replies));
      if (!turn.done) return { round: turn.round };
      hasBeen = turn.value;
    } catch (error) {
      return this.#failed(error);
    }
    this.#visit = undefined;
    return hasBeen ? this.next() : this.#failed(demand);
  }

  #failed(error: unknown): Stage {
    const front = this.#front;
    front.ended?.();
    return { result: this.#kind.fail(front.refusal(error) ?? error, front) };
  }

  /** Audits what was replied to the last round. A run that is not audited may never need its id. */
  #hear(run: Run<unknown>, replies?: Replies): void {
    if (this.#round !== undefined && replies !== undefined)
      this.#auditor?.hear(run.id, this.#round, replies, this.#front.via);
    this.#round = undefined;
  }

  #reached<Returned>(turn: Turn<Returned>): Turn<Returned> {
    if (turn.done) this.#front.ended?.();
    else if (this.#auditor !== undefined) this.#round = turn.round;
    return turn;
  }

  #start<Needed, Returned>(definition: Runnable<Needed, Returned>, input: Needed): Run<Returned> {
    const { settings, principal, client } = this.#front;
    const { audit, clock } = settings;
    this.#auditor =
      audit && new Auditor(audit, { tool: definition.name ?? "", input, principal, client, clock });
    const run = start(definition, input, new CallOptions(definition, this.#front, this.#auditor));
    this.#front.started(run);
    return run;
  }
}

/** Asks a person to go where they are needed first; whether they will. */
function visitTo({ urls }: UrlRequired): Runnable<never, boolean> {
  const asks = Object.fromEntries(
    urls.map(({ message, url }, index) => [`url-${index + 1}`, ask.url(message, url)]),
  );
  return {
    async *run() {
      const { action } = yield* ask.outcome(ask.all(asks));
      return action === "accept";
    },
  };
}
