/**
 * One round of questions: what is open, and what came of each.
 *
 * Pure: it knows no body, no journal and no clock. `interpret` opens a round
 * for what the body yielded, tells it each reply, and takes its answer.
 *
 *   1. A non-answer is never an answer: it becomes an error, or what the author said it becomes.
 *   2. An answer counts only after `checkAnswer` let it through.
 *   3. The first question that fails ends the round; what is still open is dropped.
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
import type { Asked, KeyAllocator } from "./journal.ts";
import { Secret } from "../secrets.ts";
import { mapMaybeAsync } from "../util/platform.ts";

/** What a body is resumed with: a value, or an error to throw. */
export type Resume = { readonly value: unknown } | { readonly error: unknown };

interface RoundQuestion {
  readonly key: string;
  readonly question: Question;
  readonly wantsOutcome: boolean;
  /** How long it may stay open. */
  readonly wait: number | undefined;
  /** As it is asked, once its time has begun. */
  open: OpenQuestion | undefined;
  settled: Settled | undefined;
}

type Action = Outcome<unknown>["action"];

/** How a question ended: with a value to go on with, or with an error. */
type Settled =
  | { readonly action: Action; readonly value: unknown }
  | { readonly action: Exclude<Action, "accept">; readonly error: AskError };

/** What was asked for, taken apart: its questions, how their values are put together, and what a failure means. */
interface RoundPlan {
  readonly questions: readonly {
    readonly id?: string;
    readonly question: Question;
    readonly wantsOutcome: boolean;
  }[];
  readonly together: (values: readonly unknown[]) => unknown;
  readonly failed: (action: Action, error: AskError) => Resume;
}

export class QuestionRound {
  readonly #together: RoundPlan["together"];
  readonly #failed: RoundPlan["failed"];
  /** In the order they were written. They are few, and found by looking. */
  readonly #leaves: readonly RoundQuestion[];

  /** The questions still open, once somebody has looked. */
  #open: Round | undefined;

  constructor(asking: AskEffect, keys: KeyAllocator, askTimeout: number | undefined) {
    const { questions, together, failed } = planOf(asking);
    this.#together = together;
    this.#failed = failed;
    this.#leaves = questions.map(({ id, question, wantsOutcome }) => ({
      key: keys.ofQuestion(question, id),
      question,
      wantsOutcome,
      wait: question.timeout === undefined ? askTimeout : timeoutMilliseconds(question.timeout),
      open: undefined,
      settled: undefined,
    }));
  }

  /** What the journal says of this round. */
  get asked(): Asked["asked"] {
    return Object.fromEntries(
      this.#leaves.map(({ key, question }) => [key, [kindOf(question), answersDigest(question)] as const]),
    );
  }

  /** Starts the time of every question that is open. */
  openAt(now: number): void {
    this.#open = undefined;
    for (const leaf of this.#leaves) if (leaf.settled === undefined) leaf.open = openFrom(now, leaf);
  }

  /** The first question whose key is such a one. */
  withKey(isSuch: (key: string) => boolean): Question | undefined {
    return this.#leaves.find(({ key }) => isSuch(key))?.question;
  }

  /** The questions still open. */
  get open(): Round {
    this.#open ??= openOf(this.#leaves);
    return this.#open;
  }

  /** The secrets the body is about to be given: also those that its author wrote as a fallback. */
  get secrets(): readonly Secret[] {
    const secrets: Secret[] = [];
    for (const { settled } of this.#leaves) {
      if (settled !== undefined && "value" in settled && settled.value instanceof Secret)
        secrets.push(settled.value);
    }
    return secrets;
  }

  has(key: string): boolean {
    return this.#find(key) !== undefined;
  }

  isOpen(key: string): boolean {
    const leaf = this.#find(key);
    return leaf !== undefined && leaf.settled === undefined;
  }

  /** How often a question has been asked. */
  attemptAt(key: string): number {
    return this.#find(key)?.open?.attempt ?? 1;
  }

  /** Whether the round may still be open when a question of it was replied to: by others, or because it is asked again. */
  canStayOpen(key: string): boolean {
    const leaf = this.#find(key);
    return this.#leaves.length > 1 || (leaf !== undefined && mayAskAgain(leaf));
  }

  /**
   * Tells one reply, and when it came. An answer that does not fit is asked again while `retries` last; where one question
   * is settled, the time of the others begins: whoever asks one after another begins with the next one then.
   */
  applyReply(key: string, reply: Reply, now: number): void | Promise<void> {
    const leaf = this.#find(key);
    if (leaf === undefined) return undefined;
    if (reply.action !== "accept") return this.#settle(leaf, settleNonAnswer(leaf, reply), now);
    const { value } = reply;
    return mapMaybeAsync(validateAnswer(leaf.question, value), (verdict) => {
      if ("value" in verdict) this.#settle(leaf, { action: "accept", value: verdict.value }, now);
      else {
        const problem = asPredicate(leaf.question, verdict.problem);
        if (mayAskAgain(leaf)) this.#askAgain(leaf, problem, value, now);
        else this.#settle(leaf, settleInvalid(leaf, problem), now);
      }
    });
  }

  /** What the body is resumed with, once it is known. */
  get answer(): Resume | undefined {
    let isOpen = false;
    for (const { settled, wantsOutcome } of this.#leaves) {
      if (settled === undefined) isOpen = true;
      else if (!wantsOutcome && "error" in settled) return this.#failed(settled.action, settled.error);
    }
    return isOpen ? undefined : { value: this.#together(this.#leaves.map(valueOf)) };
  }

  #settle(leaf: RoundQuestion, settled: Settled, now: number): void {
    leaf.settled = settled;
    this.openAt(now);
  }

  #askAgain(leaf: RoundQuestion, problem: string, last: unknown, now: number): void {
    this.#open = undefined;
    leaf.open = openFrom(now, leaf, { last, problem });
  }

  #find(wanted: string): RoundQuestion | undefined {
    return this.#leaves.find(({ key }) => key === wanted);
  }
}

