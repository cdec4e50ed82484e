/**
 * What ends a run from outside.
 *
 *   1. ctrl+c cancels the question that is open; a second one, or one where nothing is open, the run.
 *   2. SIGTERM and SIGHUP end the run at once.
 *   3. A run that was ended may take its time to clean up; one more signal, and nobody waits for it.
 */
import { RunCancelled } from "@photon/core";
import type { Signal, CommandIO } from "../io.ts";

export class Interruptions {
  readonly #run = new AbortController();
  readonly #gaveUp = new AbortController();
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

  /** Aborted when the run is to end. */
  get run(): AbortSignal {
    return this.#run.signal;
  }

  /** Aborted when nobody waits for the end any more. */
  get gaveUp(): AbortSignal {
    return this.#gaveUp.signal;
  }

  /** Aborted when ctrl+c asks the run to end, and before the run itself is. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Whether it was a person, or the system, who ended the run; or cancelled the question it ended with. */
  isInterrupted(error: unknown): boolean {
    if (this.#run.signal.aborted) return this.#run.signal.reason instanceof Interrupted;
    return error instanceof Error && "id" in error && this.#cancelled.has(String(error.id));
  }

  /** Whether ctrl+c cancelled a question. */
  hasCancelled(key: string): boolean {
    return this.#cancelled.has(key);
  }

  /** Asks something; its signal is aborted where the question is cancelled, or the run ended. */
  async asking<T>(key: string, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
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

  /** What something comes to, unless the run is to end before. */
  async orEnd<T>(something: Promise<T>): Promise<T> {
    const { signal } = this.#run;
    const settled = new AbortController();
    const ended = new Promise<never>((_, reject) => {
      // What the run is ended with is always an error.
      const end = (): void => reject(signal.reason as Error);
      if (signal.aborted) end();
      else signal.addEventListener("abort", end, { once: true, signal: settled.signal });
    });
    try {
      return await Promise.race([something, ended]);
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
    if (this.#run.signal.aborted) this.#gaveUp.abort();
    else this.#run.abort(new Interrupted(reason));
  }

  /** Ends the run for a reason of its own. */
  fail(reason: Error): void {
    if (!this.#run.signal.aborted) this.#run.abort(reason);
  }

  close(): void {
    for (const [signal, listener] of this.#listeners) this.#signals.off(signal, listener);
  }
}

/** A person or the system ended the run. */
class Interrupted extends RunCancelled {}
