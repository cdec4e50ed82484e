/**
 * Drives a body: performs its emits and steps, validates answers, and yields rounds of questions to its host.
 *
 *   1. The body is resumed only here, one effect at a time.
 *   2. An answer reaches the body only after it was validated and the journal has it.
 *   3. There are no timers: rounds carry their deadlines.
 *   4. Closing the run closes the body: its `finally` blocks run. Detaching the run does not: the step in progress completes
 *      and is recorded, and the body stays where it is.
 */
import { isBuilt } from "../asks/yieldable.ts";
import { StopSignal } from "./cancellation.ts";
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
import { replayReplies, applyReplies, appendEntry } from "./replies.ts";
import { KeyAllocator } from "./journal.ts";
import { UnyieldedEffects } from "../unyielded-effects.ts";
import { runStep } from "./step-runner.ts";
import { isAskEffect, parseEffect } from "./parse-effect.ts";
import { emptyReplay, Replay } from "./replay.ts";
import { QuestionRound, type Resume } from "./question-round.ts";
import { type RunEnvironment, completeEnvironment } from "./environment.ts";

/** How many effects and rounds are handled before other work of the process gets a turn of the event loop. */
const EFFECTS_PER_TICK = 256;

/** How many effects of a body that is being closed are performed. */
const MAX_YIELDS_IN_FINALLY = 1000;

const NONE: ReadonlySet<string> = new Set();

const NOTHING: Resume = { value: undefined };

/** Interprets a body in an environment of which only a part is given. */
export function interpret<Result>(
  body: Body<Result>,
  given: Partial<RunEnvironment> = {},
): AsyncGenerator<Round, Result, Replies | undefined> {
  return interpretIn(completeEnvironment(given), body);
}

export async function* interpretIn<Result>(
  environment: RunEnvironment,
  body: Body<Result>,
): AsyncGenerator<Round, Result, Replies | undefined> {
  const state = new InterpreterState(environment);
  let resume: Resume = NOTHING;
  let ended = false;
  try {
    if (state.isNew) await state.recordStart();
    for (;;) {
      const next = await state.advance(body, resume);
      if (next.done === true) {
        ended = true;
        state.assertComplete();
        return next.value;
      }
      try {
        const effect = state.parse(next.value);
        if (isAskEffect(effect)) {
          const round = state.openRound(effect);
          if (environment.journal !== undefined) await state.loadRound(round);
          let { answer } = round;
          while (answer === undefined) answer = await state.applyReplies(round, yield state.redacted(round));
          resume = answer;
        } else {
          const performing = state.perform(effect);
          resume = performing === undefined ? NOTHING : { value: await performing };
        }
      } catch (error) {
        if (error instanceof StopSignal) throw error;
        resume = { error };
      }
    }
  } catch (error) {
    ended = !(error instanceof StopSignal);
    if (!(error instanceof StopSignal)) throw error;
    const { cancellation } = environment;
    if (error.isDetached) cancellation.detach(error.reason);
    else cancellation.cancel(error.reason);
    throw error.reason;
  } finally {
    if (!ended) await close(body, state);
  }
}

function resumeBody<Result>(body: Body<Result>, resume: Resume): Promise<IteratorResult<unknown, Result>> {
  return "error" in resume ? body.throw(resume.error) : body.next(resume.value);
}

/** Ends the body. Emits and steps of its `finally` blocks are performed; questions are cancelled without being asked. */
async function close(body: Body<unknown>, state: InterpreterState): Promise<void> {
  const { cancellation } = state.environment;
  // Does not call `body.return()`: `finally` would run although the run continues in another process.
  if (cancellation.stop?.isDetached === true) return void (await state.whenStepDone);
  try {
    // Waits for the step in progress: a `finally` block may release what it works with.
    if (state.whenStepDone !== undefined) await cancellation.raceForced(state.whenStepDone).catch(() => {});
    let next: IteratorResult<unknown, unknown> = await cancellation.raceForced(body.return(undefined));
    for (let yields = 0; next.done !== true && yields < MAX_YIELDS_IN_FINALLY; yields++) {
      const resume = await cancellation.raceForced(state.performWhileClosing(next.value));
      next = await cancellation.raceForced(resumeBody(body, resume));
    }
  } catch (error) {
    if (!(error instanceof StopSignal)) state.environment.report(error);
  }
}

/** The state of one interpreted body: its keys, its place in the journal, its unyielded effects. */
class InterpreterState {
  readonly environment: RunEnvironment;
  /** Resolves when the last step has ended, if there was one. */
  whenStepDone: Promise<unknown> | undefined;
  readonly #keys = new KeyAllocator();
  readonly #unyielded = new UnyieldedEffects();
  readonly #replay: Replay;
  /** Secrets of the open round that were answered before, and whose values are lost. */
  #lostSecrets = NONE;
  #emits = 0;
  #effects = 0;

  constructor(environment: RunEnvironment) {
    const { journal } = environment;
    this.environment = environment;
    this.#replay = journal === undefined ? emptyReplay : new Replay(journal.entries, environment);
  }

  /** Whether the journal is empty and wants a start entry. */
  get isNew(): boolean {
    const { journal, started } = this.environment;
    return started !== undefined && journal?.entries.length === 0;
  }

  async recordStart(): Promise<void> {
    const { started } = this.environment;
    if (started !== undefined) await appendEntry(this.environment, started);
  }

  /** Resumes the body. Resolves to its next effect, or to its end. */
  advance<Result>(body: Body<Result>, resume: Resume): Promise<IteratorResult<unknown, Result>> {
    return this.#yieldToEventLoop()?.then(() => this.#resume(body, resume)) ?? this.#resume(body, resume);
  }