function planOf(asking: AskEffect): RoundPlan {
  if (asking.emit !== "ask") return oneOf(asking, false);
  if (asking.ask === "all") return allOf(asking.asks);
  if (asking.ask !== "outcome") return oneOf(asking, false);
  const { of } = asking;
  if (of.emit !== "ask" || of.ask !== "all") return oneOf(of, true);
  const { questions, together } = allOf(of.asks);
  return {
    questions,
    together: (values) => ({ action: "accept", value: together(values) }),
    failed: (action) => ({ value: { action } }),
  };
}

function oneOf(question: Question, wantsOutcome: boolean): RoundPlan {
  return { questions: [{ question, wantsOutcome }], together: theOnly, failed: thrown };
}

const theOnly: RoundPlan["together"] = ([value]) => value;

const thrown: RoundPlan["failed"] = (_, error) => ({ error });

function allOf(asks: Extract<AskEffect, { ask: "all" }>["asks"]): RoundPlan {
  const ids = Object.keys(asks);
  const questions = Object.entries(asks).map(([id, one]) =>
    one.emit === "ask" && one.ask === "outcome"
      ? // `ask.all` refuses rounds within rounds, so what is in an outcome here is one question.
        { id, question: one.of as Question, wantsOutcome: true }
      : { id, question: one, wantsOutcome: false },
  );
  return {
    questions,
    together: (values) => Object.fromEntries(ids.map((id, index) => [id, values[index]])),
    failed: thrown,
  };
}

/** What a question that is settled has come to, where that is no error. */
function valueOf({ settled, wantsOutcome }: RoundQuestion): unknown {
  const value = settled !== undefined && "value" in settled ? settled.value : undefined;
  if (!wantsOutcome || settled === undefined) return value;
  return "value" in settled ? { action: settled.action, value } : { action: settled.action };
}

function settleNonAnswer(leaf: RoundQuestion, reply: Exclude<Reply, { action: "accept" }>): Settled {
  const { key, question } = leaf;
  const { action } = reply;
  const isKind = (kind: string): boolean => question.emit === "ask" && question.ask === kind;
  const fallback: unknown = question.fallback?.[action];
  // `undefined` is nothing to go on with, but for a url, which is answered with nothing.
  const falls = fallback !== undefined || (isKind("url") && Object.hasOwn(question.fallback ?? {}, action));
  if (falls) return { action, value: deepCopy(fallback) };
  // The only softening there is: no is an answer to yes or no.
  if (action === "decline" && isKind("confirm") && !leaf.wantsOutcome) return { action, value: false };
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

function openOf(leaves: readonly RoundQuestion[]): Round {
  const round: Record<string, OpenQuestion> = {};
  for (const { key, settled, open } of leaves)
    if (settled === undefined && open !== undefined) round[key] = open;
  return round;
}

/** A question as whoever is asked sees it, from now on. After an answer that did not fit, that is suggested. */
function openFrom(
  now: number,
  leaf: RoundQuestion,
  unfitting?: { last: unknown; problem: string },
): OpenQuestion {
  const { key, question, wait, open } = leaf;
  const asked = unfitting === undefined ? (open ?? question) : prefill(question, unfitting.last);
  const attempt = (open?.attempt ?? 0) + (unfitting === undefined && open !== undefined ? 0 : 1);
  // Not a spread with more behind it: V8 makes each of those a hidden class of its own, and these may stay for days.
  const opened: Question & { key: string; attempt: number; hint?: string; wait?: number; deadline?: number } =
    Object.assign({}, asked, { key, attempt });
  if (unfitting !== undefined) opened.hint = unfitting.problem;
  if (wait !== undefined) {
    opened.wait = wait;
    opened.deadline = now + wait;
  }
  return opened;
}

const kindOf = (question: Question): string => (question.emit === "ask" ? question.ask : question.emit);

const mayAskAgain = ({ question, open }: RoundQuestion): boolean =>
  question.emit === "ask" && (open?.attempt ?? 1) <= (question.retries ?? 0);
