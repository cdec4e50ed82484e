/**
 * What a person has answered by another way than their client's line: checked, put into the log of its run, and audited.
 *
 *   1. What does not fit its question is an error to whoever answers, and nothing is written.
 *   2. The first answer counts, by whichever way it came.
 */
import { asPredicate, checkAnswer, InvalidAnswer, type OpenQuestion } from "@photon/core";
import type { AuditEntry } from "../audit.ts";
import { isLate } from "../calls/question-deadlines.ts";
import { isForPage } from "../protocol/input-requests.ts";
import type { Settings } from "../settings.ts";
import { answerRun, awaitedIn, type Awaited } from "./answer-run.ts";
import { auditAnswer } from "./audit-answer.ts";
import { stillWanted } from "./given-up.ts";
import { NotAnswered } from "./not-answered.ts";
import type { Runs } from "./runs.ts";

/** What somebody can say to a question. */
export type InboxReply =
  | { readonly action: "accept"; readonly value?: unknown }
  | { readonly action: "decline" | "cancel" };

/** To which question it is, and how it came. */
interface Answer {
  readonly run: string;
  readonly key: string;
  readonly reply: InboxReply;
  /** Only what that one was asked; without this, whatever anybody was. */
  readonly principal: string | undefined;
  /** Which time it was asked, as the answerer has seen it. */
  readonly attempt: number | undefined;
  readonly via: NonNullable<AuditEntry["via"]>;
}

type AnswerSettings = Pick<Settings, "clock" | "audit">;

export async function answerQuestion(runs: Runs, answer: Answer, settings: AnswerSettings): Promise<void> {
  const { run, key, principal, attempt } = answer;
  let length = -1;
  for (;;) {
    const awaited = await awaitedIn(runs, run, key, attempt);
    const isTheirs = principal === undefined || awaited?.open.principal === principal;
    if (awaited === undefined || !isTheirs || awaited.open.length === length) throw nobodyWaits(run, key);
    if ((await stillWanted(runs, awaited.open)) === undefined) throw nobodyWaits(run, key);
    ({ length } = awaited.open);
    await refuseWrong(awaited, answer.reply, settings.clock.now());
    if (await putIfFirst(runs, awaited, answer, settings)) return;
    // Another question of the same run was answered at the same time, or this one was.
  }
}

/** Throws for what is no answer to that question, or comes too late for it. */
async function refuseWrong({ open, question }: Awaited, reply: InboxReply, now: number): Promise<void> {
  const { run } = open;
  const { key } = question;
  refuseOthers(run, question, reply);
  if (isLate(question, now)) throw new NotAnswered(run, key, "its time is over");
  // A page's answer is refused when it is put, whatever it is.
  if (reply.action === "accept" && !isForPage(question)) await refuseUnfit(question, reply.value);
}

/** Puts it into the log, and the audit, if it is the first; says whether it was. */
async function putIfFirst(
  runs: Runs,
  awaited: Awaited,
  { reply, via }: Answer,
  settings: AnswerSettings,
): Promise<boolean> {
  const { open, question } = awaited;
  try {
    await answerRun(runs, awaited, reply);
  } catch (error) {
    if (error instanceof NotAnswered && !isForPage(question)) return false;
    throw error;
  }
  await auditAnswer(runs, settings, open.run, question, reply, via);
  return true;
}

const nobodyWaits = (run: string, key: string): NotAnswered =>
  new NotAnswered(run, key, "nobody waits for an answer to it, or not any more");

/** What a client is asked for, and no person. */
function refuseOthers(run: string, { emit, key }: OpenQuestion, { action }: InboxReply): void {
  if (emit !== "ask" && action === "accept")
    throw new NotAnswered(run, key, "it is for its client to answer, and for nobody else");
}

async function refuseUnfit(question: OpenQuestion, value: unknown): Promise<void> {
  const verdict = await checkAnswer(question, value);
  if (!("problem" in verdict)) return;
  const { key } = question;
  const message = question.emit === "ask" ? question.message : key;
  throw new InvalidAnswer(key, message, asPredicate(question, verdict.problem));
}
