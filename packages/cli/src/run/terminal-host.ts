/**
 * The host of a run: answers from flags, a file and the lines of stdin, or prompts in a terminal.
 *
 *   1. Without a terminal, a question waits for a line of stdin until its deadline. Once stdin has ended, a question without
 *      an answer is cancelled; with `--no-input` it ends the run. A default is never taken for an answer.
 *   2. The answers are written to `--record` however the run ends. A file that cannot be written is refused before the
 *      run starts.
 */
import { constants } from "node:fs";
import { access, open, rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { AskCancelled, type Ask, type AskHandler, type OpenQuestion, type Reply } from "@photon/core";
import { UsageError } from "../errors.ts";
import type { RunSignals } from "../signals.ts";
import {
  AnswerRecorder,
  Answers,
  LineReader,
  parseAnswerFlags,
  readAnswersFile,
} from "../terminal/answers.ts";
import { Artifacts } from "../terminal/artifacts.ts";
import { answerWithoutAsking, askInTerminal } from "../terminal/ask-in-terminal.ts";
import { EmitPrinter } from "../terminal/emit-printer.ts";
import { answerHelp, describeExpected, hintOf } from "../terminal/question-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { cleanText, oneLine } from "../terminal/text.ts";
import type { HostFlags } from "./run-flags.ts";
import type { TerminalSession } from "./terminal-session.ts";

export interface TerminalHost {
  readonly terminal: Terminal;
  readonly emits: EmitPrinter;
  readonly answers: Answers;
  readonly recorder: AnswerRecorder;
  readonly signals: RunSignals;
  /** Whether the run ends at a question that has no answer. */
  readonly noInput: boolean;
}

export interface OpenHost {
  readonly host: TerminalHost;
  readonly artifacts: Artifacts;
  /** The answers that name their question; lines of stdin do not. */
  readonly named: Answers;
  /** Ends the output, and names the answers that were not used. */
  stop(): void;
  /** Releases stdin, and writes the answers to `--record`. */
  close(): Promise<void>;
}

export async function openHost(
  options: HostFlags,
  { io, terminal, signals }: Omit<TerminalSession, "reporter">,
): Promise<OpenHost> {
  const { cwd } = io;
  // With `--input -` the input was all of stdin.
  const readsLines = !options.noInput && options.input !== "-" && io.input.isTTY !== true;
  const lines = readsLines ? new LineReader(() => io.input) : undefined;
  if (options.record !== undefined) await assertWritable(options.record, cwd);
  const file = options.answers === undefined ? {} : await readAnswersFile(options.answers, cwd);
  const artifacts = new Artifacts(options.out, cwd);
  const emits = new EmitPrinter(terminal, {
    logLevel: options.logLevel,
    artifact: ({ content }) => artifacts.saveOrDescribe(content),
  });
  if (terminal.isScreen)
    signals.stopping.addEventListener(
      "abort",
      () => emits.print("Stopping; press again to quit now.", "yellow"),
      { once: true },
    );
  const sources = {
    flags: parseAnswerFlags(options),
    fileName: options.answers,
    file,
    cwd,
    onProblem: (problem: string) => emits.print(problem, "yellow"),
  };
  const answers = new Answers({ ...sources, lines });
  const recorder = new AnswerRecorder();
  return {
    host: { terminal, emits, answers, recorder, signals, noInput: options.noInput },
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

/** Leaves the file as it is. A pipe is not opened: its reader would take the close for the end. */
async function assertWritable(path: string, cwd: string): Promise<void> {
  const file = resolve(cwd, path);
  try {
    const found = await stat(file).catch(() => undefined);
    if (found?.isDirectory() === true) throw new Error("It is a folder.");
    if (found !== undefined) return await access(file, constants.W_OK);
    await (await open(file, "wx", 0o600)).close();
    await rm(file);
  } catch (error) {
    throw new UsageError(`The answers cannot be written to ${path}.`, { cause: error });
  }
}

/** Answers the questions of a run, from what was given or by a prompt. */
export const createAsker =
  (host: TerminalHost): AskHandler =>
  async (question, { signal }) =>
    (await answerQuestion(question, signal, host)).reply;

/** The reply to a question, and whether the person gave it at a prompt, which showed the question. */
export function answerQuestion(
  question: OpenQuestion,
  questionSignal: AbortSignal,
  host: TerminalHost,
): Promise<{ readonly reply: Reply; readonly isPrompted: boolean }> {
  const { terminal, emits, answers, recorder, signals } = host;
  return signals.withQuestion(question.key, async (signal) => {
    emits.pause();
    const until = AbortSignal.any([questionSignal, signal]);
    // Before waiting for a line: the writer of the pipe may read the question first.
    if (!terminal.isInteractive) printQuestion(question, terminal);
    const known = await answers.replyTo(question, until);
    if (known !== undefined && terminal.isInteractive) printQuestion(question, terminal);
    if (known !== undefined) printReply(question, known, terminal);
    const reply =
      known ?? answerWithoutAsking(question, terminal.cwd) ?? (await promptOrCancel(question, until, host));
    // A question that was cancelled by a signal is not recorded: the next run asks it.
    const isAnswered = reply.action !== "cancel" || !(until.aborted || signals.hasCancelled(question.key));
    if (isAnswered && (known !== undefined || terminal.isInteractive)) recorder.add(question, reply);
    return { reply, isPrompted: known === undefined && terminal.isInteractive };
  });
}

/**
 * For a question that no source has answered. Prompts if stdin and stderr are a terminal. Otherwise stdin has ended, is not read, or had no
 * valid line: the question is cancelled, or with `--no-input` the run ends.
 */
async function promptOrCancel(
  question: OpenQuestion,
  signal: AbortSignal,
  host: TerminalHost,
): Promise<Reply> {
  const { terminal, emits, signals, noInput } = host;
  if (terminal.isInteractive) return askInTerminal(question, terminal, signal);
  // Cancelled by ctrl+c while it waited for a line.
  if (signal.aborted) return { action: "cancel" };
  emits.print(answerHelp(question), "yellow");
  if (noInput) signals.fail(new AskCancelled(question.key, shownMessage(question)));
  return { action: "cancel" };
}

/** Shows a question without a prompt. */
function printQuestion(question: OpenQuestion, { output, colors, symbols, isScreen }: Terminal): void {
  if (question.emit !== "ask") return;
  const mark = isScreen ? colors.green(symbols.done) : "?";
  const bar = isScreen ? colors.gray(symbols.bar) : " ";
  const hint = hintOf(question);
  const expected = describeExpected(question);
  const lines = cleanText(`${question.message}${expected === "" ? "" : ` (${expected})`}`).split("\n");
  if (hint !== undefined) output.write(`${bar}  ${colors.yellow(hint)}\n`);
  output.write(`${mark}  ${lines.join(`\n${bar}  `)}\n`);
}

/** Shows the reply, without secrets. */
function printReply(
  question: OpenQuestion,
  reply: Reply,
  { output, colors, symbols, isScreen }: Terminal,
): void {
  if (question.emit !== "ask") return;
  output.write(`${isScreen ? colors.gray(symbols.bar) : " "}  ${colors.dim(shownReply(question, reply))}\n`);
}

function shownReply(question: Ask, reply: Reply): string {
  if (reply.action !== "accept") return `(${reply.action})`;
  if (question.ask === "secret") return "(secret)";
  if (question.ask === "url") return "(done)";
  const { value } = reply;
  return oneLine(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
}

const shownMessage = (question: OpenQuestion): string =>
  question.emit === "ask" ? question.message : question.emit;
