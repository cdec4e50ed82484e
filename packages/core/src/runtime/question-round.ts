/**
 * One round of questions: those that are open, and the outcome of each of the others.
 *
 * Pure: it knows no body, no journal and no clock. The interpreter opens a round for an effect, applies each reply to it, and
 * reads its answer.
 *
 *   1. A non-answer is never an answer: it becomes an error, or the author's fallback.
 *   2. An answer counts only if it is valid; otherwise the question is asked again while `retries` last.
 *   3. The first question that fails ends the round; the open questions are dropped.
 *   4. When one question of a round is answered, the time of the others starts anew: a host may ask one after another.
 */
import { answersDigest, asPredicate, prefill, validateAnswer } from "../asks/answers.ts";
import { timeoutMilliseconds } from "../util/time.ts";
import {
  type AskEffect,
  messageOf,
  type OpenQuestion,
  type Outcome,
  type Question,
  type Reply,
  type Round,
} from "../effects.ts";
import {
  AskCancelled,
  AskDeclined,
  type AskError,
  AskTimedOut,
  AskUnsupported,
  InvalidAnswer,
} from "../errors.ts";
import { deepCopy } from "../util/json.ts";
import type { RoundEntry, KeyAllocator } from "./journal.ts";
import { Secret } from "../secrets.ts";
import { mapMaybeAsync } from "../util/platform.ts";

/** Resumes a body: with a value, or with an error to throw. */
export type Resume = { readonly value: unknown } | { readonly error: unknown };

/** The open questions of a round after a reply to one of them: the others, whose time starts anew. */
export function roundAfterReply(round: Round, replied: string, now: number): Round {
  return mapRound(round, (question) => (question.key === replied ? undefined : restartTime(question, now)));
}

function mapRound(round: Round, map: (question: OpenQuestion) => OpenQuestion | undefined): Round {
  const mapped: Record<string, OpenQuestion> = {};
  for (const key in round) {
    const question = round[key] && map(round[key]);
    if (question !== undefined) mapped[key] = question;
  }
  return mapped;
}

function restartTime(question: OpenQuestion, now: number): OpenQuestion {
  return question.wait === undefined
    ? question
    : Object.assign({}, question, { deadline: now + question.wait });
}

interface RoundQuestion {
  readonly key: string;
  readonly question: Question;
  readonly wantsOutcome: boolean;
  readonly timeoutMs: number | undefined;
  settled: Settled | undefined;
}

type Action = Outcome<unknown>["action"];

/** The end of a question: a value for the body, or an error. */
type Settled =
  | { readonly action: Action; readonly value: unknown }
  | { readonly action: Exclude<Action, "accept">; readonly error: AskError };

/** An effect's questions, how their values are combined, and what a failure means. */
interface RoundPlan {
  readonly questions: readonly {
    readonly id?: string;
    readonly question: Question;
    readonly wantsOutcome: boolean;
  }[];
  readonly combine: (values: readonly unknown[]) => unknown;
  readonly fail: (action: Action, error: AskError) => Resume;
}

export class QuestionRound {
  readonly #combine: RoundPlan["combine"];
  readonly #fail: RoundPlan["fail"];
  /** In the order in which they were written. */
  readonly #questions: readonly RoundQuestion[];
  #open: Round = {};