  /** Parses what the body yielded. Throws `UnyieldedEffect` if an effect before it was not yielded. */
  parse(yielded: unknown): Effect {
    const effect = isBuilt(yielded) ? yielded : this.#unyielded.parse(parseEffect, yielded);
    this.#unyielded.onYield(yielded, effect);
    return effect;
  }

  /** Called when the body has returned: throws if the journal has more entries, or if effects were not yielded. */
  assertComplete(): void {
    this.#replay.assertComplete();
    this.#unyielded.onReturn();
  }

  /** Performs an emit or a step. Undefined for an emit that was shown synchronously. */
  perform(effect: Exclude<Effect, AskEffect>): Promise<unknown> | undefined {
    const { cancellation } = this.environment;
    if (effect.emit !== "step") {
      const showing = this.#show(effect);
      return showing && cancellation.raceCancelled(showing, (error) => this.environment.report(error));
    }
    const stepping = this.#runStep(effect);
    this.whenStepDone = stepping.catch(() => {});
    return cancellation.raceCancelled(stepping);
  }

  async performWhileClosing(yielded: unknown): Promise<Resume> {
    try {
      const effect = parseEffect(yielded);
      if (isAskEffect(effect)) return await this.#cancelRound(effect);
      if (effect.emit !== "step") {
        await Promise.resolve(this.#show(effect)).catch((error: unknown) => this.environment.report(error));
        return NOTHING;
      }
      const reason = this.environment.cancellation.stop?.reason;
      // A body that diverged from its journal must not have further side effects.
      if (reason instanceof ReplayDiverged) return { error: reason };
      return { value: await this.#runStep(effect) };
    } catch (error) {
      return { error: error instanceof StopSignal ? error.reason : error };
    }
  }

  openRound(effect: AskEffect): QuestionRound {
    const { environment } = this;
    const round = new QuestionRound(effect, this.#keys, environment.askTimeout);
    this.#assertNoSecretInKeys(round);
    if (environment.journal === undefined) round.openAt(environment.now());
    return round;
  }

  /** Reads the round and its replies from the journal, or appends it there. */
  async loadRound(round: QuestionRound): Promise<void> {
    const { environment } = this;
    const recorded = this.#replay.nextRound(round);
    const at = recorded?.at ?? environment.now();
    const writing =
      recorded === undefined
        ? appendEntry(environment, { asked: round.asked, at, emits: this.#emits })
        : undefined;
    if (writing !== undefined) await writing;
    round.openAt(at);
    this.#lostSecrets = await replayReplies(round, this.#replay, environment);
    if (this.#lostSecrets.size > 0) round.openAt(environment.now());
  }

  /** The open questions of a round, without secrets. */
  redacted({ open }: QuestionRound): Round {
    const { secrets } = this.environment;
    return !secrets.isEmpty && secrets.contains(open) ? secrets.redact(open) : open;
  }

  /** Applies the host's replies. Resolves to what the body is resumed with, or to nothing while questions are open. */
  applyReplies(round: QuestionRound, replies: Replies = {}): Promise<Resume | undefined> {
    const apply = (): Promise<Resume | undefined> =>
      applyReplies(round, replies, this.#lostSecrets, this.#replay, this.environment);
    return this.#yieldToEventLoop()?.then(apply) ?? apply();
  }

  #resume<Result>(body: Body<Result>, resume: Resume): Promise<IteratorResult<unknown, Result>> {
    const { cancellation } = this.environment;
    if (cancellation.stop !== undefined) throw cancellation.stop;
    return cancellation.raceCancelled(this.#unyielded.resume(resumeBody<Result>, body, resume));
  }

  /** Now and then: a body that yields without end would otherwise block the event loop. */
  #yieldToEventLoop(): Promise<void> | undefined {
    this.#effects += 1;
    if (this.#effects % EFFECTS_PER_TICK !== 0) return undefined;
    return this.environment.cancellation.raceCancelled(this.environment.yieldToEventLoop());
  }

  #runStep(step: Step): Promise<unknown> {
    return runStep(step, this.#keys.stepKey(step.name), this.#replay, this.environment, this.#emits);
  }

  async #cancelRound(effect: AskEffect): Promise<Resume> {
    const round = new QuestionRound(effect, this.#keys, undefined);
    const now = this.environment.now();
    round.openAt(now);
    for (const key of Object.keys(round.open)) await round.applyReply(key, { action: "cancel" }, now);
    return round.answer ?? NOTHING;
  }

  /** Keys are shown to hosts and written to the journal. */
  #assertNoSecretInKeys(round: QuestionRound): void {
    const { secrets } = this.environment;
    if (secrets.isEmpty) return;
    const revealing = round.findByKey((key) => secrets.contains(key));
    if (revealing !== undefined) throw new InvalidAsk(messageOf(revealing), "its id contains a secret");
  }

  /** Shows an emit, unless it was shown before the replay. An error of the host is reported, not thrown into the body. */
  #show(effect: Emit): Promise<void> | undefined {
    const { environment } = this;
    const redacted = environment.secrets.redact(effect);
    if (redacted.emit === "artifact" || redacted.emit === "stream") environment.collectOutput(redacted);
    this.#emits += 1;
    if (this.#emits <= this.#replay.emits) return undefined;
    try {
      return environment.emit(redacted) ?? undefined;
    } catch (error) {
      environment.report(error);
      return undefined;
    }
  }
}
