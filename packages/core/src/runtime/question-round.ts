/**
 * One round of questions: those that are open, and how each of the others ended.
 *
 * Pure: it knows no body, no journal and no clock. The interpreter opens a round for an effect, applies each reply to it, and
 * reads its answer. `settleNonAnswer` says what a decline, a cancel, a timeout or `unsupported` means for the body.
 *
 *   1. A non-answer is never an answer: it becomes an error, or the author's fallback.
 *   2. An answer counts only if it is valid; otherwise the question is asked again while `retries` last.
 *   3. The first question that fails ends the round; the open questions are dropped.
 *   4. When one question of a round is answered, the time of the others starts anew: a host may ask one after another.
 */
import { answersDigest, asPredicate, prefill, validateAnswer } from "../check-answer.ts";
import { timeoutMilliseconds } from "../util/time.ts";
import {
  type AskEffect,
  type AskOutcome,
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
import { deepCopy, getOwn } from "../util/json.ts";
import type { RoundEntry, KeyAllocator } from "./journal.ts";
import { Secret } from "../secrets.ts";
import { mapMaybeAsync } from "../util/platform.ts";

/** Resumes a body: with a value, or with an error to throw. */
export type Resume = { readonly value: unknown } | { readonly error: unknown };

interface RoundQuestion {
  /** Its key in the record of an `ask.all`. */
  readonly id: string | undefined;
  readonly key: string;
  readonly question: Question;
  /** Whether the body gets `{ action, value }`, as it does with `ask.outcome`. */
  readonly wantsOutcome: boolean;
  readonly timeoutMs: number | undefined;
  settled: Settled | undefined;
}

type Action = Outcome<unknown>["action"];

/** The end of a question: a value for the body, or an error. */
type Settled =
  | { readonly action: Action; readonly value: unknown }
  | { readonly action: Exclude<Action, "accept">; readonly error: AskError };

export class QuestionRound {
  /** In the order in which they were written. */
  readonly #questions: readonly RoundQuestion[];
  /** Whether the body gets a record of answers. */
  readonly #isAll: boolean;
  /** Whether the body gets the outcome of that record. */
  readonly #wantsOutcomeOfAll: boolean;
  #open: Round = {};

  constructor(effect: AskEffect, keys: KeyAllocator, askTimeout: number | undefined) {
    const record = recordOf(effect);
    const entries: readonly (readonly [string | undefined, AskEffect])[] = record ?? [[undefined, effect]];
    this.#isAll = record !== undefined;
    this.#wantsOutcomeOfAll = this.#isAll && "of" in effect;
    this.#questions = entries.map(([id, asked]) => {
      const wantsOutcome = "of" in asked;
      // A round in a round was refused by `ask.all`.
      const question = (wantsOutcome ? asked.of : asked) as Question;
      const { timeout } = question;
      const timeoutMs = timeout === undefined ? askTimeout : timeoutMilliseconds(timeout);
      return {
        id,
        key: keys.questionKey(question, id),
        question,
        wantsOutcome,
        timeoutMs,
        settled: undefined,
      };
    });
  }

  /** What the journal entry of this round says about its questions. */
  get recordedQuestions(): RoundEntry["asked"] {
    return Object.fromEntries(
      this.#questions.map(({ key, question }) => {
        const kind = question.emit === "ask" ? question.ask : question.emit;
        return [key, [kind, answersDigest(question)] as const];
      }),
    );
  }

  get open(): Round {
    return this.#open;
  }

  /** The secrets that the body is about to get, including those that are an author's fallback. */
  get secrets(): readonly Secret[] {
    const values = this.#questions.map(valueOf);
    return values.filter((value) => value instanceof Secret);
  }

  /** What the body is resumed with, once the round has ended. */
  get answer(): Resume | undefined {
    let isOpen = false;
    for (const { settled, wantsOutcome } of this.#questions) {
      if (settled === undefined) isOpen = true;
      else if (!wantsOutcome && "error" in settled)
        return this.#wantsOutcomeOfAll ? { value: { action: settled.action } } : { error: settled.error };
    }
    if (isOpen) return undefined;
    if (!this.#isAll) return { value: this.#questions.map(answerOf)[0] };
    const value: unknown = Object.fromEntries(this.#questions.map((one) => [one.id, answerOf(one)]));
    return { value: this.#wantsOutcomeOfAll ? { action: "accept", value } : value };
  }

  /** Opens every question. */
  openAt(now: number): void {
    const open: Record<string, OpenQuestion> = {};
    for (const one of this.#questions) open[one.key] = openQuestion(one, one.question, 1, now);
    this.#open = open;
  }

  /** The time of every open question starts anew. */
  restartTimes(now: number): void {
    this.#open = mapRound(this.#open, (question) => restartTime(question, now));
  }

  findByKey(matches: (key: string) => boolean): Question | undefined {
    return this.#questions.find(({ key }) => matches(key))?.question;
  }

  has(key: string): boolean {
    return this.#find(key) !== undefined;
  }

  isOpen(key: string): boolean {
    return getOwn(this.#open, key) !== undefined;
  }

  /** How often a question has been asked. */
  attemptAt(key: string): number {
    return getOwn(this.#open, key)?.attempt ?? 1;
  }

  /** Whether the round may still be open after a reply to a question: others are open, or it is asked again. */
  canStayOpen(key: string): boolean {
    const roundQuestion = this.#find(key);
    return this.#questions.length > 1 || (roundQuestion !== undefined && this.#mayAskAgain(roundQuestion));
  }

  /** Applies one reply, which came at `now`. */
  applyReply(key: string, reply: Reply, now: number): void | Promise<void> {
    const roundQuestion = this.#find(key);
    if (roundQuestion === undefined) return undefined;
    if (reply.action !== "accept")
      return this.#settle(roundQuestion, settleNonAnswer(roundQuestion, reply), now);
    const { question } = roundQuestion;
    const { value } = reply;
    return mapMaybeAsync(validateAnswer(question, value), (verdict) => {
      if ("value" in verdict)
        return this.#settle(roundQuestion, { action: "accept", value: verdict.value }, now);
      const problem = asPredicate(question, verdict.problem);
      if (this.#mayAskAgain(roundQuestion)) return this.#askAgain(roundQuestion, problem, value, now);
      const error = new InvalidAnswer(key, messageOf(question), problem);
      this.#settle(roundQuestion, { action: "invalid", error }, now);
    });
  }

  #settle(roundQuestion: RoundQuestion, settled: Settled, now: number): void {
    roundQuestion.settled = settled;
    this.#open = roundAfterReply(this.#open, roundQuestion.key, now);
  }

  /** Asks again, with the last answer as default and its problem as hint. */
  #askAgain(roundQuestion: RoundQuestion, hint: string, last: unknown, now: number): void {
    const again = prefill(roundQuestion.question, last);
    const open = openQuestion(roundQuestion, again, this.attemptAt(roundQuestion.key) + 1, now, hint);
    this.#open = mapRound(this.#open, (question) => (question.key === roundQuestion.key ? open : question));
  }

  #mayAskAgain({ key, question }: RoundQuestion): boolean {
    return question.emit === "ask" && this.attemptAt(key) <= (question.retries ?? 0);
  }

  #find(wanted: string): RoundQuestion | undefined {
    return this.#questions.find(({ key }) => key === wanted);
  }
}

/** What a non-answer means for the body: the author's fallback, `false` for a declined confirm, or an error. */
function settleNonAnswer(roundQuestion: RoundQuestion, reply: Exclude<Reply, { action: "accept" }>): Settled {
  const { key, question } = roundQuestion;
  const { action } = reply;
  const isKind = (kind: string): boolean => question.emit === "ask" && question.ask === kind;
  const fallback: unknown = question.fallback?.[action];
  // Without a value there is no fallback, except for `ask.url`, whose answer is undefined.
  const hasFallback =
    fallback !== undefined || (isKind("url") && Object.hasOwn(question.fallback ?? {}, action));
  if (hasFallback) return { action, value: deepCopy(fallback) };
  // The only non-answer that is an answer: declining a confirm means no.
  if (action === "decline" && isKind("confirm") && !roundQuestion.wantsOutcome)
    return { action, value: false };
  return { action, error: errorFor(reply, key, messageOf(question)) };
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

const valueOf = ({ settled }: RoundQuestion): unknown =>
  settled !== undefined && "value" in settled ? settled.value : undefined;

/** What the body gets for one question: its value, or its outcome. */
function answerOf(roundQuestion: RoundQuestion): unknown {
  const { settled, wantsOutcome } = roundQuestion;
  if (!wantsOutcome || settled === undefined) return valueOf(roundQuestion);
  return "value" in settled ? settled : { action: settled.action };
}

/** The questions of an `ask.all`, by id, also of one in an `ask.outcome`; undefined for a single question. */
function recordOf(effect: AskEffect): readonly (readonly [string, Question | AskOutcome])[] | undefined {
  const asked = "of" in effect ? effect.of : effect;
  return "asks" in asked ? Object.entries(asked.asks) : undefined;
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
