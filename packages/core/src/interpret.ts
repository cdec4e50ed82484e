/**
 * Effects in, questions out.
 *
 * Performs the emits and steps, checks the answers, and lets through only what
 * needs somebody else: rounds of questions. A waiting run is a paused generator.
 *
 *   1. The body is resumed only here, one effect at a time.
 *   2. An answer reaches the body only after `checkAnswer` let it through, and after the journal has it.
 *   3. There are no timers: rounds carry their deadlines.
 *   4. Closing the run closes the body: its `finally` blocks have their turn.
 */
import { Stop } from "./closing.ts";
import type { Asking, Body, Effect, Emit, Replies, Round } from "./effects.ts";
import { ReplayDiverged } from "./errors.ts";
import { hearRecorded, hearReplies, keepEntry } from "./hear-replies.ts";
import { Keys } from "./keys.ts";
import { performStep } from "./perform-step.ts";
import { isAsking, readEffect } from "./read-effect.ts";
import { Replay } from "./replay.ts";
import { QuestionRound, type Resume } from "./round.ts";
import { world as wholeWorld, type World } from "./world.ts";

/** How many effects are performed, or replies heard, before everybody else has a turn. */
const EFFECTS_IN_A_BREATH = 256;

/** A body that yields more than this while it is being closed has had its turn. */
const MOST_YIELDS_IN_FINALLY = 1000;

export async function* interpret<Result>(
  body: Body<Result>,
  given: Partial<World> = {},
): AsyncGenerator<Round, Result, Replies | undefined> {
  const scene = new Scene(wholeWorld(given));
  let resume: Resume = { value: undefined };
  let ended = false;
  try {
    await scene.begin();
    for (;;) {
      const next = await scene.advance(body, resume);
      if (next.done === true) {
        ended = true;
        scene.endReplay();
        return next.value;
      }
      try {
        const effect = readEffect(next.value);
        resume = isAsking(effect) ? yield* scene.settle(effect) : { value: await scene.perform(effect) };
      } catch (error) {
        if (error instanceof Stop) throw error;
        resume = { error };
      }
    }
  } catch (error) {
    ended = !(error instanceof Stop);
    if (!(error instanceof Stop)) throw error;
    scene.world.closing.close(error.reason);
    throw error.reason;
  } finally {
    if (!ended) await close(body, scene);
  }
}

function resumed<Result>(body: Body<Result>, resume: Resume): Promise<IteratorResult<unknown, Result>> {
  return "error" in resume ? body.throw(resume.error) : body.next(resume.value);
}

/** Ends the body. What it yields on the way is performed, except that nobody is asked anything any more. */
async function close(body: Body<unknown>, scene: Scene): Promise<void> {
  const { closing, report } = scene.world;
  try {
    // Not before the step under way has ended: a `finally` block may take away what it works with.
    await closing.unlessAbandoned(scene.whenStepDone).catch(() => {});
    let next: IteratorResult<unknown, unknown> = await closing.unlessAbandoned(body.return(undefined));
    for (let yields = 0; next.done !== true && yields < MOST_YIELDS_IN_FINALLY; yields++) {
      const resume = await closing.unlessAbandoned(scene.performClosing(next.value));
      next = await closing.unlessAbandoned(resumed(body, resume));
    }
  } catch (error) {
    if (!(error instanceof Stop)) report(error);
  }
}

/** What one run knows of itself: its names, its journal, what it has told. */
class Scene {
  readonly world: World;
  /** Settles when the step under way has ended, if there is one. */
  whenStepDone: Promise<unknown> = Promise.resolve();
  readonly #keys = new Keys();
  readonly #replay: Replay;
  #emits = 0;
  #breaths = 0;

  constructor(world: World) {
    this.world = world;
    this.#replay = new Replay(world.journal?.entries ?? [], world.explain);
  }

  get emits(): number {
    return this.#emits;
  }

