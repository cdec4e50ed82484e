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
import { answerSchema, withoutWords } from "./ask/answer-schema.ts";
import { checkAnswer } from "./ask/check-answer.ts";
import { suggest } from "./ask/suggest.ts";
import { defined } from "./defined.ts";
import { timeoutMilliseconds } from "./duration.ts";
import {
  messageOf,
  type Asking,
  type Outcome,
  type OpenQuestion,
  type Question,
  type Reply,
  type Round,
} from "./effects.ts";
import {
  AskCancelled,
  AskDeclined,
  AskTimedOut,
  AskUnsupported,
  InvalidAnswer,
  type AskError,
} from "./errors.ts";
import { ownCopy } from "./frozen-copy.ts";
import type { Asked } from "./journal.ts";
import { digest } from "./json.ts";
import type { Keys } from "./keys.ts";
import { Secret } from "./secret.ts";

/** What a body is resumed with: a value, or an error to throw. */
export type Resume = { readonly value: unknown } | { readonly error: unknown };

interface Leaf {
  readonly key: string;
  readonly question: Question;
  readonly wantsOutcome: boolean;
  open: OpenQuestion;
  settled?: Settled;
}

type Action = Outcome<unknown>["action"];

/** How a question ended: with a value to go on with, or with an error. */
type Settled =
  | { readonly action: Action; readonly value: unknown }
  | { readonly action: Exclude<Action, "accept">; readonly error: AskError };

/** What was asked for, taken apart: its questions, how their values are put together, and what a failure means. */
interface Shape {
  readonly questions: readonly {
    readonly id?: string;
    readonly question: Question;
    readonly wantsOutcome: boolean;
  }[];
  readonly together: (values: readonly unknown[]) => unknown;
  readonly failed: (action: Action, error: AskError) => Resume;
}

export class QuestionRound {
  readonly #together: Shape["together"];
  readonly #failed: Shape["failed"];
  /** In the order they were written. They are few, and found by looking. */
  readonly #leaves: readonly Leaf[];

  constructor(asking: Asking, keys: Keys, askTimeout: number | undefined) {
    const { questions, together, failed } = shapeOf(asking);
    this.#together = together;
    this.#failed = failed;
    this.#leaves = questions.map(({ id, question, wantsOutcome }) => {
      const key = keys.ofQuestion(question, id);
      const wait = question.timeout === undefined ? askTimeout : timeoutMilliseconds(question.timeout);
      const open = { ...question, key, attempt: 1, ...defined({ wait }) };
      return { key, question, wantsOutcome, open };
    });
  }

  /** What the journal says of this round. */
  get asked(): Asked["asked"] {
    return Object.fromEntries(
      this.#leaves.map(({ key, question }) => [
        key,
        [kindOf(question), digest(withoutWords(answerSchema(question)))] as const,
      ]),
    );
  }

  /** Starts the time of every question that is open. */
  startAt(now: number): void {
    for (const leaf of this.#leaves) {
      const { wait } = leaf.open;
      // Not a spread with more behind it: V8 makes each of those a hidden class of its own, and these may stay for days.
      if (leaf.settled === undefined && wait !== undefined)
        leaf.open = Object.assign({}, leaf.open, { deadline: now + wait });
    }
  }

  /** The questions still open. */
  get open(): Round {
    return Object.fromEntries(
      this.#leaves.flatMap(({ key, settled, open }) => (settled === undefined ? [[key, open]] : [])),
    );
  }

  /** The secrets the body is about to be given: also those that its author wrote as a fallback. */
  get secrets(): readonly Secret[] {
    return this.#leaves.flatMap(({ settled }) =>
      settled !== undefined && "value" in settled && settled.value instanceof Secret ? [settled.value] : [],
    );
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
    return this.#find(key)?.open.attempt ?? 1;
  }

  /** Whether the round may still be open when a question of it was replied to: by others, or because it is asked again. */
  mayOutlast(key: string): boolean {
    const leaf = this.#find(key);
    return this.#leaves.length > 1 || (leaf !== undefined && leaf.open.attempt <= retriesOf(leaf.question));
  }

  /** Tells one reply. An answer that does not fit is asked again while `retries` last. */
  async tell(key: string, reply: Reply, now: number): Promise<void> {
    const leaf = this.#find(key);
    if (leaf === undefined) return;
    if (reply.action !== "accept") {
      leaf.settled = withoutAnswer(leaf, reply);
      return;
    }
    const { question, open } = leaf;
    const verdict = await checkAnswer(question, reply.value);
    if ("value" in verdict) leaf.settled = { action: "accept", value: verdict.value };
    else if (open.attempt <= retriesOf(question))
      leaf.open = askedAgain(leaf, verdict.problem, reply.value, now);
    else
      leaf.settled = {
        action: "invalid",
        error: new InvalidAnswer(key, messageOf(question), verdict.problem),
      };
  }

  /** What the body is resumed with, once it is known. */
  get answer(): Resume | undefined {
    const values: unknown[] = [];
    let isOpen = false;
    for (const { settled, wantsOutcome } of this.#leaves) {
      if (settled === undefined) isOpen = true;
      else if (wantsOutcome) values.push(outcomeOf(settled));
      else if ("error" in settled) return this.#failed(settled.action, settled.error);
      else values.push(settled.value);
    }
    return isOpen ? undefined : { value: this.#together(values) };
  }

  #find(wanted: string): Leaf | undefined {
    return this.#leaves.find(({ key }) => key === wanted);
  }
}

