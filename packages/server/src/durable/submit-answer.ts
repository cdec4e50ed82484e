/**
 * What a person has answered by another way than their client's line: checked, put into the log of its run, and audited.
 *
 *   1. An answer that does not fit its question is rejected, and nothing is written.
 *   2. The first answer counts, by whichever way it came.
 */
import {
  replyEntry,
  asPredicate,
  checkAnswer,
  InvalidAnswer,
  type OpenQuestion,
  type Reply,
} from "@photon/core";
import { type AuditEntry, Auditor } from "../audit.ts";
import { isExpired } from "../calls/question-deadlines.ts";
import { isForPage } from "../protocol/input-requests.ts";
import type { Settings } from "../settings.ts";
import { dropIfCancelled } from "./cancelled-calls.ts";
import { AnswerRejected } from "../errors.ts";
import type { OpenRun, RunRepository } from "./run-repository.ts";
import { openAfter, type OpenQuestions } from "./open-questions.ts";

/** A reply that a person can give. */
export type InboxReply =
  | { readonly action: "accept"; readonly value?: unknown }
  | { readonly action: "decline" | "cancel" };

/** To which question it is, and how it came. */
interface Answer {
  readonly run: string;
  readonly key: string;
  readonly reply: InboxReply;
  /** Only questions of this principal; without it, of every principal. */
  readonly principal: string | undefined;
  /** Which time it was asked, as the answerer has seen it. */
  readonly attempt: number | undefined;
  readonly via: NonNullable<AuditEntry["via"]>;
}

type AnswerSettings = Pick<Settings, "clock" | "audit">;

export async function answerQuestion(
  runs: RunRepository,
  answer: Answer,
  settings: AnswerSettings,
): Promise<void> {
  const { run, key, principal, attempt } = answer;
  let length = -1;
  for (;;) {
    const awaited = await findOpenQuestion(runs, run, key, attempt);
    const isForPrincipal = principal === undefined || awaited?.open.principal === principal;
    if (awaited === undefined || !isForPrincipal || awaited.open.length === length) throw notOpen(run, key);
    if ((await dropIfCancelled(runs, awaited.open)) === undefined) throw notOpen(run, key);
    ({ length } = awaited.open);
    await refuseWrong(awaited, answer.reply, settings.clock.now());
    if (await putIfFirst(runs, awaited, answer, settings)) return;
    // Another question of the same run was answered at the same time, or this one was.
  }
}

/** Throws for what is no answer to that question, or comes too late for it. */
async function refuseWrong(
  { open, question }: OpenQuestionRef,
  reply: InboxReply,
  now: number,
): Promise<void> {
  const { run } = open;
  const { key } = question;
  refuseOthers(run, question, reply);
  if (isExpired(question, now)) throw new AnswerRejected(run, key, "its time is over");
  // A page's answer is refused when it is put, whatever it is.
  if (reply.action === "accept" && !isForPage(question)) await refuseUnfit(question, reply.value);
}

/** Puts it into the log, and the audit, if it is the first; says whether it was. */
async function putIfFirst(
  runs: RunRepository,
  awaited: OpenQuestionRef,
  { reply, via }: Answer,
  settings: AnswerSettings,
): Promise<boolean> {
  const { open, question } = awaited;
  try {
    await submitReply(runs, awaited, reply);
  } catch (error) {
    if (error instanceof AnswerRejected && !isForPage(question)) return false;
    throw error;
  }
  await auditAnswer(runs, settings, open.run, question, reply, via);
  return true;
}

const notOpen = (run: string, key: string): AnswerRejected => new AnswerRejected(run, key, "it is not open");

/** What a client is asked for, and no person. */
function refuseOthers(run: string, { emit, key }: OpenQuestion, { action }: InboxReply): void {
  if (emit !== "ask" && action === "accept")
    throw new AnswerRejected(run, key, "only its client can answer it");
}

