/**
 * Finds effects that a body creates and does not yield: a forgotten `yield*`.
 *
 *   1. An effect belongs to the body that runs when it is created: between a `yield`, or a `yield*` of an effect, and the
 *      body's next `await`; with `diagnoseEffects`, also after that. Effects of modules belong to no body. If a body wakes
 *      another one in these microtasks, the effects of the second are counted for the first.
 *   2. It is used when it is yielded, or passed to `ask.all`, `ask.outcome`, `ask.form` or `ask.optional`.
 *   3. A step or question is not performed while an effect is unused that the body created before it and after the last
 *      answer. Questions that are created together must be yielded in the same order. Effects that belong to no known body
 *      count as created last.
 *   4. A body that returns must have used every effect that it created.
 */
import type { Effect } from "./effects.ts";
import { UnyieldedEffect } from "./errors.ts";
import { type AsyncContext, createAsyncContext } from "./util/platform.ts";

/** The code that created an effect. */
interface EffectOrigin {
  /** As `file:line:column`, where that is known. */
  readonly location: string | undefined;
  /** Whether it was created while a module was evaluated: then several bodies may yield it. */
  readonly isModule: boolean;
}

/** Costs too much for a server in production. */
interface EffectDiagnosis {
  /** Follows a body over its awaits, on platforms that can. */
  readonly context: AsyncContext<UnyieldedEffects> | undefined;
  readonly origin: () => EffectOrigin;
}

interface CreatedEffect {
  readonly effect: Effect;
  /** Only with `diagnoseEffects`. */
  readonly origin: EffectOrigin | undefined;
  isUsed: boolean;
}

/** The body whose code runs right now, up to its next `await`. */
let current: UnyieldedEffects | undefined;

/** Returns the body that was the current one before. */
function setCurrent(body: UnyieldedEffects): UnyieldedEffects | undefined {
  const outer = current;
  current = body;
  return outer;
}

/**
 * In how many rounds of microtasks a body may continue after it was answered. After `yield*` of an effect it continues in the
 * first; each helper generator that returns takes two more. So this is enough for five nested helpers.
 */
const MAX_MICROTASK_ROUNDS = 11;

/** Awaiting it continues in the next round of microtasks. */
const SETTLED = Promise.resolve();

/**
 * The turn of a body that continues in later microtasks, as it does after `yield*`. Microtasks run in the order in which they
 * are queued. So those that are queued between the calls of `open()` and `close()` run between the microtasks of the two,
 * and so do those that they queue, round by round.
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

  async open(): Promise<void> {
    for (let rounds = 1; !this.#isLast; rounds++) {
      await SETTLED;
      this.#outer = setCurrent(this.#body);
      this.#isLast = rounds === MAX_MICROTASK_ROUNDS || this.#body.turn !== this.#number;
    }
  }

  async close(): Promise<void> {
    do {
      await SETTLED;
      current = this.#outer;
    } while (!this.#isLast);
  }
}

let diagnosis: EffectDiagnosis | undefined;

/**
 * Finds unyielded effects, emits among them, also after any `await`, and names where they were created. For tests and
 * development: it follows every promise, which makes a process slower.
 */
export function diagnoseEffects(): void {
  diagnosis ??= createDiagnosis();
}

const currentBody = (): UnyieldedEffects | undefined => current ?? diagnosis?.context?.getStore();

/** Called for every question and step that is created. */
export function trackEffect(effect: Effect): void {
  currentBody()?.add(effect);
}

/** Called for every emit that is created. */
export function trackEmit(effect: Effect): void {
  const body = diagnosis && currentBody();
  if (body === undefined) return;
  // `yield` awaits its operand, so it reads `then`; also in a helper that consumes another generator.
  // oxlint-disable-next-line unicorn/no-thenable -- `then` is undefined: the getter only records that it was read.
  Object.defineProperty(effect, "then", { get: () => markUsed(effect) });
  body.add(effect);
}

/** Called for an effect that was yielded, or became part of another one. */
export function markUsed(effect: object): void {
  currentBody()?.markUsed(effect);
}

/** The effects that one body has created and not used yet. */
export class UnyieldedEffects {
  /** Undefined when empty: thousands of runs may be suspended. */
  #created: CreatedEffect[] | undefined;
  /** How many of them were created before the last answer. */
  #beforeAnswer = 0;
  #isParsing = false;
  /** Counts the yields of the body. */
  #turn = 0;
  /** Whether the body waits for an answer, and so may continue in a later microtask than that of its resumption. */
  #isWaiting = false;

  get turn(): number {
    return this.#turn;
  }

  /** Calls `act`, which resumes the body: effects that are created meanwhile are the body's. */
  resume<A, B, T>(act: (a: A, b: B) => T, a: A, b: B): T {
    const context = diagnosis?.context;
    const turn = this.#isWaiting && context === undefined ? new MicrotaskTurn(this) : undefined;
    void turn?.open();
    const outer = setCurrent(this);
    try {
      return context === undefined ? act(a, b) : context.run(this, () => act(a, b));
    } finally {
      current = outer;
      void turn?.close();
    }
  }

  /** Parses a raw effect that the body yielded: the effects that the parser creates are not the body's. */
  parse<T>(read: (yielded: unknown) => T, yielded: unknown): T {
    const outer = setCurrent(this);
    this.#isParsing = true;
    try {
      return read(yielded);
    } finally {
      this.#isParsing = false;
      current = outer;
    }
  }

