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
import { timeoutMilliseconds } from "./duration.ts";
import type { Asking, Outcome, OpenQuestion, Question, Reply, Round } from "./effects.ts";
import {
  AskCancelled,
  AskDeclined,
  AskTimedOut,
  AskUnsupported,
  InvalidAnswer,
  type AskError,
} from "./errors.ts";
import type { Asked } from "./journal.ts";
import { digest } from "./json.ts";
import type { Keys } from "./keys.ts";
import { Secret } from "./secret.ts";
import { suggest } from "./suggest.ts";

interface Leaf {
  readonly key: string;
  /** Its name in `ask.all`. */
  readonly id: string;
  readonly question: Question;
  readonly wantsOutcome: boolean;
  open: OpenQuestion;
  settled?: Settled;
}

/** How a question ended. `error` is there unless there is a value to go on with. */
type Settled =
  | { readonly action: Outcome<unknown>["action"]; readonly value: unknown }
  | { readonly action: Exclude<Outcome<unknown>["action"], "accept">; readonly error: AskError };

export class QuestionRound {
  readonly #asking: Asking;
  readonly #leaves: readonly Leaf[];

  constructor(asking: Asking, keys: Keys, askTimeout: number | undefined) {
    this.#asking = asking;
    this.#leaves = questionsIn(asking).map(({ id, question, wantsOutcome }) => {
      const key = keys.ofQuestion(question, id === "" ? undefined : id);
      const wait = question.timeout === undefined ? askTimeout : timeoutMilliseconds(question.timeout);
      const open = { ...question, key, attempt: 1, ...(wait === undefined ? {} : { wait }) };
      return { key, id, question, wantsOutcome, open };
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

  /** Starts the time of every question. */
  startAt(now: number): void {
    for (const leaf of this.#leaves) {
      if (leaf.settled === undefined && leaf.open.wait !== undefined)
        leaf.open = { ...leaf.open, deadline: now + leaf.open.wait };
    }
  }

  /** The questions still open. */
  get open(): Round {
    return Object.fromEntries(
      this.#leaves.filter(({ settled }) => settled === undefined).map(({ key, open }) => [key, open]),
    );
  }

  /** The secrets the body is about to be given, by key: also one that its author wrote as a fallback. */
  get secrets(): readonly (readonly [key: string, secret: Secret])[] {
    return this.#leaves.flatMap(({ key, settled }) =>
      settled !== undefined && "value" in settled && settled.value instanceof Secret
        ? [[key, settled.value] as const]
        : [],
    );
  }

  has(key: string): boolean {
    return this.#leaves.some((leaf) => leaf.key === key);
  }

  isOpen(key: string): boolean {
    return this.#leaves.some((leaf) => leaf.key === key && leaf.settled === undefined);
  }

  /** How often a question has been asked. */
  attemptAt(key: string): number {
    return this.#leaves.find((leaf) => leaf.key === key)?.open.attempt ?? 1;
  }

  /** Tells one reply. An answer that does not fit is asked again while `retries` last. */
  async tell(key: string, reply: Reply, now: number): Promise<void> {
    const leaf = this.#leaves.find((one) => one.key === key);
    if (leaf === undefined) return;
    if (reply.action !== "accept") {
      leaf.settled = withoutAnswer(leaf, reply);
      return;
    }
    const verdict = await checkAnswer(leaf.question, reply.value);
    if ("value" in verdict) leaf.settled = { action: "accept", value: verdict.value };
    else if (leaf.open.attempt <= retriesOf(leaf.question))
      leaf.open = askedAgain(leaf, verdict.problem, reply.value, now);
    else
      leaf.settled = {
        action: "invalid",
        error: new InvalidAnswer(key, messageOf(leaf.question), verdict.problem),
      };
  }

  /** What the body is resumed with, once it is known: a value, or an error to throw. */
  get answer(): { readonly value: unknown } | { readonly error: AskError } | undefined {
    const failed = this.#leaves.find(
      ({ settled, wantsOutcome }) => !wantsOutcome && settled !== undefined && "error" in settled,
    );
    const failure = failed?.settled;
    if (failure !== undefined && "error" in failure) {
      return this.#asking.emit === "ask" && this.#asking.ask === "outcome"
        ? { value: { action: failure.action } }
        : { error: failure.error };
    }
    if (this.#leaves.some(({ settled }) => settled === undefined)) return undefined;
    return { value: this.#assemble() };
  }

  #assemble(): unknown {
    const asking = this.#asking;
    const kind = asking.emit === "ask" ? asking.ask : undefined;
    if (kind !== "all" && kind !== "outcome") return valueOf(this.#leaves[0]);
    const values = (): unknown => Object.fromEntries(this.#leaves.map((leaf) => [leaf.id, valueOf(leaf)]));
    if (asking.emit === "ask" && asking.ask === "outcome") {
      return asking.of.emit === "ask" && asking.of.ask === "all"
        ? { action: "accept", value: values() }
        : valueOf(this.#leaves[0]);
    }
    return values();
  }
}

interface Named {
  readonly id: string;
  readonly question: Question;
  readonly wantsOutcome: boolean;
}

function questionsIn(asking: Asking): readonly Named[] {
  if (asking.emit !== "ask") return [{ id: "", question: asking, wantsOutcome: false }];
  if (asking.ask === "all") {
    return Object.entries(asking.asks).map(([id, one]) =>
      one.emit === "ask" && one.ask === "outcome"
        ? // `ask.all` refuses rounds within rounds, so what is in an outcome here is one question.
          { id, question: one.of as Question, wantsOutcome: true }
        : { id, question: one, wantsOutcome: false },
    );
  }
  if (asking.ask !== "outcome") return [{ id: "", question: asking, wantsOutcome: false }];
  const { of } = asking;
  return of.emit === "ask" && of.ask === "all"
    ? questionsIn(of)
    : [{ id: "", question: of, wantsOutcome: true }];
}

function valueOf(leaf: Leaf | undefined): unknown {
  const settled = leaf?.settled;
  if (leaf === undefined || settled === undefined) return undefined;
  if (!leaf.wantsOutcome) return "value" in settled ? settled.value : undefined;
  return "value" in settled ? { action: settled.action, value: settled.value } : { action: settled.action };
}

function withoutAnswer(leaf: Leaf, reply: Exclude<Reply, { action: "accept" }>): Settled {
  const { key, question } = leaf;
  const { action } = reply;
  const fallback = question.fallback;
  if (fallback !== undefined && Object.hasOwn(fallback, action)) return { action, value: fallback[action] };
  // The only softening there is: no is an answer to yes or no.
  const saysNo =
    action === "decline" && question.emit === "ask" && question.ask === "confirm" && !leaf.wantsOutcome;
  return saysNo ? { action, value: false } : { action, error: errorFor(reply, key, messageOf(question)) };
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
    ...(wait === undefined ? {} : { wait, deadline: now + wait }),
  };
}

/** A question in words, for an error. */
function messageOf(question: Question): string {
  return question.emit === "ask" ? question.message : question.emit;
}

const kindOf = (question: Question): string => (question.emit === "ask" ? question.ask : question.emit);

const retriesOf = (question: Question): number => (question.emit === "ask" ? (question.retries ?? 0) : 0);
