/**
 * Shows an inbox, or answers what is in it.
 *
 *   1. What is asked for is asked with the prompts of `photon run`. To leave a prompt leaves its question open: nobody
 *      cancels a run by looking around.
 *   2. After an answer it is told what came of the run, as far as that is known in time.
 */
import { milliseconds, parseContent, type Content, type Duration, type Reply } from "@photon/core";
import type { EndedRun, Inbox, InboxQuestion, InboxReply, WaitingRun } from "@photon/server";
import type { TerminalSession as Stage } from "../run/terminal-session.ts";
import { Answers } from "../terminal/answers.ts";
import { askInTerminal } from "../terminal/ask-in-terminal.ts";
import { cleanText, oneLine } from "../terminal/clean-text.ts";
import { paintIn } from "../terminal/paint.ts";
import { jsonText, resultText } from "../terminal/show-result.ts";
import { UsageError } from "../errors.ts";
import { write } from "../io.ts";
import { pageWords, runText } from "./inbox-text.ts";

export interface Wanted {
  readonly run: string | undefined;
  readonly principal: string | undefined;
  readonly limit: number;
  readonly answer: readonly string[];
  readonly decline: readonly string[];
  readonly cancel: readonly string[];
  readonly wait: Duration;
  readonly json: boolean;
  readonly isListed: boolean;
  /** Whether answers were given with the command. */
  readonly isGiven: boolean;
}

export async function workInbox(wanted: Wanted, inbox: Inbox, stage: Stage): Promise<number> {
  const { run } = wanted;
  const patience = milliseconds(wanted.wait);
  if (run !== undefined && wanted.isGiven) return answerGiven(run, wanted, inbox, stage);
  const all = await stage.interruptions.orEnd(found(wanted, inbox));
  const { runs } = all;
  const [first] = runs;
  if (run !== undefined && first === undefined)
    return tellEnd(await comeTo(run, wanted, inbox, patience), run, wanted, stage, 1);
  const isAnswered = !wanted.isListed && !wanted.json && stage.terminal.isInteractive;
  if (!isAnswered || first === undefined) return list(all, wanted, stage);
  const exitCode = await answerAll(runs, wanted, inbox, stage);
  if (exitCode !== 130) tellRest(all, wanted, stage);
  return exitCode;
}

/** What there is to be shown. */
interface Found {
  readonly runs: readonly WaitingRun[];
  /** Whether there are more than were wanted. */
  readonly isMore: boolean;
  /** How many there are that were sealed with other keys, as far as was looked. */
  readonly unreadable: number;
}