  /** Writes how the run began, where nothing is written yet. */
  async begin(): Promise<void> {
    const { journal, started } = this.world;
    if (started !== undefined && journal?.entries.length === 0) await keepEntry(this.world, started);
  }

  /** The body's next effect, or its end; unless the run is closed first. */
  async advance<Result>(body: Body<Result>, resume: Resume): Promise<IteratorResult<unknown, Result>> {
    const { closing } = this.world;
    await this.#breathe();
    if (closing.stop !== undefined) throw closing.stop;
    return closing.unlessClosed(resumed(body, resume));
  }

  /** The body has ended; its journal must have, too. */
  endReplay(): void {
    this.#replay.end();
  }

  takeStep(key: string): ReturnType<Replay["takeStep"]> {
    return this.#replay.takeStep(key);
  }

  /** Performs an emit or a step, unless the run is closed meanwhile. */
  perform(effect: Exclude<Effect, Asking>): Promise<unknown> {
    if (effect.emit !== "step") return this.world.closing.unlessClosed(this.#show(effect));
    const stepping = performStep(effect, this.#keys.ofStep(effect.name), this);
    this.whenStepDone = stepping.catch(() => {});
    return this.world.closing.unlessClosed(stepping);
  }

  /** Performs what a body yields while it is being closed. Its questions are cancelled, and put to nobody. */
  async performClosing(yielded: unknown): Promise<Resume> {
    try {
      const effect = readEffect(yielded);
      if (isAsking(effect)) return await this.#cancel(effect);
      if (effect.emit !== "step") return { value: await this.#show(effect) };
      const reason = this.world.closing.stop?.reason;
      // A body that has lost its way must not do anything more.
      if (reason instanceof ReplayDiverged) return { error: reason };
      return { value: await performStep(effect, this.#keys.ofStep(effect.name), this) };
    } catch (error) {
      return { error: error instanceof Stop ? error.reason : error };
    }
  }

  /** Asks, until the body can be resumed. */
  async *settle(asking: Asking): AsyncGenerator<Round, Resume, Replies | undefined> {
    const { journal, now, askTimeout, secrets } = this.world;
    const round = new QuestionRound(asking, this.#keys, askTimeout);
    const recorded = this.#replay.takeRound(round);
    const at = recorded?.at ?? now();
    if (recorded === undefined && journal !== undefined) {
      await keepEntry(this.world, { asked: round.asked, at, emits: this.#emits });
    }
    round.startAt(at);
    const forgotten = await hearRecorded(round, this.#replay, this.world);
    if (forgotten.size > 0) round.startAt(now());
    let { answer } = round;
    while (answer === undefined) {
      await this.#breathe();
      const replies = yield round.open;
      await hearReplies(round, replies ?? {}, forgotten, this.#replay, this.world);
      answer = round.answer;
    }
    for (const secret of round.secrets) secrets.hide(secret.reveal());
    return answer;
  }

  /** A body that only ever yields, or a question that is asked for ever, would keep everybody else from having a turn. */
  async #breathe(): Promise<void> {
    this.#breaths += 1;
    if (this.#breaths % EFFECTS_IN_A_BREATH === 0)
      await this.world.closing.unlessClosed(this.world.breathe());
  }

  async #cancel(asking: Asking): Promise<Resume> {
    const round = new QuestionRound(asking, this.#keys, undefined);
    for (const key of Object.keys(round.open)) await round.tell(key, { action: "cancel" }, this.world.now());
    return round.answer ?? { value: undefined };
  }

  async #show(effect: Emit): Promise<void> {
    const { emit, gather, report, secrets } = this.world;
    const clean = secrets.redact(effect);
    if (clean.emit === "artifact" || clean.emit === "stream") gather(clean);
    this.#emits += 1;
    if (this.#emits <= this.#replay.emits) return;
    try {
      await emit(clean);
    } catch (error) {
      // Whoever watches has a problem; the tool has none.
      report(error);
    }
  }
}
