/**
 * Finds effects that a body creates and does not yield: a forgotten `yield*`.
 *
 *   1. An effect belongs to the body that runs when it is created: between a `yield`, or a `yield*` of an effect, and the
 *      body's next `await`; with `diagnoseEffects`, also after that. Effects of modules belong to no body.
 *   2. It is used when it is yielded, or passed to `ask.all`, `ask.outcome`, `ask.form` or `ask.optional`.
 *   3. A step or question is not performed while an effect is unused that the body created before it and after the last
 *      answer. Effects that belong to no known body count as created last.
 *   4. A body that returns must have used every effect that it created.
 */
import { UnyieldedEffect } from "./errors.ts";
import { type AsyncContext, createAsyncContext } from "./util/platform.ts";

/** The properties of an effect that errors name. Not `Effect`: the builders of asks track them, and `Effect` is made of asks. */
export interface TrackedEffect {
  readonly emit: string;
  readonly ask?: string;
  readonly step?: string;
  readonly name?: string;
  readonly message?: string;
  readonly content?: { readonly type: string };
}

interface CreatedEffect {
  readonly effect: TrackedEffect;
  /** Only with `diagnoseEffects`: it costs too much for a server in production. */
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
 * and so do those that they queue, round by round. Effects of another body that is woken by one of them count for this one.
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

/** With `context`, which follows a body over its awaits, on platforms that can. */
let diagnosis: { readonly context: AsyncContext<UnyieldedEffects> | undefined } | undefined;

/**
 * Finds unyielded effects, emits among them, also after any `await`, and names where they were created. For tests and
 * development: it follows every promise, which makes a process slower.
 */
export function diagnoseEffects(): void {
  diagnosis ??= { context: createAsyncContext() };
}

const currentBody = (): UnyieldedEffects | undefined => current ?? diagnosis?.context?.getStore();

/** Called for every question and step that is created. */
export function trackEffect(effect: TrackedEffect): void {
  currentBody()?.add(effect);
}

/** Called for every emit that is created. */
export function trackEmit(effect: TrackedEffect): void {
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
  /** Counts the yields of the body. */
  turn = 0;
  /** Undefined when empty: thousands of runs may be suspended. */
  #created: CreatedEffect[] | undefined;
  /** How many of them were created before the last answer. */
  #beforeAnswer = 0;
  #isParsing = false;
  /** Whether the body waits for an answer, and so may continue in a later microtask than that of its resumption. */
  #isWaiting = false;

  /** Calls `act`, which resumes the body: effects that are created meanwhile are the body's. */
  resume<T>(act: () => T): T {
    const context = diagnosis?.context;
    const turn = this.#isWaiting && context === undefined ? new MicrotaskTurn(this) : undefined;
    void turn?.open();
    const outer = setCurrent(this);
    try {
      return context === undefined ? act() : context.run(this, act);
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

  add(effect: TrackedEffect): void {
    if (this.#isParsing) return;
    const created: CreatedEffect = { effect, origin: diagnosis && new EffectOrigin(), isUsed: false };
    if (this.#created === undefined) this.#created = [created];
    else this.#created.push(created);
  }

  markUsed(effect: object): void {
    const created = this.#created?.findLast((one) => one.effect === effect);
    if (created !== undefined) created.isUsed = true;
  }

  /** Called for each yield. Throws if the effect must not be performed, because one before it was not yielded. */
  onYield(yielded: unknown, effect: TrackedEffect): void {
    this.turn += 1;
    // An emit has no answer: effects that were created before it may be yielded after it.
    const isAnswered = !isEmit(effect);
    this.#isWaiting = isAnswered;
    const created = this.#created;
    if (created === undefined) return;
    const at = created.findIndex((one) => one.effect === effect);
    for (const one of created) {
      // A raw effect may be a copy of a created one.
      if (one.effect === effect || (yielded !== effect && isSameKind(one.effect, effect))) one.isUsed = true;
    }
    const before = this.#beforeAnswer;
    const forgotten = isAnswered
      ? created.slice(before, at === -1 ? undefined : at).find(isForgotten)
      : undefined;
    const left = created.filter(({ isUsed }) => !isUsed);
    this.#created = left.length === 0 ? undefined : left;
    if (forgotten !== undefined) throw toError(forgotten);
    this.#beforeAnswer = isAnswered
      ? left.length
      : created.slice(0, before).filter(({ isUsed }) => !isUsed).length;
  }

  /** Called when the body has returned. Throws if an effect was not used. */
  onReturn(): void {
    this.turn += 1;
    const forgotten = this.#created?.find(isForgotten);
    if (forgotten !== undefined) throw toError(forgotten);
  }
}

const isEmit = ({ emit }: TrackedEffect): boolean =>
  emit !== "ask" && emit !== "step" && emit !== "sample" && emit !== "roots";

const isForgotten = ({ isUsed, origin }: CreatedEffect): boolean => !isUsed && origin?.isModule !== true;

function isSameKind(one: TrackedEffect, other: TrackedEffect): boolean {
  if (one.emit === "ask") return other.emit === "ask" && one.ask === other.ask;
  return one.emit === other.emit;
}

function toError({ effect, origin }: CreatedEffect): UnyieldedEffect {
  const call = builderName(effect);
  const text =
    effect.emit === "step" ? (effect.step === "call" ? (effect.name ?? "") : "") : (effect.message ?? "");
  const shown = `${call}(${text === "" ? "…" : JSON.stringify(text)})`;
  return new UnyieldedEffect(shown, `${isEmit(effect) ? "yield" : "yield*"} ${call}(…)`, origin?.location);
}

/** The builder that an author calls for such an effect. */
function builderName(effect: TrackedEffect): string {
  if (effect.emit === "ask") return `ask.${effect.ask}`;
  if (effect.emit === "step") return effect.step === "call" ? "step" : `step.${effect.step}`;
  if (effect.emit === "sample" || effect.emit === "roots") return effect.emit;
  return `emit.${effect.content?.type ?? effect.emit}`;
}

/** The code that created an effect. Parses the stack only when it is needed. */
class EffectOrigin {
  readonly #error = new Error("Here");

  /** As `file:line:column`, where that is known. */
  get location(): string | undefined {
    const [frame = ""] = outerFrames(this.#error);
    const location = LOCATION.exec(frame)?.[1];
    return location === undefined ? undefined : decodeURI(location.replace(/^file:\/\//, ""));
  }

  /** Whether it was created while a module was evaluated: then several bodies may yield it. */
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
