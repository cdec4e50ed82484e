/**
 * Effects in, questions out.
 *
 * Performs the emits and steps, checks the answers, and lets through only what
 * needs somebody else: rounds of questions. A waiting run is a paused generator.
 *
 *   1. The body is resumed only here, one effect at a time.
 *   2. An answer reaches the body only after `checkAnswer` let it through, and after the journal has it.
 *   3. There are no timers: rounds carry their deadlines.
 *   4. Closing the run closes the body: its `finally` blocks have their turn. Detaching the run does not: the step under
 *      way ends and is recorded, and the body stays where it is.
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
} from "../effects.ts";
import { InvalidAsk, ReplayDiverged } from "../errors.ts";
import { replayReplies, applyReplies, appendEntry } from "./replies.ts";
import { KeyAllocator } from "./journal.ts";
import { UnyieldedEffects } from "../unyielded-effects.ts";
import { runStep } from "./step-runner.ts";
import { isAskEffect, parseEffect } from "./parse-effect.ts";
import { emptyReplay, Replay } from "./replay.ts";
import { QuestionRound, type Resume } from "./question-round.ts";
import { testEnvironment as wholeWorld, type RunEnvironment } from "./environment.ts";

/** How many effects are performed, or replies heard, before everybody else has a turn. */
const EFFECTS_PER_TICK = 256;

/** A body that yields more than this while it is being closed has had its turn. */
const MAX_YIELDS_IN_FINALLY = 1000;

const NONE: ReadonlySet<string> = new Set();

const NOTHING: Resume = { value: undefined };

/** Interprets a body in a world of which only a part is given. */
export function interpret<Result>(
  body: Body<Result>,
  given: Partial<RunEnvironment> = {},
): AsyncGenerator<Round, Result, Replies | undefined> {
  return interpretIn(wholeWorld(given), body);
}

