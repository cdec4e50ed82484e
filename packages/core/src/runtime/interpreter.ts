/**
 * Drives a body: performs its emits and steps, validates answers, and yields rounds of questions to its host.
 *
 *   1. The body is resumed only here, one effect at a time.
 *   2. An answer reaches the body only after it was validated and the journal has it.
 *   3. There are no timers: rounds carry their deadlines.
 *   4. Closing the run closes the body: its `finally` blocks run. Detaching the run does not: the step in progress completes
 *      and is recorded, and the body stays where it is.
 */
import { isBuilt } from "../effect-builders.ts";
import { RunStopped } from "./cancellation.ts";
import {
  type AskEffect,
  type Body,
  type Effect,
  type Emit,
  messageOf,
  type Replies,
  type Round,
  type Step,
} from "../effects.ts";
import { InvalidAsk, ReplayDiverged } from "../errors.ts";
import { replayReplies, applyReplies } from "./replies.ts";
import { KeyAllocator } from "./journal.ts";
import { UnyieldedEffects } from "../unyielded-effects.ts";
import { runStep } from "./step-runner.ts";
import { isAskEffect, parseEffect } from "./parse-effect.ts";
import { RunJournal } from "./run-journal.ts";
import { QuestionRound, type Resume } from "./question-round.ts";
import { RunEnvironment, type RunOptions } from "./environment.ts";
import { nextMacrotask } from "../util/platform.ts";

/** How many effects and rounds are handled before other work of the process gets a turn of the event loop. */
const EFFECTS_PER_TICK = 256;

/** The most effects that are performed for a body that is being closed. */
const MAX_YIELDS_IN_FINALLY = 1000;

const NOTHING: Resume = { value: undefined };

/** Interprets a body without a definition. */
export function interpret<Result>(
  body: Body<Result>,
  options: RunOptions = {},
): AsyncGenerator<Round, Result, Replies | undefined> {
  return new Interpreter(new RunEnvironment(options), () => body).drive();
}

/** One interpreted body: its keys, its journal, its unyielded effects. */
export class Interpreter<Result> {
  readonly #environment: RunEnvironment;
  /** Undefined before the start, and for a run that is not recorded. */
  #journal: RunJournal | undefined;
  #body: Body<Result> | undefined;
  /** Undefined once the body exists: a suspended run does not retain its input twice. */
  #createBody: (() => Body<Result>) | undefined;
  readonly #keys = new KeyAllocator();
  readonly #unyielded = new UnyieldedEffects();
  /** Resolves when the last step has ended, if there was one. */
  #stepDone: Promise<unknown> | undefined;
  /** How many effects and rounds were handled. */
  #handled = 0;

  /** `createBody` is called when the body is first resumed: a `run` that is not a generator function must not work earlier, either. */
  constructor(environment: RunEnvironment, createBody: () => Body<Result>) {
    this.#environment = environment;
    this.#createBody = createBody;
  }

  /** Yields the rounds of questions, is resumed with replies, and returns what the body returns. */
  async *drive(): AsyncGenerator<Round, Result, Replies | undefined> {
    let resume: Resume = NOTHING;
    let hasEnded = false;
    try {
      const starting = this.#start();
      if (starting !== undefined) await starting;
      for (;;) {
        const next = await this.#advance(resume);
        if (next.done === true) {
          hasEnded = true;
          this.#journal?.assertComplete();
          this.#unyielded.onReturn();
          return next.value;
        }
        try {
          const effect = this.#parse(next.value);
          if (isAskEffect(effect)) {
            const round = this.#createRound(effect);
            if (this.#journal === undefined) round.openAt(this.#environment.clock.now());
            else await this.#recordRound(round, this.#journal);
            let { answer } = round;
            while (answer === undefined)
              answer = await this.#applyReplies(round, yield this.#redacted(round));
            resume = answer;
          } else {
            const performing = this.#perform(effect);
            resume = performing === undefined ? NOTHING : { value: await performing };
          }
        } catch (error) {
          if (error instanceof RunStopped) throw error;
          resume = { error };
        }
      }
    } catch (error) {
      hasEnded = !(error instanceof RunStopped);
      if (!(error instanceof RunStopped)) throw error;
      const { cancellation } = this.#environment;
      if (error.isDetached) cancellation.detach(error.reason);
      else cancellation.cancel(error.reason);
      throw error.reason;
    } finally {
      if (!hasEnded) await this.#close();
    }
  }

  /** The entries that the journal has now are replayed. */
  #start(): Promise<void> | undefined {
    const { journal } = this.#environment;
    this.#journal = journal && new RunJournal(journal, this.#environment);
    return this.#journal?.start();
  }