/** What is shown: the run that is named, or so many of those that wait. */
async function found({ run, principal, limit }: Wanted, inbox: Inbox): Promise<Found> {
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

async function list(all: Found, wanted: Wanted, stage: Stage): Promise<number> {
  const { output, env } = stage.io;
  if (wanted.json) {
    await write(output, jsonText(all));
    return 0;
  }
  const { runs, unreadable } = all;
  const paint = paintIn(output.isTTY === true && (env["NO_COLOR"] ?? "") === "");
  for (const run of runs) await write(output, runText(run, Date.now(), paint));
  if (runs.length + unreadable === 0) stage.terminal.output.write("Nothing waits for anybody.\n");
  tellRest(all, wanted, stage);
  return 0;
}

/** Tells what there is besides. */
function tellRest({ isMore, unreadable }: Found, { limit }: Wanted, { terminal }: Stage): void {
  const those = unreadable === 1 ? "1 run waits that was" : `${unreadable} runs wait that were`;
  if (unreadable > 0)
    terminal.output.write(`${those} sealed with other keys: PHOTON_KEYS must be those of the servers.\n`);
  if (isMore) terminal.output.write(`There is more: --limit ${limit * 2} goes further.\n`);
}

/** Answers what was answered on the command line. */
async function answerGiven(run: string, wanted: Wanted, inbox: Inbox, stage: Stage): Promise<number> {
  const { principal, answer, decline, cancel } = wanted;
  const { terminal, interruptions, telling } = stage;
  const patience = milliseconds(wanted.wait);
  // It may have been answered a moment ago, and not have asked again yet.
  const waiting =
    (await interruptions.orEnd(inbox.find(run, { principal }))) ??
    (await interruptions.orEnd(comeTo(run, wanted, inbox, patience)));
  if (waiting === undefined) return tellEnd(waiting, run, wanted, stage, 1);
  if (!("questions" in waiting)) return tellEnded(waiting, wanted, stage);
  let isRefused = false;
  const tell = (problem: string): void => {
    isRefused = true;
    terminal.output.write(`${problem}\n`);
  };
  const answers = new Answers({
    answers: answer,
    decline,
    cancel,
    file: {},
    lines: undefined,
    cwd: terminal.cwd,
    tell,
  });
  for (const question of waiting.questions) {
    const { key, attempt } = question;
    // The first answer of the command line is to what is asked now, whichever time that is.
    const given = await answers.replyTo({ ...question, attempt: 1 }, interruptions.run);
    const reply = given && replyOf(given);
    if (reply === undefined && isRefused) return 1;
    if (reply === undefined) continue;
    try {
      await interruptions.orEnd(inbox.answer(run, key, reply, { principal, attempt }));
    } catch (error) {
      if (interruptions.run.aborted) throw error;
      telling.report(error);
      return 1;
    }
  }
  const [unknown] = answers.unused;
  if (unknown !== undefined)
    throw new UsageError(`The run ${run} does not ask for ${JSON.stringify(unknown)}.`);
  return tellEnd(await comeTo(run, wanted, inbox, patience), run, wanted, stage);
}

/** The run has ended, and takes no answer; the exit code. What it ended with came of other answers than these. */
async function tellEnded(ended: EndedRun, { json }: Wanted, { io, terminal }: Stage): Promise<number> {
  const { run } = ended;
  if (json) await write(io.output, jsonText(ended));
  terminal.output.write(
    `The run ${run} has ended: nothing of this was answered. photon inbox ${run} shows what it ended with.\n`,
  );
  return 1;
}

/** Goes through what is open, one after another, with the person at the terminal. */
async function answerAll(
  runs: readonly WaitingRun[],
  wanted: Wanted,
  inbox: Inbox,
  stage: Stage,
): Promise<number> {
  let exitCode = 0;
  for (const waiting of runs) {
    stage.terminal.output.write(runText(waiting, Date.now(), stage.terminal.paint));
    let open: WaitingRun | undefined = waiting;
    const left = new Set<string>();
    while (open !== undefined) {
      const { answered, refused } = await answerOne(open, left, wanted, inbox, stage);
      if (stage.interruptions.run.aborted) return 130;
      if (refused > 0) exitCode = 1;
      if (answered === 0) break;
      const come = await comeTo(open.run, wanted, inbox, milliseconds(wanted.wait));
      if (come === undefined || !("questions" in come)) {
        exitCode = Math.max(exitCode, await tellEnd(come, open.run, wanted, stage));
        open = undefined;
      } else open = come;
    }
  }
  return exitCode;
}

/** Asks the questions of one run, but those that were left open; how many answers were taken, and how many refused. */
async function answerOne(
  { run, questions }: WaitingRun,
  left: Set<string>,
  { principal }: Wanted,
  inbox: Inbox,
  { terminal, interruptions, telling }: Stage,
): Promise<{ readonly answered: number; readonly refused: number }> {
  let answered = 0;
  let refused = 0;
  for (const question of questions) {
    if (interruptions.run.aborted) break;
    const asked = `${question.key} ${question.attempt}`;
    if (left.has(asked)) continue;
    const reply = await replyInTerminal(question, run, { terminal, interruptions });
    if (reply === undefined) {
      left.add(asked);
      continue;
    }
    try {
      await inbox.answer(run, question.key, reply, { principal, attempt: question.attempt });
      answered += 1;
    } catch (error) {
      // Another way may have been faster.
      telling.report(error);
      refused += 1;
    }
  }
  return { answered, refused };
}

async function replyInTerminal(
  question: InboxQuestion,
  run: string,
  { terminal, interruptions }: Pick<Stage, "terminal" | "interruptions">,
): Promise<InboxReply | undefined> {
  const elsewhere = pageWords(question);
  if (elsewhere !== undefined) {
    const key = oneLine(question.key);
    terminal.output.write(
      `${key}: ${elsewhere}. Here it can only be declined or cancelled: photon inbox ${run} --decline ${key}\n`,
    );
    return undefined;
  }
  // Not as the question of a run that ctrl+c would cancel: here it is left, with all that come after it.
  const reply = await askInTerminal(question, terminal, interruptions.run);
  return reply.action === "cancel" ? undefined : replyOf(reply);
}

/** What a person can say; nothing, where nobody said anything. */
function replyOf(reply: Reply): InboxReply | undefined {
  if (reply.action === "accept") return reply;
  const { action } = reply;
  return action === "decline" || action === "cancel" ? { action } : undefined;
}

/** What a run has come to, if that is known within so many milliseconds. */
async function comeTo(
  run: string,
  { principal }: Wanted,
  inbox: Inbox,
  patience: number,
): Promise<EndedRun | WaitingRun | undefined> {
  return inbox.wait(run, { principal, signal: AbortSignal.timeout(patience) });
}

/** Tells what came of a run; the exit code. `unknown` is that of a run that nothing is known of. */
async function tellEnd(
  come: EndedRun | WaitingRun | undefined,
  run: string,
  { json, isGiven }: Wanted,
  { io, terminal }: Stage,
  unknown = 0,
): Promise<number> {
  const isFailed =
    come !== undefined && ("error" in come || ("result" in come && come.result["isError"] === true));
  if (json) await write(io.output, jsonText(come ?? { run }));
  else if (come === undefined) {
    terminal.output.write(
      unknown > 0
        ? `The run ${run} waits for nobody: no server has gone on with it yet, or it is not kept.\n`
        : "It was answered. No server has gone on with the run yet; it goes on when one starts.\n",
    );
  } else if ("questions" in come) {
    if (isGiven) terminal.output.write("It was answered, and the run has gone on. Now it asks:\n");
    terminal.output.write(runText(come, Date.now(), terminal.paint));
  } else if ("error" in come) terminal.output.write(`${terminal.paint.red(cleanText(come.error.message))}\n`);
  else {
    const paint = paintIn(io.output.isTTY === true && (io.env["NO_COLOR"] ?? "") === "");
    const text = resultText(contentIn(come.result), undefined, {
      isScreen: io.output.isTTY === true,
      paint,
    });
    if (isFailed) terminal.output.write(terminal.paint.red(cleanText(text)));
    else await write(io.output, text);
  }
  return isFailed ? 1 : come === undefined ? unknown : 0;
}

function contentIn({ content }: { readonly [name: string]: unknown }): readonly Content[] {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks.flatMap((block) => parseContent(block) ?? []);
}
