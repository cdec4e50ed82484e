/** The session of a command that talks with a person: its terminal, its signals, and the report of its end. */
import type { CommandIO } from "../io.ts";
import { rejectOnAbort, RunSignals } from "../signals.ts";
import { openTerminal, type CancelLabels, type Terminal } from "../terminal/terminal.ts";
import { RunReporter } from "./run-reporter.ts";

export interface TerminalSession {
  readonly io: CommandIO;
  readonly terminal: Terminal;
  readonly reporter: RunReporter;
  readonly signals: RunSignals;
}

interface SessionOptions {
  readonly noInput: boolean;
  readonly json: boolean;
  readonly verbose: boolean;
  /** What leaving a prompt does, if it does not cancel the question. */
  readonly cancelLabels?: CancelLabels;
}

/** Resolves to the exit code: of `execute`, 2 (or 130 after a signal) if that throws, and 130 after a signal that does not wait for it. */
export async function withTerminalSession(
  options: SessionOptions,
  io: CommandIO,
  execute: (session: TerminalSession) => Promise<number>,
): Promise<number> {
  const signals = new RunSignals(io.signals);
  const terminal = openTerminal(io, {
    noInput: options.noInput,
    ...(options.cancelLabels === undefined ? {} : { cancelLabels: options.cancelLabels }),
    onInterrupt: () => signals.interrupt(),
  });
  const reporter = new RunReporter(io, terminal, options);
  try {
    return await rejectOnAbort(execute({ io, terminal, reporter, signals }), signals.forceQuit);
  } catch (error) {
    return signals.forceQuit.aborted ? 130 : reporter.reportUsageError(error, signals.isInterrupted(error));
  } finally {
    signals.close();
  }
}
