/** The session of a command that talks with a person: its terminal, its signals, and the report of its end. */
import { RunCancelled } from "@photon/core";
import type { CommandIO, Signal } from "../io.ts";
import { openTerminal, type CancelLabels, type Terminal } from "../terminal/terminal.ts";
import { RunReporter } from "./run-reporter.ts";

export interface TerminalSession {
  readonly io: CommandIO;
  readonly terminal: Terminal;
  readonly telling: RunReporter;
  readonly interruptions: RunSignals;
}

interface SessionOptions {
  readonly noInput: boolean;
  readonly json: boolean;
  readonly verbose: boolean;
  /** What leaving a prompt does, if it does not cancel the question. */
  readonly cancelLabels?: CancelLabels;
}

/** Resolves to the exit code: of `execute`, 2 (or 130 after a signal) if that throws, and 130 if it is not waited for. */
export async function withTerminalSession(
  options: SessionOptions,
  io: CommandIO,
  execute: (session: TerminalSession) => Promise<number>,
): Promise<number> {
  const interruptions = new RunSignals(io.signals);
  const terminal = openTerminal(io, {
    noInput: options.noInput,
    ...(options.cancelLabels === undefined ? {} : { cancelLabels: options.cancelLabels }),
    onInterrupt: () => interruptions.interrupt(),
  });
  const telling = new RunReporter(io, terminal, options);
  const forceQuit = new Promise<number>((resolve) => {
    interruptions.forceQuit.addEventListener("abort", () => resolve(130), { once: true });
  });
  try {
    return await Promise.race([execute({ io, terminal, telling, interruptions }), forceQuit]);
  } catch (error) {
    return telling.usageError(error, interruptions.isInterrupted(error));
  } finally {
    interruptions.close();
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
  readonly #signals: CommandIO["signals"];
  readonly #listeners: readonly (readonly [Signal, () => void])[];
  #question: AbortController | undefined;
  /** The keys of the questions that ctrl+c cancelled. */
  readonly #cancelled = new Set<string>();
  #isWarned = false;

  constructor(signals: CommandIO["signals"]) {
    this.#signals = signals;
    this.#listeners = [
      ["SIGINT", () => this.interrupt()],
      ["SIGTERM", () => this.end("The run was ended.")],
      ["SIGHUP", () => this.end("The terminal is gone.")],
      ["beforeExit", () => this.fail(new RunCancelled("The tool waits for something that will not happen."))],
    ];
    for (const [signal, listener] of this.#listeners) signals.on(signal, listener);
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
  async orEnd<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this.#run;
    const settled = new AbortController();
    const ended = new Promise<never>((_, reject) => {
      // `end` and `fail` abort with an error.
      const end = (): void => reject(signal.reason as Error);
      if (signal.aborted) end();
      else signal.addEventListener("abort", end, { once: true, signal: settled.signal });
    });
    try {
      return await Promise.race([promise, ended]);
    } finally {
      settled.abort();
    }
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

  close(): void {
    for (const [signal, listener] of this.#listeners) this.#signals.off(signal, listener);
  }
}

/** A person or the system ended the run. */
class Interrupted extends RunCancelled {}
