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
import type { Asking, Body, Effect, Emit, Replies, Reply, Round } from "./effects.ts";
import { ReplayDiverged } from "./errors.ts";
import type { Answered, SecretGiven } from "./journal.ts";
import type { Json } from "./json.ts";
import { Keys } from "./keys.ts";
import { keep, performStep, type StepScene } from "./perform-step.ts";
import { isAsking, readEffect } from "./read-effect.ts";
import { Replay } from "./replay.ts";
import { replyJson } from "./reply.ts";
import { QuestionRound } from "./round.ts";
import { world as wholeWorld, type World } from "./world.ts";

/** How many effects are performed before everybody else has a turn. */
const EFFECTS_IN_A_BREATH = 256;

/** How the body is resumed. */
type Resume = { readonly value: unknown } | { readonly error: unknown };

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
    for (;;) {
      const next = await advance(body, resume, scene.world);
      if (next.done === true) {
        ended = true;
        scene.endReplay();
        return next.value;
      }
      await scene.breathe();
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

async function advance<Result>(
  body: Body<Result>,
  resume: Resume,
  { closing }: World,
): Promise<IteratorResult<unknown, Result>> {
  if (closing.stop !== undefined) throw closing.stop;
  return closing.unlessClosed("error" in resume ? body.throw(resume.error) : body.next(resume.value));
}

/** Ends the body. What it yields on the way is performed, except that nobody is asked anything any more. */
async function close(body: Body<unknown>, scene: Scene): Promise<void> {
  const { closing, report } = scene.world;
  try {
    // Not before the step under way has ended: a `finally` block may take away what it works with.
    await closing.unlessAbandoned(scene.whenStepDone).catch(() => {});
    let next = await closing.unlessAbandoned(body.return(undefined));
    for (let yields = 0; next.done !== true && yields < MOST_YIELDS_IN_FINALLY; yields++) {
      const resume = await closing.unlessAbandoned(scene.performClosing(next.value));
      next = await closing.unlessAbandoned(
        "error" in resume ? body.throw(resume.error) : body.next(resume.value),
      );
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
  #effects = 0;

  constructor(world: World) {
    this.world = world;
    this.#replay = new Replay(world.journal?.entries ?? [], world.explain);
  }

  get emits(): number {
    return this.#emits;
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

  /** Performs what a body yields while it is being closed: off the record, and nobody is asked. */
  async performClosing(yielded: unknown): Promise<Resume> {
    try {
      const effect = readEffect(yielded);
      if (isAsking(effect)) return await this.#cancel(effect);
      if (effect.emit !== "step") return { value: await this.#show(effect) };
      const reason = this.world.closing.stop?.reason;
      // A body that has lost its way must not do anything more.
      if (reason instanceof ReplayDiverged) return { error: reason };
      return { value: await performStep(effect, this.#keys.ofStep(effect.name), offTheRecord(this)) };
    } catch (error) {
      return { error };
    }
  }

  /** Lets other work have its turn now and then: a body that only ever yields would keep it from everybody. */
  async breathe(): Promise<void> {
    this.#effects += 1;
    if (this.#effects % EFFECTS_IN_A_BREATH === 0)
      await this.world.closing.unlessClosed(this.world.breathe());
  }

  /** Asks, until the body can be resumed. */
  async *settle(asking: Asking): AsyncGenerator<Round, Resume, Replies | undefined> {
    const { journal, now, askTimeout } = this.world;
    const round = new QuestionRound(asking, this.#keys, askTimeout);
    const recorded = this.#replay.takeRound(round);
    const at = recorded?.at ?? now();
    if (recorded === undefined && journal !== undefined)
      await this.#keep({ asked: round.asked, at, emits: this.#emits });
    round.startAt(at);
    const forgotten = await this.#tellRecorded(round);
    if (forgotten.size > 0) round.startAt(now());
    while (round.answer === undefined) await this.#tellReplies(round, yield round.open, forgotten);
    for (const [key, secret] of round.secrets) this.world.secrets.put(key, secret.reveal());
    return round.answer;
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
    this.#emits++;
    if (this.#emits <= this.#replay.emits) return;
    try {
      await emit(clean);
    } catch (error) {
      // Whoever watches has a problem; the tool has none.
      report(error);
    }
  }

  /** Tells the round what the journal knows of it. Gives back the secrets that were given and are gone: they stay open. */
  async #tellRecorded(round: QuestionRound): Promise<ReadonlySet<string>> {
    const { secrets, now } = this.world;
    const forgotten = new Set<string>();
    while (round.answer === undefined) {
      const entry = this.#replay.takeAnswer(round, forgotten.size > 0);
      if (entry === undefined) break;
      const reply = recordedReply(entry, secrets.get(secretKey(entry.key, round.attemptAt(entry.key))));
      if (reply === undefined) forgotten.add(entry.key);
      else await round.tell(entry.key, reply, now());
    }
    this.#replay.skipSecrets(round);
    return forgotten;
  }

  async #tellReplies(
    round: QuestionRound,
    replies: Replies = {},
    forgotten: ReadonlySet<string>,
  ): Promise<void> {
    const { journal, now } = this.world;
    let isSettled = false;
    for (const [key, question] of Object.entries(round.open)) {
      const given = Object.hasOwn(replies, key) ? replies[key] : undefined;
      if (given === undefined) continue;
      const isSecret = question.emit === "ask" && question.ask === "secret" && given.action === "accept";
      const kept = isSecret ? secretReply(given) : journal === undefined ? given : replyJson(given);
      if (isSecret) await this.#keepSecret(round, key, kept, forgotten.has(key));
      else if (!forgotten.has(key) || this.#replay.isOver) await this.#keep({ key, reply: kept as Json });
      // What the journal holds is what is told, so that replay tells the same.
      await round.tell(key, kept, now());
      if (round.answer !== undefined) return;
      isSettled ||= !round.isOpen(key);
    }
    // Whoever asks one question after another begins with the next one now.
    if (isSettled) round.startAt(now());
  }

  /** Notes that a secret was given. One that is asked for again stands in the journal already, where it was first given. */
  async #keepSecret(round: QuestionRound, key: string, reply: Reply, isForgotten: boolean): Promise<void> {
    const value = "value" in reply ? reply.value : undefined;
    const attempt = isForgotten ? 1 : round.attemptAt(key);
    if (typeof value === "string") this.world.secrets.put(secretKey(key, attempt), value);
    if (!isForgotten)
      await this.#keep(value === undefined ? { key, reply: { action: "accept" } } : { key, secret: true });
  }

  #keep(entry: Parameters<NonNullable<World["journal"]>["append"]>[0]): Promise<void> {
    return this.world.closing.unlessClosed(keep(() => this.world.journal?.append(entry)));
  }
}

/** Where the value of a secret is kept: each attempt has its own. */
const secretKey = (key: string, attempt: number): string => `${key}@${attempt}`;

/** What is told of the answer to a secret: what is no text is none, and is not looked at any further. */
function secretReply(reply: Reply): Reply {
  return "value" in reply && typeof reply.value === "string" ? reply : { action: "accept" };
}

/** The same run, without a journal to read or to write. */
const offTheRecord = ({ world, emits }: Scene): StepScene => ({
  world: { ...world, journal: undefined },
  emits,
  takeStep: () => undefined,
});

/** The reply an entry stands for. The journal is ours: what is in it was a legal reply when it was written. */
function recordedReply(entry: Answered | SecretGiven, secret: string | undefined): Reply | undefined {
  if ("reply" in entry) return entry.reply as Reply;
  return secret === undefined ? undefined : { action: "accept", value: secret };
}
