/** Signals of the operating system: ctrl+c, SIGTERM and SIGHUP, for runs and for servers. */
import { RunCancelled } from "@photon/core";
import type { CommandIO, Signal } from "./io.ts";

/** Returns a function that removes the listeners. */
function listen(
  signals: CommandIO["signals"],
  listeners: { readonly [name in Signal]?: () => void },
): () => void {
  const entries = Object.entries(listeners) as [Signal, () => void][];
  for (const [signal, listener] of entries) signals.on(signal, listener);
  return () => {
    for (const [signal, listener] of entries) signals.off(signal, listener);
  };
}

/** Rejects with the reason of the signal if that is aborted before the promise settles. */
export async function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const settled = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    // Every signal of this package is aborted with an error.
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true, signal: settled.signal });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    settled.abort();
  }
}

/**
 * The signals that end a run.
 *
 *   1. ctrl+c cancels the open question; a second one, or one while no question is open, ends the run.
 *   2. SIGTERM and SIGHUP end the run at once.
 *   3. A run that was ended runs its `finally` blocks; another signal does not wait for them.
 */
export class RunSignals {
  readonly #run = new AbortController();
  readonly #forceQuit = new AbortController();
  readonly #stopping = new AbortController();
  /** Removes the listeners. */
  readonly close: () => void;
  #question: AbortController | undefined;
  /** The keys of the questions that ctrl+c cancelled. */
  readonly #cancelled = new Set<string>();
  #isWarned = false;

  constructor(signals: CommandIO["signals"]) {
    this.close = listen(signals, {
      SIGINT: () => this.interrupt(),
      SIGTERM: () => this.end("The run was ended."),
      SIGHUP: () => this.end("The terminal was closed."),
      beforeExit: () =>
        this.fail(
          new RunCancelled(
            "The tool never ended: it awaits a promise, and nothing is left that could settle it.",
          ),
        ),
    });
  }

  /** Aborted when the run must end. */
  get run(): AbortSignal {
    return this.#run.signal;
  }

  /** Aborted when the process ends without waiting for the run. */
  get forceQuit(): AbortSignal {
    return this.#forceQuit.signal;
  }

  /** Aborted when ctrl+c asks the run to end, before the run itself is. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Whether a person or the system ended the run, or cancelled the question that it ended with. */
  isInterrupted(error: unknown): boolean {
    if (this.#run.signal.aborted) return this.#run.signal.reason instanceof Interrupted;
    return error instanceof Error && "id" in error && this.#cancelled.has(String(error.id));
  }

  /** Whether ctrl+c cancelled a question. */
  hasCancelled(key: string): boolean {
    return this.#cancelled.has(key);
  }

  /** Asks; the signal is aborted if the question is cancelled or the run ended. */
  async withQuestion<T>(key: string, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const question = new AbortController();
    this.#question = question;
    const cancel = (): void => void this.#cancelled.add(key);
    question.signal.addEventListener("abort", cancel, { once: true });
    try {
      const answer = await ask(AbortSignal.any([question.signal, this.#run.signal]));
      if (!question.signal.aborted) this.#isWarned = false;
      return answer;
    } finally {
      this.#question = undefined;
    }
  }

  /** Rejects if the run must end before the promise settles. */
  rejectOnAbort<T>(promise: Promise<T>): Promise<T> {
    return rejectOnAbort(promise, this.#run.signal);
  }

  interrupt(): void {
    if (this.#question === undefined || this.#isWarned) {
      this.#stopping.abort();
      this.end("The run was interrupted.");
      return;
    }
    this.#isWarned = true;
    this.#question.abort();
  }

  end(reason: string): void {
    if (this.#run.signal.aborted) this.#forceQuit.abort();
    else this.#run.abort(new Interrupted(reason));
  }

  /** Ends the run with an error that is no interruption. */
  fail(reason: Error): void {
    if (!this.#run.signal.aborted) this.#run.abort(reason);
  }
}

/** A person or the system ended the run. */
class Interrupted extends RunCancelled {}

/** The signals that end a server. */
export class ShutdownSignals {
  /** Resolves with the exit code at the first signal. */
  readonly requested: Promise<number>;
  /** Resolves at the second. */
  readonly forced: Promise<void>;
  /** Removes the listeners. */
  readonly close: () => void;
  #isRequested = false;
  readonly #resolvers: ((exitCode: number) => void)[] = [];

  constructor(signals: CommandIO["signals"]) {
    this.requested = new Promise((resolve) => {
      this.#resolvers.push(resolve);
    });
    this.forced = new Promise((resolve) => {
      this.#resolvers.push(() => resolve());
    });
    this.close = listen(signals, {
      SIGINT: () => this.request(130),
      SIGTERM: () => this.request(0),
      SIGHUP: () => this.request(0),
    });
  }

  get isRequested(): boolean {
    return this.#isRequested;
  }

  request(exitCode: number): void {
    this.#isRequested = true;
    this.#resolvers.shift()?.(exitCode);
  }
}
