/**
 * `photon inbox`: lists the open questions of durable runs, or answers them.
 *
 *   1. Questions are asked with the prompts of `photon run`. Leaving a prompt leaves its question open; it never cancels.
 *   2. After an answer, the outcome of the run is printed, if it is known within `--wait`.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { milliseconds, parseContent, type Content, type Duration, type Reply } from "@photon/core";
import {
  openInbox,
  sqliteFileOf,
  type EndedRun,
  type Inbox,
  type InboxQuestion,
  type InboxReply,
  type WaitingRun,
} from "@photon/server";
import { UsageError } from "../errors.ts";
import { write, type CommandIO } from "../io.ts";
import type { TerminalSession } from "../run/terminal-session.ts";
import { commandLineFor } from "../shell-command.ts";
import { openStoreWithKeys } from "../serve/store.ts";
import { Answers, type AnswerFlagValues } from "../terminal/answers.ts";
import { askInTerminal } from "../terminal/ask-in-terminal.ts";
import { jsonText, resultText } from "../terminal/result.ts";
import { colorsFor } from "../terminal/colors.ts";
import { cleanText, oneLine } from "../terminal/text.ts";
import { pageNotice, runText } from "./inbox-text.ts";

/** Opens the inbox of a store that exists: opening it must not create a store, which would look like an empty inbox. */
export async function openInboxAt(
  address: string,
  io: Pick<CommandIO, "env" | "cwd">,
): Promise<{ readonly inbox: Inbox; close(): Promise<void> }> {
  const file = sqliteFileOf(address);
  if (file !== undefined && !existsSync(resolve(io.cwd, file)))
    throw new UsageError(
      `There is no store at ${file}; ${commandLineFor(`photon serve --store sqlite:${file}`, io)} creates it.`,
    );
  const opened = await openStoreWithKeys(address, io);
  return { inbox: openInbox(opened), close: () => opened.store.close() };
}

export interface InboxOptions {
  readonly run: string | undefined;
  readonly principal: string | undefined;
  readonly limit: number;
  /** The answers on the command line; undefined if there are none. */
  readonly answers: AnswerFlagValues | undefined;
  readonly wait: Duration;
  readonly json: boolean;
  readonly isListed: boolean;
  /** "photon inbox", with the store if it was typed: hints start with it. */
  readonly inboxCommand: string;
}

export async function runInbox(
  options: InboxOptions,
  inbox: Inbox,
  session: TerminalSession,
): Promise<number> {
  const { run, answers } = options;
  if (run !== undefined && answers !== undefined)
    return answerFromOptions(run, answers, options, inbox, session);
  const page = await session.signals.rejectOnAbort(readInbox(options, inbox));
  const { runs } = page;
  const [first] = runs;
  if (run !== undefined && first === undefined) {
    const outcome = await waitForOutcome(run, options, inbox);
    return outcome === undefined
      ? printUnknown(run, options, inbox, session)
      : printOutcome(outcome, options, session);
  }
  const isPrompted = !options.isListed && !options.json && session.terminal.isInteractive;
  if (!isPrompted || first === undefined) return list(page, options, session);
  const exitCode = await answerAll(runs, options, inbox, session);
  if (exitCode !== 130) printSummary(page, options, session);
  return exitCode;
}

interface Page {
  readonly runs: readonly WaitingRun[];
  /** Whether there are more runs than `--limit`. */
  readonly isMore: boolean;
  /** How many runs are encrypted with other keys, among those that were read. */
  readonly unreadable: number;
}

/** The run that is named, or the first `limit` of those that wait. */
async function readInbox({ run, principal, limit }: InboxOptions, inbox: Inbox): Promise<Page> {
  if (run !== undefined) {
    const one = await inbox.find(run, { principal });
    return { runs: one === undefined ? [] : [one], isMore: false, unreadable: 0 };
  }
  const runs: WaitingRun[] = [];
  let unreadable = 0;
  let after: string | undefined;
  do {
    const page = await inbox.list({ principal, after });
    runs.push(...page.runs);
    unreadable += page.unreadable ?? 0;
    after = page.next;
  } while (after !== undefined && runs.length < limit);
  return { runs: runs.slice(0, limit), isMore: after !== undefined || runs.length > limit, unreadable };
}