  /** Resumes the body. Resolves to its next effect, or to its end. */
  #advance(resume: Resume): Promise<IteratorResult<unknown, Result>> {
    return this.#yieldToEventLoop()?.then(() => this.#advanceNow(resume)) ?? this.#advanceNow(resume);
  }

  /** Parses what the body yielded. Throws `UnyieldedEffect` if an effect before it was not yielded. */
  #parse(yielded: unknown): Effect {
    const effect = isBuilt(yielded) ? yielded : this.#unyielded.parse(parseEffect, yielded);
    this.#unyielded.onYield(yielded, effect);
    return effect;
  }

  /** Performs an emit or a step. Undefined for an emit that was shown synchronously. */
  #perform(effect: Exclude<Effect, AskEffect>): Promise<unknown> | undefined {
    const { cancellation } = this.#environment;
    if (effect.emit !== "step") {
      const showing = this.#show(effect);
      return showing && cancellation.raceCancelled(showing);
    }
    const stepping = this.#runStep(effect);
    this.#stepDone = stepping.catch(() => {});
    return cancellation.raceCancelled(stepping);
  }

  #createRound(effect: AskEffect): QuestionRound {
    const { secrets, askTimeout } = this.#environment;
    const round = new QuestionRound(effect, this.#keys, askTimeout);
    // Keys are shown to hosts and written to the journal.
    const revealing = secrets.isEmpty ? undefined : round.findByKey((key) => secrets.contains(key));
    if (revealing !== undefined) throw new InvalidAsk(messageOf(revealing), "its id contains a secret");
    return round;
  }

  /** Opens a round, and reads it and its replies from the journal, or appends it there. */
  async #recordRound(round: QuestionRound, journal: RunJournal): Promise<void> {
    const recorded = journal.nextRound(round);
    const at = recorded?.at ?? this.#environment.clock.now();
    if (recorded === undefined) {
      const writing = journal.append({ asked: round.recordedQuestions, at, emits: journal.emits });
      if (writing !== undefined) await writing;
    }
    round.openAt(at);
    await replayReplies(round, journal, this.#environment);
    if (journal.lostSecrets.size > 0) round.restartTimes(this.#environment.clock.now());
  }

  /** The open questions of a round, without secrets. */
  #redacted({ open }: QuestionRound): Round {
    const { secrets } = this.#environment;
    return !secrets.isEmpty && secrets.contains(open) ? secrets.redact(open) : open;
  }

  /** Applies the host's replies. Resolves to what the body is resumed with, or to nothing while questions are open. */
  #applyReplies(round: QuestionRound, replies: Replies = {}): Promise<Resume | undefined> {
    const apply = (): Promise<Resume | undefined> =>
      applyReplies(round, replies, this.#journal, this.#environment);
    return this.#yieldToEventLoop()?.then(apply) ?? apply();
  }

  /** Ends the body. Emits and steps of its `finally` blocks are performed; questions are cancelled without being asked. */
  async #close(): Promise<void> {
    const { cancellation } = this.#environment;
    // Does not call `body.return()`: `finally` would run although the run continues in another process.
    if (cancellation.stopped?.isDetached === true) return void (await this.#stepDone);
    const body = this.#body;
    if (body === undefined) return;
    try {
      // Waits for the step in progress: a `finally` block may release what it works with.
      if (this.#stepDone !== undefined) await cancellation.raceForced(this.#stepDone).catch(() => {});
      // The value of a body that is closed is not used.
      let next: IteratorResult<unknown, unknown> = await cancellation.raceForced(
        Promise.resolve(body.return(undefined as never)),
      );
      for (let yields = 0; next.done !== true && yields < MAX_YIELDS_IN_FINALLY; yields++) {
        const resume = await cancellation.raceForced(this.#performWhileClosing(next.value));
        next = await cancellation.raceForced(this.#resume(resume));
      }
    } catch (error) {
      if (!(error instanceof RunStopped)) this.#environment.report(error);
    }
  }

  async #performWhileClosing(yielded: unknown): Promise<Resume> {
    try {
      const effect = parseEffect(yielded);
      if (isAskEffect(effect)) return await this.#cancelRound(effect);
      if (effect.emit !== "step") {
        await this.#show(effect);
        return NOTHING;
      }
      const reason = this.#environment.cancellation.stopped?.reason;
      // A body that diverged from its journal must not have further side effects.
      if (reason instanceof ReplayDiverged) return { error: reason };
      return { value: await this.#runStep(effect) };
    } catch (error) {
      return { error: error instanceof RunStopped ? error.reason : error };
    }
  }

  async #cancelRound(effect: AskEffect): Promise<Resume> {
    const round = new QuestionRound(effect, this.#keys, undefined);
    const now = this.#environment.clock.now();
    round.openAt(now);
    for (const key of Object.keys(round.open)) await round.applyReply(key, { action: "cancel" }, now);
    return round.answer ?? NOTHING;
  }

  #advanceNow(resume: Resume): Promise<IteratorResult<unknown, Result>> {
    const { cancellation } = this.#environment;
    if (cancellation.stopped !== undefined) throw cancellation.stopped;
    return cancellation.raceCancelled(this.#unyielded.resume(() => this.#resume(resume)));
  }

  /** `Promise.resolve`: an author may have written a generator that is not async. */
  #resume(resume: Resume): Promise<IteratorResult<unknown, Result>> {
    const body = (this.#body ??= this.#createBody?.() as Body<Result>);
    this.#createBody = undefined;
    return Promise.resolve("error" in resume ? body.throw(resume.error) : body.next(resume.value));
  }

  /** After every EFFECTS_PER_TICK effects: a body that yields without end would otherwise block the event loop. */
  #yieldToEventLoop(): Promise<void> | undefined {
    this.#handled += 1;
    if (this.#handled % EFFECTS_PER_TICK !== 0) return undefined;
    return this.#environment.cancellation.raceCancelled(nextMacrotask());
  }

  #runStep(step: Step): Promise<unknown> {
    return runStep(step, this.#keys.stepKey(step.name), this.#journal, this.#environment);
  }

  /** Shows an emit, unless it was shown before the replay. */
  #show(effect: Emit): Promise<void> | undefined {
    const environment = this.#environment;
    const redacted = environment.secrets.redact(effect);
    if (redacted.emit === "artifact" || redacted.emit === "stream") environment.collectOutput(redacted);
    return this.#journal?.countEmit() === false ? undefined : environment.emit(redacted);
  }
}
