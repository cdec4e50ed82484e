/**
 * Answers that do not come from the client on its session: from the inbox, a page, or another process. An answer is checked,
 * appended to the log of its run, and audited.
 *
 *   1. An answer that does not fit its question is rejected, and nothing is written.
 *   2. The first answer counts, whichever way it came.
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
import { isForPage } from "../protocol/elicitation.ts";
import { endIfCancelled } from "./cancelled-calls.ts";
import { AnswerRejected } from "../errors.ts";
import type { OpenRun, RunRepository } from "./run-repository.ts";
import { openAfter, type OpenQuestions } from "./open-questions.ts";

/** A reply that a person can give. */
export type InboxReply =
  | { readonly action: "accept"; readonly value?: unknown }
  | { readonly action: "decline" | "cancel" };

const ACTIONS: ReadonlySet<unknown> = new Set(["accept", "decline", "cancel"]);

export const isInboxAction = (action: unknown): action is InboxReply["action"] => ACTIONS.has(action);

interface Answer {
  readonly run: string;
  readonly key: string;
  readonly reply: InboxReply;
  /** Only questions of this principal; undefined for those of every principal. */
  readonly principal: string | undefined;
  /** Which attempt of the question was answered; undefined for any. */
  readonly attempt: number | undefined;
  readonly via: NonNullable<AuditEntry["via"]>;
}

/** An open question, and the run that it belongs to. */
export interface OpenQuestionRef {
  readonly open: OpenRun;
  readonly question: OpenQuestion;
}

/** The question of a key, if it is open. `attempt`: only that attempt of it. */
export async function findOpenQuestion(
  runs: RunRepository,
  run: string,
  key: string,
  attempt?: number,
): Promise<OpenQuestionRef | undefined> {
  const open = await runs.opened(run);
  if (open === undefined || open.isUnlogged === true || !Object.hasOwn(open.round, key)) return undefined;
  const question = open.round[key];
  const isAsked = question !== undefined && (attempt ?? question.attempt) === question.attempt;
  return isAsked ? { open, question } : undefined;
}

/** Answers a question for a person. Throws `AnswerRejected` or `InvalidAnswer` if the answer does not count. */
export async function answerQuestion(
  runs: RunRepository,
  { run, key, reply, principal, attempt, via }: Answer,
): Promise<void> {
  const find = async (): Promise<OpenQuestionRef | undefined> => {
    const found = await findOpenQuestion(runs, run, key, attempt);
    if (found === undefined || (principal !== undefined && found.open.principal !== principal))
      return undefined;
    if (await endIfCancelled(runs, found.open)) return undefined;
    await assertFits(found, reply, runs.now());
    return found;
  };
  const answered = await answerIfAwaited(runs, find, reply);
  if (answered === undefined) throw new AnswerRejected(run, key, "it is not open");
  await auditAnswer(runs, run, answered.question, reply, via);
}

/**
 * Records a reply to the question that `find` returns, as long as it is open. Tries again when another question of the run was answered
 * at the same time. Resolves with the question; undefined if it is not open any more.
 */
export async function answerIfAwaited(
  runs: RunRepository,
  find: () => Promise<OpenQuestionRef | undefined>,
  reply: Reply,
): Promise<OpenQuestionRef | undefined> {
  for (let triedAt = -1; ;) {
    const found = await find();
    // The log has not grown, so another attempt would fail again.
    if (found === undefined || found.open.length === triedAt) return undefined;
    triedAt = found.open.length;
    if (await submitReply(runs, found, reply)) return found;
  }
}

/** Appends a reply to the log of its run. Resolves with false if it comes too late, or must not be in a log. */
export async function submitReply(
  runs: RunRepository,
  { open, question }: OpenQuestionRef,
  reply: Reply,
): Promise<boolean> {
  if (unloggableReason(open, question, reply) !== undefined) return false;
  return appendReplies(runs, open, [[question, reply]]);
}

async function assertFits(
  { open, question }: OpenQuestionRef,
  reply: InboxReply,
  now: number,
): Promise<void> {
  const { emit, key } = question;
  if (emit !== "ask" && reply.action === "accept")
    throw new AnswerRejected(open.run, key, "only its client can answer it");
  if (isExpired(question, now)) throw new AnswerRejected(open.run, key, "it has expired");
  const reason = unloggableReason(open, question, reply);
  if (reason !== undefined) throw new AnswerRejected(open.run, key, reason);
  if (reply.action !== "accept") return;
  const verdict = await checkAnswer(question, reply.value);
  const message = emit === "ask" ? question.message : key;
  if ("problem" in verdict) throw new InvalidAnswer(key, message, asPredicate(question, verdict.problem));
}

/** Why a reply must not be in a log, as a phrase: it is the value of a secret or a file, or any other reply to one that was given before. */
function unloggableReason(
  { lostSecrets }: OpenRun,
  question: OpenQuestion,
  { action }: Reply,
): string | undefined {
  if (isForPage(question) && action === "accept")
    return "it is answered only on a page of the server, to which the client of the call sends the user";
  return lostSecrets?.includes(question.key) === true
    ? "it was given before, and only its value is accepted again"
    : undefined;
}

/** Appends replies to questions of a run to its log, all or none. Resolves with whether the log had not grown before. */
export async function appendReplies(
  runs: RunRepository,
  open: OpenRun,
  replies: readonly (readonly [OpenQuestion, Reply])[],
): Promise<boolean> {
  const { run, length } = open;
  const at = runs.now();
  const entries = replies.map(([question, reply]) => replyEntry(question, reply, at));
  let left: OpenQuestions = open;
  for (const entry of entries) left = openAfter(left, entry);
  if (!(await runs.append(run, length, entries, left))) return false;
  await runs.publishGrown(run);
  return true;
}

/** Writes the audit entry of a reply to a question whose call is not in this process. */
export async function auditAnswer(
  runs: RunRepository,
  run: string,
  question: OpenQuestion,
  reply: Reply,
  via?: AuditEntry["via"],
): Promise<void> {
  const { audit, clock } = runs.settings;
  const log = audit && (await runs.find(run));
  if (audit === undefined || log === undefined) return;
  const { subject: tool, params, principal, client } = log.head;
  const auditor = new Auditor(audit, {
    tool,
    input: params["arguments"] ?? {},
    principal,
    client,
    clock,
  });
  auditor.recordReplies(run, { [question.key]: question }, { [question.key]: reply }, via);
}
