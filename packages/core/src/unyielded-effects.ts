/**
 * Finds effects that a body makes and does not yield: a forgotten `yield*`.
 *
 *   1. An effect belongs to the body in whose turn it was made: in the code that the body runs after a `yield`, or a
 *      `yield*` of an effect, until its own first `await` and, where effects are diagnosed, after that. Effects of modules
 *      belong to no body. If a body wakes another one in these microtasks, the effects of the second are
 *      recorded for the first.
 *   2. It is used when it is yielded, or handed to `ask.all`, `ask.outcome`, `ask.form` or `ask.optional`.
 *   3. A step or question is not performed while an effect is unused that the body made before it and after the last
 *      answer: what the body does next may depend on it. Questions that are made together are asked in the same order.
 *      What belongs to no body, or to none that is known, counts as made after everything else.
 *   4. A body that returns has used every effect that it made.
 */
import type { Effect } from "./effects.ts";
import { UnyieldedEffect } from "./errors.ts";
import { type AsyncContext, newAsyncContext } from "./util/platform.ts";

/** The code that made an effect. */
interface EffectOrigin {
  /** As `file:line:column`, where that is known. */
  readonly place: string | undefined;
  /** Whether it was made while a module was evaluated: a body may have imported it, but later ones yield it too. */
  readonly isModule: boolean;
}

/** Finds out more about effects than a server has the time for. */
interface EffectDiagnosis {
  /** Follows a body over its awaits, where the platform can do that. */
  readonly context: AsyncContext<UnyieldedEffects> | undefined;
  readonly origin: () => EffectOrigin;
}

interface Made {
  readonly effect: Effect;
  /** Where it was made, where effects are diagnosed. */
  readonly origin: EffectOrigin | undefined;
  isUsed: boolean;
}

/** The body whose code runs right now, up to its next `await`. */
let current: UnyieldedEffects | undefined;

/** Makes a body the current one; gives back the one that was. */
function enter(body: UnyieldedEffects): UnyieldedEffects | undefined {
  const outer = current;
  current = body;
  return outer;
}

/**
 * In how many rounds of microtasks a body may continue after it was answered. After `yield*` of an effect it continues in the
 * first; each helper that returns on the way takes two more. So this is enough for five helpers inside each other.
 */
const MAX_MICROTASK_ROUNDS = 11;

/** Awaiting it continues in the next round of microtasks. */
const SETTLED = Promise.resolve();

/**
 * The turn of a body that continues in later microtasks, as it does after `yield*`. The microtasks that are queued between
 * `opens()` and `closes()` run between the two as well, and so do those that they queue, round by round: microtasks run in
 * the order in which they are queued.
 */
class MicrotaskTurn {
  readonly #body: UnyieldedEffects;
  readonly #number: number;
  #outer: UnyieldedEffects | undefined;
  #isLast = false;

  constructor(body: UnyieldedEffects) {
    this.#body = body;
    this.#number = body.turn;
  }

  async opens(): Promise<void> {
    for (let rounds = 1; !this.#isLast; rounds++) {
      await SETTLED;
      this.#outer = enter(this.#body);
      this.#isLast = rounds === MAX_MICROTASK_ROUNDS || this.#body.turn !== this.#number;
    }
  }

  async closes(): Promise<void> {
    do {
      await SETTLED;
      current = this.#outer;
    } while (!this.#isLast);
  }
}

let diagnosis: EffectDiagnosis | undefined;

/**
 * From here on, unyielded effects are also found after any `await`, emits among them, and errors say where they were made.
 * For tests and development: following every promise makes a process slower.
 */
export function diagnoseEffects(): void {
  diagnosis ??= newDiagnosis();
}

const currentBody = (): UnyieldedEffects | undefined => current ?? diagnosis?.context?.getStore();

/** A question or a step was made. */
export function trackEffect(effect: Effect): void {
  currentBody()?.note(effect);
}

/** An emit was made. */
export function trackEmit(effect: Effect): void {
  const body = diagnosis && currentBody();
  if (body === undefined) return;
  // `yield` awaits what it is given, also where a helper takes it from another generator and passes nothing on.
  // oxlint-disable-next-line unicorn/no-thenable -- It is none: what is defined only notices that it was looked for.
  Object.defineProperty(effect, "then", { get: () => markUsed(effect) });
  body.note(effect);
}

/** An effect was yielded, or became part of another one. */
export function markUsed(effect: object): void {
  currentBody()?.use(effect);
}

/** What one body has made and not used yet. */
export class UnyieldedEffects {
  /** Nothing where there is nothing: a run that waits keeps no list. */
  #made: Made[] | undefined;
  /** How many of them were made before the last answer. */
  #before = 0;
  #isReading = false;
  /** Counts what the body yielded: what it makes after a yield belongs to its next turn. */
  #turn = 0;
  /** Whether the body waits for an answer, and so may continue in a later microtask than that of its resumption. */
  #isWaiting = false;

  get turn(): number {
    return this.#turn;
  }

  /** Resumes the body, by a function of two arguments: what is made meanwhile is its own. */
  during<A, B, T>(act: (a: A, b: B) => T, a: A, b: B): T {
    const context = diagnosis?.context;
    const turn = this.#isWaiting && context === undefined ? new MicrotaskTurn(this) : undefined;
    void turn?.opens();
    const outer = enter(this);
    try {
      return context === undefined ? act(a, b) : context.run(this, () => act(a, b));
    } finally {
      current = outer;
      void turn?.closes();
    }
  }