export async function* interpretIn<Result>(
  world: RunEnvironment,
  body: Body<Result>,
): AsyncGenerator<Round, Result, Replies | undefined> {
  const scene = new InterpreterState(world);
  let resume: Resume = NOTHING;
  let ended = false;
  try {
    if (scene.isNew) await scene.begin();
    for (;;) {
      const next = await scene.advance(body, resume);
      if (next.done === true) {
        ended = true;
        scene.endBody();
        return next.value;
      }
      try {
        const effect = scene.read(next.value);
        if (isAskEffect(effect)) {
          const round = scene.ask(effect);
          if (world.journal !== undefined) await scene.loadRound(round);
          let { answer } = round;
          while (answer === undefined) answer = await scene.applyReplies(round, yield scene.redacted(round));
          resume = answer;
        } else {
          const performing = scene.perform(effect);
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
    const { closing } = scene.world;
    if (error.isDetached) closing.detach(error.reason);
    else closing.cancel(error.reason);
    throw error.reason;
  } finally {
    if (!ended) await close(body, scene);
  }
}

function resumed<Result>(body: Body<Result>, resume: Resume): Promise<IteratorResult<unknown, Result>> {
  return "error" in resume ? body.throw(resume.error) : body.next(resume.value);
}

/** Ends the body. What it yields on the way is performed, except that nobody is asked anything any more. */
async function close(body: Body<unknown>, scene: InterpreterState): Promise<void> {
  const { closing } = scene.world;
  // Does not call `body.return()`: `finally` would run although the run continues in another process.
  if (closing.stop?.isDetached === true) return void (await scene.whenStepDone);
  try {
    // Not before the step under way has ended: a `finally` block may take away what it works with.
    if (scene.whenStepDone !== undefined) await closing.raceForced(scene.whenStepDone).catch(() => {});
    let next: IteratorResult<unknown, unknown> = await closing.raceForced(body.return(undefined));
    for (let yields = 0; next.done !== true && yields < MAX_YIELDS_IN_FINALLY; yields++) {
      const resume = await closing.raceForced(scene.performClosing(next.value));
      next = await closing.raceForced(resumed(body, resume));
    }
  } catch (error) {
    if (!(error instanceof StopSignal)) scene.world.report(error);
  }
}

/** What one run knows of itself: its names, its journal, what it has told. */
class InterpreterState {
  readonly world: RunEnvironment;
  /** Settles when the last step has ended, if there was one. */
  whenStepDone: Promise<unknown> | undefined;
  readonly #keys = new KeyAllocator();
  readonly #made = new UnyieldedEffects();
  readonly #replay: Replay;
  /** The secrets of the round that is open which were given before, and are gone. */
  #forgotten = NONE;
  #emits = 0;
  #breaths = 0;

  constructor(world: RunEnvironment) {
    const { journal } = world;
    this.world = world;
    this.#replay = journal === undefined ? emptyReplay : new Replay(journal.entries, world);
  }

  get emits(): number {
    return this.#emits;
  }

  /** Whether nothing is written yet where it is to be written how the run began. */
  get isNew(): boolean {
    const { journal, started } = this.world;
    return started !== undefined && journal?.entries.length === 0;
  }

  async begin(): Promise<void> {
    const { started } = this.world;
    if (started !== undefined) await appendEntry(this.world, started);
  }

  /** The body's next effect, or its end; unless the run is closed first. */
  advance<Result>(body: Body<Result>, resume: Resume): Promise<IteratorResult<unknown, Result>> {
    return this.#breathe()?.then(() => this.#resume(body, resume)) ?? this.#resume(body, resume);
  }

  /** What the body yielded, as an effect. Throws where one that it made before was forgotten. */
  read(yielded: unknown): Effect {
    const effect = isBuilt(yielded) ? yielded : this.#made.reading(parseEffect, yielded);
    this.#made.yielded(yielded, effect);
    return effect;
  }

  /** The body has returned: its journal must have ended, too, and all that it made must have been yielded. */
  endBody(): void {
    this.#replay.end();
    this.#made.ended();
  }

  takeStep(key: string): ReturnType<Replay["takeStep"]> {
    return this.#replay.takeStep(key);
  }

  /** Performs an emit or a step, unless the run is closed meanwhile. An emit that is shown at once is nothing to wait for. */
  perform(effect: Exclude<Effect, AskEffect>): Promise<unknown> | undefined {
    const { closing } = this.world;
    if (effect.emit !== "step") {
      const showing = this.#show(effect);
      return showing && closing.raceCancelled(showing, this.world);
    }
    const stepping = runStep(effect, this.#keys.ofStep(effect.name), this);
    this.whenStepDone = stepping.catch(() => {});
    return closing.raceCancelled(stepping);
  }

  /** Performs what a body yields while it is being closed. Its questions are cancelled, and put to nobody. */
  async performClosing(yielded: unknown): Promise<Resume> {
    try {
      const effect = parseEffect(yielded);
      if (isAskEffect(effect)) return await this.#cancel(effect);
      if (effect.emit !== "step") return await this.#showClosing(effect);
      const reason = this.world.closing.stop?.reason;
      // A body that has lost its way must not do anything more.
      if (reason instanceof ReplayDiverged) return { error: reason };
      return { value: await runStep(effect, this.#keys.ofStep(effect.name), this) };
    } catch (error) {
      return { error: error instanceof StopSignal ? error.reason : error };
    }
  }

  /** Opens a round of questions. */
  ask(asking: AskEffect): QuestionRound {
    const { world } = this;
    const round = new QuestionRound(asking, this.#keys, world.askTimeout);
    this.#refuseSecretKeys(round);
    if (world.journal === undefined) round.openAt(world.now());
    return round;
  }

  /** Finds a round in the journal, with what was replied to it; one that is new is written there. */
  async loadRound(round: QuestionRound): Promise<void> {
    const { world } = this;
    const recorded = this.#replay.takeRound(round);
    const at = recorded?.at ?? world.now();
    const writing =
      recorded === undefined ? appendEntry(world, { asked: round.asked, at, emits: this.#emits }) : undefined;
    if (writing !== undefined) await writing;
    round.openAt(at);
    this.#forgotten = await replayReplies(round, this.#replay, world);
    if (this.#forgotten.size > 0) round.openAt(world.now());
  }

  /** The questions of a round that are open, as whoever is asked may see them. */
  redacted({ open }: QuestionRound): Round {
    const { secrets } = this.world;
    return !secrets.isEmpty && secrets.contains(open) ? secrets.redact(open) : open;
  }

  /** Tells a round what a host replied; what the body is resumed with, once that is known. */
  applyReplies(round: QuestionRound, replies: Replies = {}): Promise<Resume | undefined> {
    const hear = (): Promise<Resume | undefined> =>
      applyReplies(round, replies, this.#forgotten, this.#replay, this.world);
    return this.#breathe()?.then(hear) ?? hear();
  }

  #resume<Result>(body: Body<Result>, resume: Resume): Promise<IteratorResult<unknown, Result>> {
    const { closing } = this.world;
    if (closing.stop !== undefined) throw closing.stop;
    return closing.raceCancelled(this.#made.during(resumed<Result>, body, resume));
  }

  /** A body that only ever yields, or a question that is asked for ever, would keep everybody else from having a turn. */
  #breathe(): Promise<void> | undefined {
    this.#breaths += 1;
    if (this.#breaths % EFFECTS_PER_TICK !== 0) return undefined;
    return this.world.closing.raceCancelled(this.world.yieldToEventLoop());
  }

  async #cancel(asking: AskEffect): Promise<Resume> {
    const round = new QuestionRound(asking, this.#keys, undefined);
    const now = this.world.now();
    round.openAt(now);
    for (const key of Object.keys(round.open)) await round.applyReply(key, { action: "cancel" }, now);
    return round.answer ?? { value: undefined };
  }

  /** A key is seen by whoever is asked, and by whoever reads the journal. */
  #refuseSecretKeys(round: QuestionRound): void {
    const { secrets } = this.world;
    if (secrets.isEmpty) return;
    const named = round.withKey((key) => secrets.contains(key));
    if (named !== undefined) throw new InvalidAsk(messageOf(named), "its id contains a secret");
  }

  async #showClosing(effect: Emit): Promise<Resume> {
    try {
      await this.#show(effect);
    } catch (error) {
      this.world.report(error);
    }
    return NOTHING;
  }

  /** Shows an emit to whoever watches. They may have a problem, which is reported; the tool has none. */
  #show(effect: Emit): Promise<void> | undefined {
    const { world } = this;
    const clean = world.secrets.redact(effect);
    if (clean.emit === "artifact" || clean.emit === "stream") world.collectOutput(clean);
    this.#emits += 1;
    if (this.#emits <= this.#replay.emits) return undefined;
    try {
      return world.emit(clean) ?? undefined;
    } catch (error) {
      world.report(error);
      return undefined;
    }
  }
}