  constructor(effect: AskEffect, keys: KeyAllocator, askTimeout: number | undefined) {
    const { questions, combine, fail } = planOf(effect);
    this.#combine = combine;
    this.#fail = fail;
    this.#questions = questions.map(({ id, question, wantsOutcome }) => ({
      key: keys.questionKey(question, id),
      question,
      wantsOutcome,
      timeoutMs: question.timeout === undefined ? askTimeout : timeoutMilliseconds(question.timeout),
      settled: undefined,
    }));
  }

  /** The journal entry of this round. */
  get asked(): RoundEntry["asked"] {
    return Object.fromEntries(
      this.#questions.map(({ key, question }) => [
        key,
        [kindName(question), answersDigest(question)] as const,
      ]),
    );
  }

  /** Starts the time of every question that is not settled. */
  openAt(now: number): void {
    const open: Record<string, OpenQuestion> = {};
    for (const one of this.#questions) {
      // `hasOwn`: an author may call a question "constructor".
      const known = Object.hasOwn(this.#open, one.key) ? this.#open[one.key] : undefined;
      if (one.settled === undefined)
        open[one.key] =
          known === undefined ? openQuestion(one, one.question, 1, now) : restartTime(known, now);
    }
    this.#open = open;
  }

  findByKey(matches: (key: string) => boolean): Question | undefined {
    return this.#questions.find(({ key }) => matches(key))?.question;
  }

  get open(): Round {
    return this.#open;
  }

  /** The secrets that the body is about to get, including those that are an author's fallback. */
  get secrets(): readonly Secret[] {
    const secrets: Secret[] = [];
    for (const { settled } of this.#questions) {
      if (settled !== undefined && "value" in settled && settled.value instanceof Secret)
        secrets.push(settled.value);
    }
    return secrets;
  }

  has(key: string): boolean {
    return this.#find(key) !== undefined;
  }

  isOpen(key: string): boolean {
    return Object.hasOwn(this.#open, key);
  }

  /** How often a question has been asked. */
  attemptAt(key: string): number {
    return this.isOpen(key) ? (this.#open[key]?.attempt ?? 1) : 1;
  }

  /** Whether the round may still be open after a reply to a question: others are open, or it is asked again. */
  canStayOpen(key: string): boolean {
    const asked = this.#find(key);
    return this.#questions.length > 1 || (asked !== undefined && this.#mayAskAgain(asked));
  }

  /** Applies one reply, which came at `now`. */
  applyReply(key: string, reply: Reply, now: number): void | Promise<void> {
    const asked = this.#find(key);
    if (asked === undefined) return undefined;
    if (reply.action !== "accept") return this.#settle(asked, settleNonAnswer(asked, reply), now);
    const { value } = reply;
    return mapMaybeAsync(validateAnswer(asked.question, value), (verdict) => {
      if ("value" in verdict) return this.#settle(asked, { action: "accept", value: verdict.value }, now);
      const problem = asPredicate(asked.question, verdict.problem);
      if (this.#mayAskAgain(asked)) this.#askAgain(asked, problem, value, now);
      else this.#settle(asked, settleInvalid(asked, problem), now);
    });
  }

  /** What the body is resumed with, once the round has ended. */
  get answer(): Resume | undefined {
    let isOpen = false;
    for (const { settled, wantsOutcome } of this.#questions) {
      if (settled === undefined) isOpen = true;
      else if (!wantsOutcome && "error" in settled) return this.#fail(settled.action, settled.error);
    }
    return isOpen ? undefined : { value: this.#combine(this.#questions.map(valueOf)) };
  }

  #settle(asked: RoundQuestion, settled: Settled, now: number): void {
    asked.settled = settled;
    this.#open = roundAfterReply(this.#open, asked.key, now);
  }

  /** Suggests the last answer, and says what is wrong with it. */
  #askAgain(asked: RoundQuestion, hint: string, last: unknown, now: number): void {
    const again = prefill(asked.question, last);
    const open = openQuestion(asked, again, this.attemptAt(asked.key) + 1, now, hint);
    this.#open = mapRound(this.#open, (question) => (question.key === asked.key ? open : question));
  }

  #mayAskAgain({ key, question }: RoundQuestion): boolean {
    return question.emit === "ask" && this.attemptAt(key) <= (question.retries ?? 0);
  }

  #find(wanted: string): RoundQuestion | undefined {
    return this.#questions.find(({ key }) => key === wanted);
  }
}

