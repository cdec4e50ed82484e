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
import type { Asking, Body, Effect, Emit, Replies, Reply, Round, Step } from "./effects.ts";
import { AskCancelled } from "./errors.ts";
import type { Answered, SecretGiven } from "./journal.ts";
import { Keys } from "./keys.ts";
import { keep, performStep } from "./perform-step.ts";
import { isAsking, readEffect } from "./read-effect.ts";
import { Replay } from "./replay.ts";
import { replyJson } from "./reply.ts";
import { QuestionRound } from "./round.ts";
import { world as wholeWorld, type World } from "./world.ts";

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
      try {
        const effect = readEffect(next.value);
        resume = isAsking(effect) ? yield* scene.settle(effect) : { value: await scene.perform(effect) };
      } catch (error) {
        if (error instanceof Stop) throw error;
        resume = { error };
      }
    }
  } catch (error) {
    if (error instanceof Stop) throw error.reason;
    ended = true;
    throw error;
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
    await closing.unlessAbandoned(scene.whenStepDone);
    let next = await closing.unlessAbandoned(body.return(undefined));
    for (let yields = 0; next.done !== true && yields < MOST_YIELDS_IN_FINALLY; yields++) {
      const resume = await performClosing(next.value, scene);
      next = await closing.unlessAbandoned(
        "error" in resume ? body.throw(resume.error) : body.next(resume.value),
      );
    }
  } catch (error) {
    if (!(error instanceof Stop)) report(error);
  }
}

async function performClosing(yielded: unknown, scene: Scene): Promise<Resume> {
  try {
    const effect = readEffect(yielded);
    if (isAsking(effect))
      return { error: new AskCancelled(effect.emit, "message" in effect ? effect.message : effect.emit) };
    return { value: await scene.world.closing.unlessAbandoned(scene.act(effect)) };
  } catch (error) {
    if (scene.world.closing.isAbandoned) throw error;
    return { error: error instanceof Stop ? error.reason : error };
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
    return this.world.closing.unlessClosed(this.act(effect));
  }

  act(effect: Exclude<Effect, Asking>): Promise<unknown> {
    if (effect.emit !== "step") return this.#show(effect);
    const stepping = this.#step(effect);
    this.whenStepDone = stepping.catch(() => {});
    return stepping;
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
    return round.answer;
  }

  async #step(step: Step): Promise<unknown> {
    return performStep(step, this.#keys.ofStep(step.name), this);
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
      const reply = recordedReply(entry, secrets.get(secretKey(round, entry.key)));
      if (reply === undefined) forgotten.add(entry.key);
      else await round.tell(entry.key, reply, now());
    }
    return forgotten;
  }

  async #tellReplies(
    round: QuestionRound,
    replies: Replies = {},
    forgotten: ReadonlySet<string>,
  ): Promise<void> {
    for (const [key, question] of Object.entries(round.open)) {
      const given = Object.hasOwn(replies, key) ? replies[key] : undefined;
      if (given === undefined) continue;
      const isSecret = question.emit === "ask" && question.ask === "secret" && given.action === "accept";
      const reply = isSecret && typeof given.value !== "string" ? { action: "accept" as const } : given;
      if (isSecret && typeof given.value === "string")
        this.world.secrets.put(secretKey(round, key), given.value);
      // A secret that is asked for again stands in the journal already, where it was first given.
      if (!forgotten.has(key))
        await this.#keep(
          "value" in reply && isSecret ? { key, secret: true } : { key, reply: replyJson(reply) },
        );
      await round.tell(key, reply, this.world.now());
      if (round.answer !== undefined) return;
    }
  }

  #keep(entry: Parameters<NonNullable<World["journal"]>["append"]>[0]): Promise<void> {
    return keep(() => this.world.journal?.append(entry));
  }
}

/** Where the value of a secret is kept: each attempt has its own. */
const secretKey = (round: QuestionRound, key: string): string => `${key}@${round.attemptAt(key)}`;

/** The reply an entry stands for. The journal is ours: what is in it was a legal reply when it was written. */
function recordedReply(entry: Answered | SecretGiven, secret: string | undefined): Reply | undefined {
  if ("reply" in entry) return entry.reply as Reply;
  return secret === undefined ? undefined : { action: "accept", value: secret };
}