async function refuseUnfit(question: OpenQuestion, value: unknown): Promise<void> {
  const verdict = await checkAnswer(question, value);
  if (!("problem" in verdict)) return;
  const { key } = question;
  const message = question.emit === "ask" ? question.message : key;
  throw new InvalidAnswer(key, message, asPredicate(question, verdict.problem));
}

const PAGE_ONLY = "it is given on a page of the server, and nowhere else; the client that called leads there";

/** A question of a run that waits for an answer, and what else is open there. */
export interface OpenQuestionRef {
  readonly open: OpenRun;
  readonly question: OpenQuestion;
}

/** The question that a key stands for, as long as it is open. `attempt`: which time it was asked. */
export async function findOpenQuestion(
  runs: RunRepository,
  run: string,
  key: string,
  attempt?: number,
): Promise<OpenQuestionRef | undefined> {
  const open = await runs.opened(run);
  const isHere = open !== undefined && open.isApart !== true && Object.hasOwn(open.round, key);
  const question = isHere ? open.round[key] : undefined;
  if (open === undefined || question === undefined) return undefined;
  return (attempt ?? question.attempt) === question.attempt ? { open, question } : undefined;
}

/** Puts an answer into the log of its run. Throws where it comes too late, or may stand in no log. */
export async function submitReply(
  runs: RunRepository,
  { open, question }: OpenQuestionRef,
  reply: Reply,
): Promise<void> {
  const { run } = open;
  const { key } = question;
  if (isForPage(question) && reply.action === "accept") throw new AnswerRejected(run, key, PAGE_ONLY);
  if (open.gone?.includes(key) === true)
    throw new AnswerRejected(run, key, "it was given before, and is only asked for again");
  if (!(await appendReplies(runs, open, [[question, reply]])))
    throw new AnswerRejected(run, key, "it was answered already");
}

/**
 * Records a client's reply to a question that `find` gives, as long as it waits for one. A reply that comes too late is dropped.
 * Where another question of the same run was answered at the same time, it is tried again.
 */
export async function answerIfAwaited(
  runs: RunRepository,
  find: () => Promise<OpenQuestionRef | undefined>,
  reply: Reply,
): Promise<void> {
  for (let length = -1; ;) {
    const awaited = await find();
    if (awaited === undefined || awaited.open.length === length) return;
    ({ length } = awaited.open);
    try {
      return await submitReply(runs, awaited, reply);
    } catch (error) {
      if (!(error instanceof AnswerRejected)) throw error;
    }
  }
}

/** Puts replies to questions of a run into its log, all or none. Says whether they were the first. */
export async function appendReplies(
  runs: RunRepository,
  open: OpenRun,
  replies: readonly (readonly [OpenQuestion, Reply])[],
): Promise<boolean> {
  const { run, length } = open;
  const at = runs.now();
  let left: OpenQuestions = open;
  for (const [{ key }, reply] of replies) left = openAfter(left, key, reply, at);
  const entries = replies.map(([question, reply]) => replyEntry(question, reply, at));
  if (!(await runs.append(run, length, entries, { until: runs.retentionUntil(left.until), open: left })))
    return false;
  // The answer counts also without the message: the process that continues the run finds it.
  await runs.publish({ grown: run }).catch(runs.report);
  return true;
}

/** Has it written down what was said to a question of a run whose call is not here. */
export async function auditAnswer(
  runs: RunRepository,
  { audit, clock }: Pick<Settings, "audit" | "clock">,
  run: string,
  question: OpenQuestion,
  reply: Reply,
  via?: AuditEntry["via"],
): Promise<void> {
  const log = audit && (await runs.find(run));
  if (audit === undefined || log === undefined) return;
  const { subject: tool, params, principal, client } = log.head;
  const input = params["arguments"] ?? {};
  const auditor = new Auditor(audit, { tool, input, principal, client, clock });
  auditor.recordReplies(run, { [question.key]: question }, { [question.key]: reply }, via);
}