  /** Reads raw data that the body yielded: the effects that are made of it are not the body's. */
  reading<T>(read: (yielded: unknown) => T, yielded: unknown): T {
    const outer = enter(this);
    this.#isReading = true;
    try {
      return read(yielded);
    } finally {
      this.#isReading = false;
      current = outer;
    }
  }

  note(effect: Effect): void {
    if (this.#isReading) return;
    const made: Made = { effect, origin: diagnosis?.origin(), isUsed: false };
    if (this.#made === undefined) this.#made = [made];
    else this.#made.push(made);
  }

  use(effect: object): void {
    const made = this.#made?.findLast((one) => one.effect === effect);
    if (made !== undefined) made.isUsed = true;
  }

  /** The body yielded an effect. Throws where it must not be performed, because one before it was forgotten. */
  yielded(yielded: unknown, effect: Effect): void {
    this.#turn += 1;
    // An emit answers nothing: what was made before it is still due.
    const isAnswered = !isEmit(effect);
    this.#isWaiting = isAnswered;
    const made = this.#made;
    if (made === undefined) return;
    // Mostly an effect is yielded where it is made.
    if (made.length === 1 && made[0]?.effect === effect) {
      this.#made = undefined;
      this.#before = 0;
      return;
    }
    const at = made.findIndex((one) => one.effect === effect);
    for (const one of made) {
      // A copy of an effect, as data, stands for it.
      if (one.effect === effect || (yielded !== effect && isAlike(one.effect, effect))) one.isUsed = true;
    }
    const forgotten = isAnswered
      ? made.slice(this.#before, at === -1 ? undefined : at).find(isForgotten)
      : undefined;
    const left = made.filter(({ isUsed }) => !isUsed);
    if (forgotten === undefined)
      this.#before = isAnswered ? left.length : left.filter((one) => made.indexOf(one) < this.#before).length;
    this.#made = left.length === 0 ? undefined : left;
    if (forgotten !== undefined) throw unyielded(forgotten);
  }

  /** The body has returned. Throws where it left an effect unused. */
  ended(): void {
    this.#turn += 1;
    const forgotten = this.#made?.find(isForgotten);
    if (forgotten !== undefined) throw unyielded(forgotten);
  }
}

const isEmit = ({ emit }: Effect): boolean =>
  emit !== "ask" && emit !== "step" && emit !== "sample" && emit !== "roots";

const isForgotten = ({ isUsed, origin }: Made): boolean => !isUsed && origin?.isModule !== true;

/** Whether two effects are of the same kind. */
function isAlike(one: Effect, other: Effect): boolean {
  if (one.emit === "ask") return other.emit === "ask" && one.ask === other.ask;
  return one.emit === other.emit;
}

function unyielded({ effect, origin }: Made): UnyieldedEffect {
  const call = callOf(effect);
  const text = effect.emit === "step" ? (effect.step === "call" ? effect.name : "") : textOf(effect);
  const shown = `${call}(${text === "" ? "…" : JSON.stringify(text)})`;
  return new UnyieldedEffect(shown, `${isEmit(effect) ? "yield" : "yield*"} ${call}(…)`, origin?.place);
}

const textOf = (effect: Effect): string => ("message" in effect ? (effect.message ?? "") : "");

/** The function by which an author makes such an effect. */
function callOf(effect: Effect): string {
  if (effect.emit === "ask") return `ask.${effect.ask}`;
  // Recorded values are named after their functions: `step.now`.
  if (effect.emit === "step") return effect.step === "call" ? "step" : effect.name;
  if (effect.emit === "sample" || effect.emit === "roots") return effect.emit;
  return `emit.${effect.emit === "artifact" ? effect.content.type : effect.emit}`;
}

/** Where effects are made: found in stacks, and followed over awaits. Loaded by the hosts that want it. */

function newDiagnosis(): EffectDiagnosis {
  return { context: newAsyncContext<UnyieldedEffects>(), origin: () => new StackOrigin() };
}

/** A stack, read when it is asked for. */
class StackOrigin implements EffectOrigin {
  readonly #error = new Error("Here");

  get place(): string | undefined {
    const [frame = ""] = outerFrames(this.#error);
    const place = LOCATION.exec(frame)?.[1];
    return place === undefined ? undefined : decodeURI(place.replace(/^file:\/\//, ""));
  }

  get isModule(): boolean {
    const frames = outerFrames(this.#error);
    const below = frames.findIndex(isOurs);
    return (below === -1 ? frames : frames.slice(0, below)).some((frame) => LOADER.test(frame));
  }
}

/** Where a frame is: `file:line:column`. */
const LOCATION = /(?:\(|at (?:async )?)((?:file:\/\/)?[^()]+:\d+:\d+)\)?$/;

/** What evaluates a module, in Node and in Vite. */
const LOADER = /node:internal\/modules\/|\bModule(?:Runner|Evaluator)\b/;

const framesOf = ({ stack = "" }: Error): readonly string[] =>
  stack.split("\n").filter((line) => /^\s+at /.test(line));

/** The frames of a stack without those on top that are ours. */
function outerFrames(error: Error): readonly string[] {
  const frames = framesOf(error);
  const first = frames.findIndex((frame) => !isOurs(frame));
  return first === -1 ? [] : frames.slice(first);
}

let ourFolder: string | undefined;

/** Whether a frame is in the folder of this file, where the whole package is. */
function isOurs(frame: string): boolean {
  ourFolder ??= LOCATION.exec(framesOf(new Error("Here"))[0] ?? "")?.[1]?.replace(/[^/\\]*$/, "") ?? "";
  return ourFolder !== "" && frame.includes(ourFolder);
}
