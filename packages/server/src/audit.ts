/** The audit trail: an entry for every question that got a reply, without secrets. */
import type { AutoAnswer, Client, Clock, OpenQuestion, Replies, Reply, Round } from "@photon/core";

/** A question that got a reply: who was asked what by which call, and the reply without secrets. */
export interface AuditEntry {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly run: string;
  readonly tool: string;
  /** The input as the body got it. */
  readonly input: unknown;
  /** The caller of the tool; "" without authentication. */
  readonly principal: string;
  readonly client: Pick<Client, "name" | "version">;
  readonly question: {
    readonly key: string;
    readonly attempt: number;
    readonly kind: string;
    readonly message: string;
  };
  readonly action: Reply["action"];
  /** Absent for a secret or a file. */
  readonly answer?: unknown;
  /** The answerer that replied, if it was not the client. */
  readonly answerer?: string;
  /** How the answer arrived, if not from the client: on a page, passed on by a model, or in the inbox. */
  readonly via?: "page" | "relay" | "inbox";
}

/** Called with every entry of the audit trail. */
export type Audit = (entry: AuditEntry) => void;

/** The call whose questions are recorded. */
interface AuditedCall {
  readonly tool: string;
  readonly input: unknown;
  readonly principal: string;
  readonly client: Client;
  readonly clock: Clock;
}

export class Auditor {
  readonly #audit: Audit;
  readonly #call: AuditedCall;

  constructor(audit: Audit, call: AuditedCall) {
    this.#audit = audit;
    this.#call = { ...call, input: copyOf(call.input) };
  }

  recordAutoAnswer({ runId, question, reply, answerer }: AutoAnswer): void {
    this.#record(runId, question, reply, answerer === undefined ? {} : { answerer });
  }

  recordReplies(run: string, round: Round, replies: Replies, givenVia?: AuditEntry["via"]): void {
    for (const [key, reply] of Object.entries(replies)) {
      const question = round[key];
      if (question === undefined) continue;
      // Secrets and files are answered on pages only.
      const via = givenVia ?? (reply.action === "accept" && isPrivate(question) ? "page" : undefined);
      this.#record(run, question, reply, via === undefined ? {} : { via });
    }
  }

  #record(
    run: string,
    question: OpenQuestion,
    reply: Reply,
    source: Pick<AuditEntry, "answerer" | "via">,
  ): void {
    const { tool, input, principal, client, clock } = this.#call;
    const { key, attempt, emit } = question;
    const [kind, message] = emit === "ask" ? [question.ask, question.message] : [emit, emit];
    const hasAnswer = reply.action === "accept" && !isPrivate(question) && "value" in reply;
    this.#audit({
      at: clock.now(),
      run,
      tool,
      input,
      principal,
      client: { name: client.name, version: client.version },
      question: { key, attempt, kind, message },
      action: reply.action,
      ...(hasAnswer ? { answer: reply.value } : {}),
      ...source,
    });
  }
}

const isPrivate = (question: OpenQuestion): boolean =>
  question.emit === "ask" && (question.ask === "secret" || question.ask === "file");

/** A copy, because the body may change its input. */
function copyOf(input: unknown): unknown {
  try {
    return structuredClone(input);
  } catch {
    return input;
  }
}