async function list(page: Page, options: InboxOptions, session: TerminalSession): Promise<number> {
  const { output, env } = session.io;
  if (options.json) {
    await write(output, jsonText(page));
    return 0;
  }
  const { runs, unreadable } = page;
  const colors = colorsFor(output, env);
  for (const run of runs) await write(output, runText(run, Date.now(), colors));
  if (runs.length + unreadable === 0) session.terminal.output.write("No open questions.\n");
  printSummary(page, options, session);
  return 0;
}

/** The runs that were not shown. */
function printSummary(
  { isMore, unreadable }: Page,
  { limit }: InboxOptions,
  { terminal }: TerminalSession,
): void {
  const those = unreadable === 1 ? "1 run is" : `${unreadable} runs are`;
  if (unreadable > 0)
    terminal.output.write(
      `${those} encrypted with other keys: set PHOTON_KEYS to the keys of the servers.\n`,
    );
  if (isMore) terminal.output.write(`There are more runs: --limit ${limit * 2} shows up to ${limit * 2}.\n`);
}

/** Answers the questions of a run from the command line. */
async function answerFromOptions(
  run: string,
  flags: AnswerFlagValues,
  options: InboxOptions,
  inbox: Inbox,
  session: TerminalSession,
): Promise<number> {
  const { principal } = options;
  const { terminal, signals, reporter } = session;
  // Its last question may have been answered a moment ago, and the next one not be open yet.
  const waiting =
    (await signals.rejectOnAbort(inbox.find(run, { principal }))) ??
    (await signals.rejectOnAbort(waitForOutcome(run, options, inbox)));
  if (waiting === undefined) return printUnknown(run, options, inbox, session);
  if (!("questions" in waiting)) return refuseAnswers(waiting, options, session);
  let isRefused = false;
  const onProblem = (problem: string): void => {
    isRefused = true;
    terminal.output.write(`${problem}\n`);
  };
  const answers = new Answers({
    flags,
    file: {},
    lines: undefined,
    cwd: terminal.cwd,
    onProblem,
  });
  for (const question of waiting.questions) {
    const { key, attempt } = question;
    // The first answer on the command line is for the question that is open now, whichever attempt that is.
    const given = await answers.replyTo({ ...question, attempt: 1 }, signals.run);
    const reply = given && inboxReplyOf(given);
    if (reply === undefined && isRefused) return 1;
    if (reply === undefined) continue;
    try {
      await signals.rejectOnAbort(inbox.answer(run, key, reply, { principal, attempt }));
    } catch (error) {
      if (signals.run.aborted) throw error;
      reporter.report(error);
      return 1;
    }
  }
  const [unknown] = answers.unused;
  if (unknown !== undefined)
    throw new UsageError(`The run ${run} does not ask for ${JSON.stringify(unknown)}.`);
  return printOutcome(await waitForOutcome(run, options, inbox), options, session);
}

/** The run has ended, so it takes no answer: its outcome is not that of these answers. */
async function refuseAnswers(
  ended: EndedRun,
  { json, inboxCommand }: InboxOptions,
  { io, terminal }: TerminalSession,
): Promise<number> {
  const { run } = ended;
  if (json) await write(io.output, jsonText(ended));
  terminal.output.write(
    `The run ${run} has ended, and took none of these answers; ${commandLineFor(`${inboxCommand} ${run}`, io)} shows its result.\n`,
  );
  return 1;
}

/** Asks the person at the terminal the questions of one run after the other. */
async function answerAll(
  runs: readonly WaitingRun[],
  options: InboxOptions,
  inbox: Inbox,
  session: TerminalSession,
): Promise<number> {
  let exitCode = 0;
  for (const waiting of runs) {
    session.terminal.output.write(runText(waiting, Date.now(), session.terminal.colors));
    let open: WaitingRun | undefined = waiting;
    const leftOpen = new Set<string>();
    while (open !== undefined) {
      const { answered, refused } = await answerOne(open, leftOpen, options, inbox, session);
      if (session.signals.run.aborted) return 130;
      if (refused > 0) exitCode = 1;
      if (answered === 0) break;
      const outcome = await waitForOutcome(open.run, options, inbox);
      if (outcome === undefined || !("questions" in outcome)) {
        exitCode = Math.max(exitCode, await printOutcome(outcome, options, session));
        open = undefined;
      } else open = outcome;
    }
  }
  return exitCode;
}

