/** Who in this process hears of which run, or of which session, from the other processes. */
import type { Letter } from "../stateless/forward-to-owner.ts";
import type { Wire } from "../jsonrpc/messages.ts";

/** What processes tell each other. */
export type News =
  /** A run was answered by another way than its client's line, or has gone on without its client. */
  | { readonly grown: string }
  /**
   * A process takes up a run, because its client has come back there. `returns`: how often the client had come back before, by the log. A
   * message that arrives late must not stop a process to which the client came back afterwards.
   */
  | { readonly moved: string; readonly to: string; readonly returns: number }
  /** A message of a client's, for whichever process its session has a call in. */
  | { readonly session: string; readonly message: Wire }
  /** A client has ended its session. */
  | { readonly over: string }
  /** One process writes to another about something that goes by a name. */
  | { readonly letter: Letter; readonly name: string; readonly process: string };

export interface RunAttendant {
  /** The run was answered elsewhere. */
  grown(): void;
  /** Another process takes up the run. `returns`: how often its client had come back before. */
  moved(returns: number): void;
}

export interface SessionAttendant {
  /** The client has said something in another process. */
  passedOn(message: Wire): void;
  /** The client has ended its session. */
  over(): void;
}

export class Attendance {
  readonly #process: string;
  readonly #runs = new Map<string, RunAttendant>();
  readonly #sessions = new Map<string, SessionAttendant>();
  readonly #all = new Set<{ readonly grown: (run: string) => void; readonly onGap: () => void }>();
  /** Reads what others write to this process. */
  readLetter: (name: string, letter: Letter) => void = () => {};

  constructor(process: string) {
    this.#process = process;
  }

  attendRun(run: string, attendant: RunAttendant): () => void {
    return attend(this.#runs, run, attendant);
  }

  /** Whether somebody here has a run live. */
  hasRun(run: string): boolean {
    return this.#runs.has(run);
  }

  attendSession(session: string, attendant: SessionAttendant): () => void {
    return attend(this.#sessions, session, attendant);
  }

  wake(run: string): void {
    this.#runs.get(run)?.grown();
  }

  /** Messages of other processes may be lost: every run that is claimed here looks at its log, and every listener at the store. */
  wakeAll(): void {
    for (const attendant of this.#runs.values()) attendant.grown();
    for (const { onGap } of this.#all) onGap();
  }

  attendAll(grown: (run: string) => void, onGap: () => void): () => void {
    const attendant = { grown, onGap };
    this.#all.add(attendant);
    return () => void this.#all.delete(attendant);
  }

  hear(news: News): void {
    if ("grown" in news) this.#grown(news.grown);
    else if ("session" in news) this.#sessions.get(news.session)?.passedOn(news.message);
    else if ("over" in news) this.#sessions.get(news.over)?.over();
    else if ("letter" in news) this.#deliver(news);
    else if (news.to !== this.#process) this.#runs.get(news.moved)?.moved(news.returns);
  }

  #deliver({ process, name, letter }: Extract<News, { letter: Letter }>): void {
    if (process === this.#process) this.readLetter(name, letter);
  }

  #grown(run: string): void {
    this.#runs.get(run)?.grown();
    for (const { grown } of this.#all) grown(run);
  }
}

/** Whoever comes later for the same takes the place of whoever came before. */
function attend<One>(all: Map<string, One>, name: string, attendant: One): () => void {
  all.set(name, attendant);
  return () => {
    if (all.get(name) === attendant) all.delete(name);
  };
}
