/**
 * Answers the questions of a server: from the answers that were given, or with the person at the terminal.
 *
 *   1. One question at a time, in the order in which they arrive.
 *   2. An answer is checked before it is sent. If it does not fit, the question is asked again, of the answers that name
 *      it and of the person. A line of stdin answers one question only.
 *   3. A question without an answer is cancelled.
 */
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type {
  Client,
  ClientCapabilities,
  ElicitRequestParams,
  ElicitResult,
} from "@modelcontextprotocol/client";
import { asPredicate, checkAnswer, InvalidAnswer, type Reply } from "@photon/core";
import type { CallOptions } from "../commands/call-flags.ts";
import { askOf, type TerminalHost } from "../run/terminal-host.ts";
import type { Answers } from "../terminal/answers.ts";
import {
  detailsCapability,
  parseDetails,
  questionOf,
  resultOf,
  type QuestionDetails,
  type RemoteAsk,
} from "./elicitation.ts";

/** A terminal has no model. The client itself refuses requests that need a capability which is not declared. */
export const capabilitiesFor = ({ root }: Pick<CallOptions, "root">): ClientCapabilities => ({
  ...detailsCapability,
  elicitation: { form: {}, url: {} },
  ...(root ? { roots: {} } : {}),
});

interface HandlerOptions {
  readonly handler: ElicitationHandler;
  readonly options: Pick<CallOptions, "root">;
  readonly cwd: string;
}

export function handleRequests(client: Client, { handler, options, cwd }: HandlerOptions): void {
  client.setRequestHandler("elicitation/create", ({ params }, { mcpReq: { id, signal, _meta: meta } }) =>
    handler.answer(params, {
      id,
      signal,
      isModern: client.getProtocolEra() === "modern",
      details: parseDetails(meta),
    }),
  );
  if (options.root)
    client.setRequestHandler("roots/list", () => ({
      roots: [{ uri: pathToFileURL(cwd).href, name: basename(cwd) }],
    }));
}

interface ElicitationOptions {
  readonly host: TerminalHost;
  /** The answers that name their question. */
  readonly named: Answers;
  /** Called before and after each question. */
  readonly onAsking: (isAsking: boolean) => void;
}

interface ElicitationRequest {
  readonly id?: string | number;
  readonly isModern: boolean;
  readonly signal: AbortSignal;
  /** What the server sends about the question beyond MCP. */
  readonly details?: QuestionDetails | undefined;
}

export class ElicitationHandler {
  readonly #options: ElicitationOptions;
  readonly #keys = new QuestionKeys();
  #previous: Promise<unknown> = Promise.resolve();

  constructor(options: ElicitationOptions) {
    this.#options = options;
  }

  /** Whether ctrl+c has cancelled one of the questions. */
  get hasCancelled(): boolean {
    return this.#keys.all.some((key) => this.#options.host.interruptions.hasCancelled(key));
  }

  /** `id` is that of the request, or in 2026-07-28 that of the question. */
  answer(
    params: ElicitRequestParams,
    { id, isModern, signal, details }: ElicitationRequest,
  ): Promise<ElicitResult> {
    const key = this.#keys.keyOf(id, isModern);
    const result = this.#previous.then(() => this.#answer(questionOf(params, details), key, signal));
    this.#previous = result.catch(() => {});
    return result;
  }

  async #answer(question: RemoteAsk, key: string, signal: AbortSignal): Promise<ElicitResult> {
    const { host, named, onAsking } = this.#options;
    onAsking(true);
    try {
      let reply = await this.#ask(question, key, signal, host);
      for (;;) {
        if (reply.action !== "accept") return { action: reply.action === "decline" ? "decline" : "cancel" };
        const verdict = await checkAnswer(question, reply.value);
        if ("value" in verdict) return resultOf(question, reply.value);
        const problem = asPredicate(question, verdict.problem);
        host.emits.print(new InvalidAnswer(key, question.message, problem).message, "yellow");
        reply = await this.#ask(question, key, signal, { ...host, answers: named });
      }
    } finally {
      onAsking(false);
    }
  }

  async #ask(question: RemoteAsk, key: string, signal: AbortSignal, host: TerminalHost): Promise<Reply> {
    if (signal.aborted) return { action: "cancel" };
    const open = { ...question, key, attempt: this.#keys.nextAttempt(key) };
    return (await askOf(host)(open, { signal })) ?? { action: "cancel" };
  }
}

/**
 * The ids of a call's questions, which `--answer` names.
 *
 * In 2026-07-28 every question has one. On a session Photon's servers put it into the id of their request
 * (`run:key:attempt`); the questions of other servers are numbered.
 */
export class QuestionKeys {
  #count = 0;
  readonly #attempts = new Map<string, number>();

  keyOf(id: string | number | undefined, isModern: boolean): string {
    this.#count += 1;
    if (isModern && id !== undefined) return String(id);
    const [, key] = /^[\da-f]{8}-[\da-f-]{27}:(.+):\d+$/.exec(String(id)) ?? [];
    return key ?? `ask-${this.#count}`;
  }

  /** Counts an attempt at a question, and returns its number. */
  nextAttempt(key: string): number {
    const attempt = (this.#attempts.get(key) ?? 0) + 1;
    this.#attempts.set(key, attempt);
    return attempt;
  }

  get all(): readonly string[] {
    return [...this.#attempts.keys()];
  }
}