/** Asks the questions of a run, except those that were left open; returns how many answers were accepted and refused. */
async function answerOne(
  { run, questions }: WaitingRun,
  leftOpen: Set<string>,
  options: InboxOptions,
  inbox: Inbox,
  session: TerminalSession,
): Promise<{ readonly answered: number; readonly refused: number }> {
  const { principal } = options;
  let answered = 0;
  let refused = 0;
  for (const question of questions) {
    if (session.signals.run.aborted) break;
    const attempt = `${question.key} ${question.attempt}`;
    if (leftOpen.has(attempt)) continue;
    const reply = await promptFor(question, run, options, session);
    if (reply === undefined) {
      leftOpen.add(attempt);
      continue;
    }
    try {
      await inbox.answer(run, question.key, reply, { principal, attempt: question.attempt });
      answered += 1;
    } catch (error) {
      // The question may have been answered elsewhere in the meantime.
      session.reporter.report(error);
      refused += 1;
    }
  }
  return { answered, refused };
}

async function promptFor(
  question: InboxQuestion,
  run: string,
  { inboxCommand }: InboxOptions,
  { io, terminal, signals }: TerminalSession,
): Promise<InboxReply | undefined> {
  const notice = pageNotice(question);
  if (notice !== undefined) {
    const key = oneLine(question.key);
    terminal.output.write(
      `${key}: ${notice}. Here you can only decline or cancel it: ${commandLineFor(`${inboxCommand} ${run} --decline ${key}`, io)}\n`,
    );
    return undefined;
  }
  // Without `signals.withQuestion`: ctrl+c ends the command, and every question stays open.
  const { expires: deadline } = question;
  const reply = await askInTerminal({ ...question, deadline }, terminal, signals.run);
  return reply.action === "cancel" ? undefined : inboxReplyOf(reply);
}

/** The reply as the inbox takes it; nothing for those that no person gives. */
function inboxReplyOf(reply: Reply): InboxReply | undefined {
  if (reply.action === "accept") return reply;
  const { action } = reply;
  return action === "decline" || action === "cancel" ? { action } : undefined;
}

/** The result of the run or its next questions, if they are known within `--wait`. */
async function waitForOutcome(
  run: string,
  { principal, wait }: InboxOptions,
  inbox: Inbox,
): Promise<EndedRun | WaitingRun | undefined> {
  return inbox.wait(run, { principal, signal: AbortSignal.timeout(milliseconds(wait)) });
}

/** A run with no open question and no known result; returns the exit code. */
async function printUnknown(
  run: string,
  { json, principal }: InboxOptions,
  inbox: Inbox,
  { io, terminal }: TerminalSession,
): Promise<number> {
  const isKnown = (await inbox.status(run, { principal })) !== undefined;
  const sentence = isKnown
    ? `The run ${run} has no open question: no server has resumed it yet.`
    : `There is no run ${run} in the store. Give the whole id, as photon inbox lists it.`;
  if (json) await write(io.output, jsonText({ run }));
  else terminal.output.write(`${sentence}\n`);
  return 1;
}

/** Prints the result of a run or its next questions; returns the exit code. */
async function printOutcome(
  outcome: EndedRun | WaitingRun | undefined,
  { run, json, answers }: InboxOptions,
  { io, terminal }: TerminalSession,
): Promise<number> {
  const isFailed =
    outcome !== undefined &&
    ("error" in outcome || ("result" in outcome && outcome.result["isError"] === true));
  if (json) await write(io.output, jsonText(outcome ?? { run }));
  else if (outcome === undefined)
    terminal.output.write("Answered. No server has resumed the run yet; it resumes when one starts.\n");
  else if ("questions" in outcome) {
    if (answers !== undefined) terminal.output.write("Answered. The run has resumed, and now asks:\n");
    terminal.output.write(runText(outcome, Date.now(), terminal.colors));
  } else if ("error" in outcome)
    terminal.output.write(`${terminal.colors.red(cleanText(outcome.error.message))}\n`);
  else {
    const text = resultText(contentIn(outcome.result), undefined, {
      isScreen: io.output.isTTY === true,
      colors: colorsFor(io.output, io.env),
    });
    if (isFailed) terminal.output.write(terminal.colors.red(cleanText(text)));
    else await write(io.output, text);
  }
  return isFailed ? 1 : 0;
}

function contentIn({ content }: { readonly [name: string]: unknown }): readonly Content[] {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks.flatMap((block) => parseContent(block) ?? []);
}
