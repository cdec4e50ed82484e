/**
 * Plays the host of a run: answers from where there are some, prompts where there is a person, and a note of what
 * was needed where there is nobody.
 *
 * A question that stays without an answer is cancelled, or with `--no-input` ends the run. It never waits for somebody
 * who is not there, and it never takes a default for an answer.
 */
import { AskCancelled, type Ask, type AskHandler, type OpenQuestion, type Reply } from "@photon/core";
import type { AnswerRecorder, Answers } from "../terminal/answers.ts";
import { answerWithoutAsking, askInTerminal } from "../terminal/ask-in-terminal.ts";
import { cleanText, oneLine } from "../terminal/text.ts";
import type { EmitPrinter } from "../terminal/emit-printer.ts";
import { answerHelp, describeExpected, hintOf } from "../terminal/question-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Interruptions } from "./interruptions.ts";

export interface TerminalHost {
  readonly terminal: Terminal;
  readonly emits: EmitPrinter;
  readonly answers: Answers;
  readonly recorder: AnswerRecorder;
  readonly interruptions: Interruptions;
  /** Whether the run ends at a question that has no answer. */
  readonly noInput: boolean;
}

export function askOf(host: TerminalHost): AskHandler {
  const { terminal, emits, answers, recorder, interruptions } = host;
  return (question, { signal: wanted }) =>
    interruptions.asking(question.key, async (signal) => {
      emits.pause();
      const until = AbortSignal.any([wanted, signal]);
      // Before a line is waited for: whoever is at the other end of the pipe may want to read it.
      if (!terminal.isInteractive) tellQuestion(question, terminal);
      const known = await answers.replyTo(question, until);
      if (known !== undefined && terminal.isInteractive) tellQuestion(question, terminal);
      if (known !== undefined) tellReply(question, known, terminal);
      const reply =
        known ?? answerWithoutAsking(question, terminal.cwd) ?? (await put(question, until, host));
      // What nobody answered is asked again the next time.
      const isAnswered =
        reply.action !== "cancel" || !(until.aborted || interruptions.hasCancelled(question.key));
      if (isAnswered && (known !== undefined || terminal.isInteractive)) recorder.add(question, reply);
      return reply;
    });
}

/** Puts a question to the person, if there is one. */
async function put(question: OpenQuestion, signal: AbortSignal, host: TerminalHost): Promise<Reply> {
  const { terminal, emits, interruptions, noInput } = host;
  if (terminal.isInteractive) return askInTerminal(question, terminal, signal);
  // Cancelled while a line was waited for: the person knows.
  if (signal.aborted) return { action: "cancel" };
  emits.print(answerHelp(question), "yellow");
  if (noInput) interruptions.fail(new AskCancelled(question.key, messageOf(question)));
  return { action: "cancel" };
}

/** Shows a question for which nobody is prompted. */
function tellQuestion(question: OpenQuestion, { output, colors, symbols, isScreen }: Terminal): void {
  if (question.emit !== "ask") return;
  const mark = isScreen ? colors.green(symbols.done) : "?";
  const bar = isScreen ? colors.gray(symbols.bar) : " ";
  const hint = hintOf(question);
  const wanted = describeExpected(question);
  const lines = cleanText(`${question.message}${wanted === "" ? "" : ` (${wanted})`}`).split("\n");
  if (hint !== undefined) output.write(`${bar}  ${colors.yellow(hint)}\n`);
  output.write(`${mark}  ${lines.join(`\n${bar}  `)}\n`);
}

/** Shows what it was answered with; never a secret. */
function tellReply(
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

const messageOf = (question: OpenQuestion): string =>
  question.emit === "ask" ? question.message : question.emit;
