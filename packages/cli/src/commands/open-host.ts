/** The host of one run: answers from where there are some, the person at the terminal, what is shown and kept. */
import { AnswerRecorder, Answers, LineReader, readAnswersFile } from "../terminal/answers.ts";
import { Artifacts } from "../terminal/artifacts.ts";
import { EmitPrinter } from "../terminal/emit-printer.ts";
import type { RunOptions } from "./run-flags.ts";
import type { Stage } from "./run-tool.ts";
import type { TerminalHost } from "./terminal-host.ts";

export interface OpenHost {
  readonly host: TerminalHost;
  readonly artifacts: Artifacts;
  /** The answers that name their question: those of lines are not among them. */
  readonly named: Answers;
  /** Nothing more is shown. */
  stop(): void;
  /** Lets go of the input, and writes down the answers where that was asked for. */
  close(): Promise<void>;
}

export async function openHost(
  options: RunOptions,
  { io, terminal, interruptions }: Omit<Stage, "telling">,
): Promise<OpenHost> {
  const { cwd } = io;
  // A stdin that was the input has no answers left, and a terminal is not a list of them.
  const readsLines = !options.noInput && options.input !== "-" && io.input.isTTY !== true;
  const lines = readsLines ? new LineReader(() => io.input) : undefined;
  const file = options.answers === undefined ? {} : await readAnswersFile(options.answers, cwd);
  const artifacts = new Artifacts(options.out, cwd);
  const emits = new EmitPrinter(terminal, {
    logLevel: options.logLevel,
    artifact: ({ content }) => artifacts.keep(content),
  });
  if (terminal.isScreen)
    interruptions.stopping.addEventListener(
      "abort",
      () => emits.print("Stopping; press again to quit now.", "yellow"),
      { once: true },
    );
  const sources = {
    answers: options.answer,
    decline: options.decline,
    cancel: options.cancel,
    file,
    cwd,
    onProblem: (problem: string) => emits.print(problem, "yellow"),
  };
  const answers = new Answers({ ...sources, lines });
  const recorder = new AnswerRecorder();
  return {
    host: { terminal, emits, answers, recorder, interruptions, noInput: options.noInput },
    artifacts,
    named: new Answers({ ...sources, lines: undefined }),
    stop() {
      for (const id of answers.unused) emits.print(`The tool asked no question with the id ${id}.`, "yellow");
      emits.stop();
    },
    async close() {
      lines?.close();
      if (options.record !== undefined) await recorder.save(options.record, cwd);
    },
  };
}
