/** What is written down of every question: who was asked what, when, and what was said. Secrets aside. */
import type { AutoAnswer, Client, Clock, OpenQuestion, Replies, Reply, Round } from "@photon/core";

export interface AuditEntry {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly run: string;
  readonly tool: string;
  /** The exact input that the body was given. */
  readonly input: unknown;
  /** Whose call it was; "" where nobody is known by name. */
  readonly principal: string;
  readonly client: Pick<Client, "name" | "version">;
  /** The key of the question, how often it was asked, what kind it was, and in words. */
  readonly question: {
    readonly key: string;
    readonly attempt: number;
    readonly kind: string;
    readonly message: string;
  };
  readonly action: Reply["action"];
  /** What was answered; never where that is secret or a file. */
  readonly answer?: unknown;
  /** The answerer that said it; nobody, where it came from the client. */
  readonly answerer?: string;
  /** How it came, where not from the client: on a page of the person's own, in the words of a model (`relay`), by the inbox. */
  readonly via?: "page" | "relay" | "inbox";
}

export type Audit = (entry: AuditEntry) => void;

/** What is audited of one call. */
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

  /** What became of a question that the client was not asked. */
  hearEarly({ runId, question, reply, answerer }: AutoAnswer): void {
    this.#note(runId, question, reply, answerer === undefined ? {} : { answerer });
  }

  /** What came from the client, or past it. */
  hear(run: string, round: Round, replies: Replies, past?: AuditEntry["via"]): void {
    for (const [key, reply] of Object.entries(replies)) {
      const question = round[key];
      if (question === undefined) continue;
      // What is private is given on pages only.
      const via = past ?? (reply.action === "accept" && isPrivate(question) ? "page" : undefined);
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

/** What an entry says of a question and its reply. */
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

/** A body may do with its input what it likes. What cannot be copied is not data, and is kept as it is. */
function copyOf(input: unknown): unknown {
  try {
    return structuredClone(input);
  } catch {
    return input;
  }
}