  add(effect: Effect): void {
    if (this.#isParsing) return;
    const made: CreatedEffect = { effect, origin: diagnosis?.origin(), isUsed: false };
    if (this.#created === undefined) this.#created = [made];
    else this.#created.push(made);
  }

  markUsed(effect: object): void {
    const made = this.#created?.findLast((one) => one.effect === effect);
    if (made !== undefined) made.isUsed = true;
  }

  /** Called for each yield. Throws if the effect must not be performed, because one before it was not yielded. */
  onYield(yielded: unknown, effect: Effect): void {
    this.#turn += 1;
    // An emit has no answer: effects that were created before it may be yielded after it.
    const isAnswered = !isEmit(effect);
    this.#isWaiting = isAnswered;
    const made = this.#created;
    if (made === undefined) return;
    // The usual case: an effect is yielded where it is created.
    if (made.length === 1 && made[0]?.effect === effect) {
      this.#created = undefined;
      this.#beforeAnswer = 0;
      return;
    }
    const at = made.findIndex((one) => one.effect === effect);
    for (const one of made) {
      // A raw effect may be a copy of a created one.
      if (one.effect === effect || (yielded !== effect && isSameKind(one.effect, effect))) one.isUsed = true;
    }
    const forgotten = isAnswered
      ? made.slice(this.#beforeAnswer, at === -1 ? undefined : at).find(isForgotten)
      : undefined;
    const left = made.filter(({ isUsed }) => !isUsed);
    if (forgotten === undefined)
      this.#beforeAnswer = isAnswered
        ? left.length
        : left.filter((one) => made.indexOf(one) < this.#beforeAnswer).length;
    this.#created = left.length === 0 ? undefined : left;
    if (forgotten !== undefined) throw toError(forgotten);
  }

  /** Called when the body has returned. Throws if an effect was not used. */
  onReturn(): void {
    this.#turn += 1;
    const forgotten = this.#created?.find(isForgotten);
    if (forgotten !== undefined) throw toError(forgotten);
  }
}

const isEmit = ({ emit }: Effect): boolean =>
  emit !== "ask" && emit !== "step" && emit !== "sample" && emit !== "roots";

const isForgotten = ({ isUsed, origin }: CreatedEffect): boolean => !isUsed && origin?.isModule !== true;

function isSameKind(one: Effect, other: Effect): boolean {
  if (one.emit === "ask") return other.emit === "ask" && one.ask === other.ask;
  return one.emit === other.emit;
}

function toError({ effect, origin }: CreatedEffect): UnyieldedEffect {
  const call = builderName(effect);
  const text = effect.emit === "step" ? (effect.step === "call" ? effect.name : "") : messageIn(effect);
  const shown = `${call}(${text === "" ? "…" : JSON.stringify(text)})`;
  return new UnyieldedEffect(shown, `${isEmit(effect) ? "yield" : "yield*"} ${call}(…)`, origin?.location);
}

const messageIn = (effect: Effect): string => ("message" in effect ? (effect.message ?? "") : "");

/** The builder that an author calls for such an effect. */
function builderName(effect: Effect): string {
  if (effect.emit === "ask") return `ask.${effect.ask}`;
  // Recorded values are named after their builders: `step.now`.
  if (effect.emit === "step") return effect.step === "call" ? "step" : effect.name;
  if (effect.emit === "sample" || effect.emit === "roots") return effect.emit;
  return `emit.${effect.emit === "artifact" ? effect.content.type : effect.emit}`;
}

function createDiagnosis(): EffectDiagnosis {
  return { context: createAsyncContext<UnyieldedEffects>(), origin: () => new StackOrigin() };
}

/** Parses the stack only when it is needed. */
class StackOrigin implements EffectOrigin {
  readonly #error = new Error("Here");

  get location(): string | undefined {
    const [frame = ""] = outerFrames(this.#error);
    const location = LOCATION.exec(frame)?.[1];
    return location === undefined ? undefined : decodeURI(location.replace(/^file:\/\//, ""));
  }

  get isModule(): boolean {
    const frames = outerFrames(this.#error);
    const below = frames.findIndex(isCoreFrame);
    return (below === -1 ? frames : frames.slice(0, below)).some((frame) => LOADER.test(frame));
  }
}

/** The `file:line:column` of a frame. */
const LOCATION = /(?:\(|at (?:async )?)((?:file:\/\/)?[^()]+:\d+:\d+)\)?$/;

/** Frames that evaluate a module, in Node and in Vite. */
const LOADER = /node:internal\/modules\/|\bModule(?:Runner|Evaluator)\b/;

const framesOf = ({ stack = "" }: Error): readonly string[] =>
  stack.split("\n").filter((line) => /^\s+at /.test(line));

/** The frames below the topmost ones of this package. */
function outerFrames(error: Error): readonly string[] {
  const frames = framesOf(error);
  const first = frames.findIndex((frame) => !isCoreFrame(frame));
  return first === -1 ? [] : frames.slice(first);
}

let coreFolder: string | undefined;

/** Whether a frame is in the folder of this file, which contains the whole package. */
function isCoreFrame(frame: string): boolean {
  coreFolder ??= LOCATION.exec(framesOf(new Error("Here"))[0] ?? "")?.[1]?.replace(/[^/\\]*$/, "") ?? "";
  return coreFolder !== "" && frame.includes(coreFolder);
}
