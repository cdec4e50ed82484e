/**
 * Answers what a server asks: from the answers that were given, or by the person at the terminal.
 *
 *   1. One question at a time, in the order in which they came.
 *   2. An answer is checked before it is sent. One that does not fit is told, and looked for once more: by its id, or
 *      with the person. Lines of stdin answer one question each.
 *   3. Whatever is no answer is a cancel, or a decline where somebody declined.
 */
import type { ElicitRequestParams, ElicitResult } from "@modelcontextprotocol/client";
import { asPredicate, checkAnswer, InvalidAnswer, type Reply } from "@photon/core";
import { askOf, type TerminalHost } from "../run/terminal-host.ts";
import type { Answers } from "../terminal/answers.ts";
import { questionOf, resultOf, type RemoteAsk } from "./elicitation.ts";
import type { QuestionDetails } from "./question-details.ts";
import { QuestionKeys } from "./question-keys.ts";

export interface PersonOptions {
  readonly host: TerminalHost;
  /** The answers that name their question. */
  readonly named: Answers;
  /** Hears that somebody is asked, and that nobody is any more. */
  readonly asking: (isAsking: boolean) => void;
}

interface Asking {
  readonly id?: string | number;
  readonly isModern: boolean;
  readonly signal: AbortSignal;
  /** What the server tells of the question beyond MCP. */
  readonly details?: QuestionDetails | undefined;
}

export class Person {
  readonly #options: PersonOptions;
  readonly #keys = new QuestionKeys();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: PersonOptions) {
    this.#options = options;
  }

  /** Whether ctrl+c has cancelled one of the questions. */
  get hasCancelled(): boolean {
    return this.#keys.all.some((key) => this.#options.host.interruptions.hasCancelled(key));
  }

  /** Puts what a server asks; `id` is that of its request, or in 2026-07-28 that of the question. */
  answer(params: ElicitRequestParams, { id, isModern, signal, details }: Asking): Promise<ElicitResult> {
    const key = this.#keys.keyOf(id, isModern);
    const turn = this.#turn.then(() => this.#answer(questionOf(params, details), key, signal));
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #answer(question: RemoteAsk, key: string, signal: AbortSignal): Promise<ElicitResult> {
    const { host, named, asking } = this.#options;
    asking(true);
    try {
      let reply = await this.#ask(question, key, signal, host);
      for (;;) {
        if (reply.action !== "accept") return { action: reply.action === "decline" ? "decline" : "cancel" };
        const verdict = await checkAnswer(question, reply.value);
        if ("value" in verdict) return resultOf(question, reply.value);
        const problem = asPredicate(question, verdict.problem);
        host.emits.say(new InvalidAnswer(key, question.message, problem).message, "yellow");
        reply = await this.#ask(question, key, signal, { ...host, answers: named });
      }
    } finally {
      asking(false);
    }
  }

  async #ask(question: RemoteAsk, key: string, signal: AbortSignal, host: TerminalHost): Promise<Reply> {
    if (signal.aborted) return { action: "cancel" };
    const asked = { ...question, key, attempt: this.#keys.attempt(key) };
    return (await askOf(host)(asked, { signal })) ?? { action: "cancel" };
  }
}