function shapeOf(asking: Asking): Shape {
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

function oneOf(question: Question, wantsOutcome: boolean): Shape {
  return { questions: [{ question, wantsOutcome }], together: theOnly, failed: thrown };
}

const theOnly: Shape["together"] = ([value]) => value;

const thrown: Shape["failed"] = (_, error) => ({ error });

function allOf(asks: Extract<Asking, { ask: "all" }>["asks"]): Shape {
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

function outcomeOf({ action, ...settled }: Settled): unknown {
  return "value" in settled ? { action, value: settled.value } : { action };
}

function withoutAnswer(leaf: Leaf, reply: Exclude<Reply, { action: "accept" }>): Settled {
  const { key, question } = leaf;
  const { action } = reply;
  const isKind = (kind: string): boolean => question.emit === "ask" && question.ask === kind;
  const fallback: unknown = question.fallback?.[action];
  // `undefined` is nothing to go on with, but for a url, which is answered with nothing.
  const falls = fallback !== undefined || (isKind("url") && Object.hasOwn(question.fallback ?? {}, action));
  if (falls) return { action, value: ownCopy(fallback) };
  // The only softening there is: no is an answer to yes or no.
  if (action === "decline" && isKind("confirm") && !leaf.wantsOutcome) return { action, value: false };
  return { action, error: errorFor(reply, key, messageOf(question)) };
}

function errorFor(reply: Exclude<Reply, { action: "accept" }>, key: string, message: string): AskError {
  switch (reply.action) {
    case "decline":
      return new AskDeclined(key, message);
    case "cancel":
      return new AskCancelled(key, message);
    case "timeout":
      return new AskTimedOut(key, message);
    case "unsupported":
      return new AskUnsupported(key, message, reply.reason);
    default:
      return reply satisfies never;
  }
}

function askedAgain(leaf: Leaf, hint: string, last: unknown, now: number): OpenQuestion {
  const { key, attempt, wait } = leaf.open;
  return {
    ...suggest(leaf.question, last),
    key,
    attempt: attempt + 1,
    hint,
    ...defined({ wait, deadline: wait && now + wait }),
  };
}

const kindOf = (question: Question): string => (question.emit === "ask" ? question.ask : question.emit);

const retriesOf = (question: Question): number => (question.emit === "ask" ? (question.retries ?? 0) : 0);