function planOf(effect: AskEffect): RoundPlan {
  if (effect.emit !== "ask") return planOne(effect, false);
  if (effect.ask === "all") return planAll(effect.asks);
  if (effect.ask !== "outcome") return planOne(effect, false);
  const { of } = effect;
  if (of.emit !== "ask" || of.ask !== "all") return planOne(of, true);
  const { questions, combine } = planAll(of.asks);
  return {
    questions,
    combine: (values) => ({ action: "accept", value: combine(values) }),
    fail: (action) => ({ value: { action } }),
  };
}

const throwError: RoundPlan["fail"] = (_, error) => ({ error });
const onlyValue: RoundPlan["combine"] = ([value]) => value;

function planOne(question: Question, wantsOutcome: boolean): RoundPlan {
  return { questions: [{ question, wantsOutcome }], combine: onlyValue, fail: throwError };
}

function planAll(asks: Extract<AskEffect, { ask: "all" }>["asks"]): RoundPlan {
  const ids = Object.keys(asks);
  const questions = Object.entries(asks).map(([id, one]) =>
    one.emit === "ask" && one.ask === "outcome"
      ? // `ask.all` rejects nested rounds, so an outcome in it is of one question.
        { id, question: one.of as Question, wantsOutcome: true }
      : { id, question: one, wantsOutcome: false },
  );
  return {
    questions,
    combine: (values) => Object.fromEntries(ids.map((id, index) => [id, values[index]])),
    fail: throwError,
  };
}

/** The value or the outcome of a settled question. */
function valueOf({ settled, wantsOutcome }: RoundQuestion): unknown {
  const value = settled !== undefined && "value" in settled ? settled.value : undefined;
  if (!wantsOutcome || settled === undefined) return value;
  return "value" in settled ? { action: settled.action, value } : { action: settled.action };
}

function settleNonAnswer(asked: RoundQuestion, reply: Exclude<Reply, { action: "accept" }>): Settled {
  const { key, question } = asked;
  const { action } = reply;
  const isKind = (kind: string): boolean => question.emit === "ask" && question.ask === kind;
  const fallback: unknown = question.fallback?.[action];
  // Without a value there is no fallback, except for `ask.url`, whose answer is undefined.
  const hasFallback =
    fallback !== undefined || (isKind("url") && Object.hasOwn(question.fallback ?? {}, action));
  if (hasFallback) return { action, value: deepCopy(fallback) };
  // The only non-answer that is an answer: declining a confirm means no.
  if (action === "decline" && isKind("confirm") && !asked.wantsOutcome) return { action, value: false };
  return { action, error: errorFor(reply, key, messageOf(question)) };
}

function settleInvalid({ key, question }: RoundQuestion, problem: string): Settled {
  return { action: "invalid", error: new InvalidAnswer(key, messageOf(question), problem) };
}

function errorFor(reply: Exclude<Reply, { action: "accept" }>, key: string, message: string): AskError {
  switch (reply.action) {
    case "decline":
      return new AskDeclined(key, message, reply.note);
    case "cancel":
      return new AskCancelled(key, message, reply.note);
    case "timeout":
      return new AskTimedOut(key, message);
    case "unsupported":
      return new AskUnsupported(key, message, reply.reason);
    default:
      return reply satisfies never;
  }
}

function openQuestion(
  { key, timeoutMs }: RoundQuestion,
  question: Question,
  attempt: number,
  now: number,
  hint?: string,
): OpenQuestion {
  // Not a spread with more properties after it: V8 gives each of those its own hidden class, and a question may be open for days.
  const open: Question & { key: string; attempt: number; hint?: string; wait?: number; deadline?: number } =
    Object.assign({}, question, { key, attempt });
  if (hint !== undefined) open.hint = hint;
  if (timeoutMs !== undefined) {
    open.wait = timeoutMs;
    open.deadline = now + timeoutMs;
  }
  return open;
}

const kindName = (question: Question): string => (question.emit === "ask" ? question.ask : question.emit);
