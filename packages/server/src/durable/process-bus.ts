/** Who in this process hears of which run, or of which session, from the other processes. */
import type { JsonObject, Notification, Request } from "../jsonrpc/messages.ts";
import type { StatelessResponse } from "../connection.ts";

/** What processes tell each other. */
export type BusMessage =
  /** A run was answered in another way than by its client, or was continued without its client. */
  | { readonly grown: string }
  /**
   * A process takes up a run, because its client has come back there. `returns`: how often the client had come back before, by the log. A
   * message that arrives late must not stop a process to which the client came back afterwards.
   */
  | { readonly moved: string; readonly to: string; readonly returns: number }
  /** A message of a client's, for whichever process its session has a call in. */
  | { readonly session: string; readonly message: JsonObject }
  /** A client has ended its session. */
  | { readonly over: string }
  /** One process writes to another about something that goes by a name. */
  | { readonly letter: ForwardMessage; readonly name: string; readonly process: string };

export interface RunListener {
  /** The run was answered elsewhere. */
  onAnswered(): void;
  /** Another process takes up the run. `returns`: how often its client had come back before. */
  onMoved(returns: number): void;
}

export interface SessionListener {
  /** The client has said something in another process. */
  onForwarded(message: JsonObject): void;
  /** The client has ended its session. */
  onTerminated(): void;
}

export class ProcessBus {
  readonly #process: string;
  readonly #runs = new Map<string, RunListener>();
  readonly #sessions = new Map<string, SessionListener>();
  readonly #all = new Set<{ readonly grown: (run: string) => void; readonly onGap: () => void }>();
  /** Reads what others write to this process. */
  onMessage: (name: string, letter: ForwardMessage) => void = () => {};

  constructor(process: string) {
    this.#process = process;
  }

  onRun(run: string, listener: RunListener): () => void {
    return listen(this.#runs, run, listener);
  }

  /** Whether a call of this process has claimed the run. */
  hasRun(run: string): boolean {
    return this.#runs.has(run);
  }

  onSession(session: string, listener: SessionListener): () => void {
    return listen(this.#sessions, session, listener);
  }

  wake(run: string): void {
    this.#runs.get(run)?.onAnswered();
  }

  /** Messages of other processes may be lost: every run that is claimed here looks at its log, and every listener at the store. */
  wakeAll(): void {
    for (const listener of this.#runs.values()) listener.onAnswered();
    for (const { onGap } of this.#all) onGap();
  }

  onAnyRun(grown: (run: string) => void, onGap: () => void): () => void {
    const listener = { grown, onGap };
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  }

  receive(news: BusMessage): void {
    if ("grown" in news) this.#grown(news.grown);
    else if ("session" in news) this.#sessions.get(news.session)?.onForwarded(news.message);
    else if ("over" in news) this.#sessions.get(news.over)?.onTerminated();
    else if ("letter" in news) this.#deliver(news);
    else if (news.to !== this.#process) this.#runs.get(news.moved)?.onMoved(news.returns);
  }

  #deliver({ process, name, letter }: Extract<BusMessage, { letter: ForwardMessage }>): void {
    if (process === this.#process) this.onMessage(name, letter);
  }

  #grown(run: string): void {
    this.#runs.get(run)?.onAnswered();
    for (const { grown } of this.#all) grown(run);
  }
}

/** A later listener replaces an earlier one. */
function listen<One>(all: Map<string, One>, name: string, listener: One): () => void {
  all.set(name, listener);
  return () => {
    if (all.get(name) === listener) all.delete(name);
  };
}

/** What two processes write to each other about a request. */
export type ForwardMessage =
  | { readonly request: Request; readonly principal: string; readonly from: string }
  | { readonly told: Notification }
  | { readonly answer: StatelessResponse }
  | { readonly left: true };
