/** The audit trail: one entry for every answered question, without secrets. */
import type { AutoAnswer, Client, Clock, OpenQuestion, Replies, Reply, Round } from "@photon/core";

export interface AuditEntry {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly run: string;
  readonly tool: string;
  /** The exact input that the body was given. */
  readonly input: unknown;
  /** Whose call it was; "" without authentication. */
  readonly principal: string;
  readonly client: Pick<Client, "name" | "version">;
  readonly question: {
    readonly key: string;
    readonly attempt: number;
    readonly kind: string;
    readonly message: string;
  };
  readonly action: Reply["action"];
  /** Never that of a secret or a file. */
  readonly answer?: unknown;
  /** The answerer that replied, if it was not the client. */
  readonly answerer?: string;
  /** How the answer arrived, if not from the client: a page, a model (`relay`), the inbox. */
  readonly via?: "page" | "relay" | "inbox";
}

export type Audit = (entry: AuditEntry) => void;

interface Audited {
  readonly tool: string;
  readonly input: unknown;
  readonly principal: string;
  readonly client: Client;
  readonly clock: Clock;
}

export class Auditor {
  readonly #audit: Audit;
  readonly #audited: Audited;

  constructor(audit: Audit, audited: Audited) {
    this.#audit = audit;
    this.#audited = { ...audited, input: copyOf(audited.input) };
  }

  recordAutoAnswer({ runId, question, reply, answerer }: AutoAnswer): void {
    this.#note(runId, question, reply, answerer === undefined ? {} : { answerer });
  }

  recordReplies(run: string, round: Round, replies: Replies, given?: AuditEntry["via"]): void {
    for (const [key, reply] of Object.entries(replies)) {
      const question = round[key];
      if (question === undefined) continue;
      // Secrets and files are answered on pages only.
      const via = given ?? (reply.action === "accept" && isPrivate(question) ? "page" : undefined);
      this.#note(run, question, reply, via === undefined ? {} : { via });
    }
  }

  #note(run: string, question: OpenQuestion, reply: Reply, by: Pick<AuditEntry, "answerer" | "via">): void {
    const { tool, input, principal, client, clock } = this.#audited;
    this.#audit({
      at: clock.now(),
      run,
      tool,
      input,
      principal,
      client: { name: client.name, version: client.version },
      ...saidOf(question, reply),
      ...by,
    });
  }
}

function saidOf(question: OpenQuestion, reply: Reply): Pick<AuditEntry, "question" | "action" | "answer"> {
  const { key, attempt } = question;
  const kind = question.emit === "ask" ? question.ask : question.emit;
  const message = question.emit === "ask" ? question.message : question.emit;
  return {
    question: { key, attempt, kind, message },
    action: reply.action,
    ...(reply.action === "accept" && !isPrivate(question) && "value" in reply ? { answer: reply.value } : {}),
  };
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
