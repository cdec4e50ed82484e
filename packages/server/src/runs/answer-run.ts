/**
 * Answers that reach a run by another way than its own client's line: through another process, or through the inbox.
 *
 * The log of the run is where they go. Whoever has the run in memory hears of it; where nobody has, whoever goes on with
 * it finds them there. The first answer counts.
 */
import { answeredEntry, type OpenQuestion, type Reply } from "@photon/core";
import { isForPage } from "../protocol/input-requests.ts";
import { NotAnswered } from "./not-answered.ts";
import { openAfter, type OpenRound } from "./open-round.ts";

import type { OpenRun, Runs } from "./runs.ts";

const PAGE_ONLY = "it is given on a page of the server, and nowhere else; the client that called leads there";

/** A question of a run that waits for an answer, and what else is open there. */
export interface Awaited {
  readonly open: OpenRun;
  readonly question: OpenQuestion;
}

/** The question that a key stands for, as long as somebody waits for an answer to it. `attempt`: which time it was asked. */
export async function awaitedIn(
  runs: Runs,
  run: string,
  key: string,
  attempt?: number,
): Promise<Awaited | undefined> {
  const open = await runs.opened(run);
  const isHere = open !== undefined && open.isApart !== true && Object.hasOwn(open.round, key);
  const question = isHere ? open.round[key] : undefined;
  if (open === undefined || question === undefined) return undefined;
  return (attempt ?? question.attempt) === question.attempt ? { open, question } : undefined;
}

/** Puts an answer into the log of its run. Throws where it comes too late, or may stand in no log. */
export async function answerRun(runs: Runs, { open, question }: Awaited, reply: Reply): Promise<void> {
  const { run } = open;
  const { key } = question;
  if (isForPage(question) && reply.action === "accept") throw new NotAnswered(run, key, PAGE_ONLY);
  if (open.gone?.includes(key) === true)
    throw new NotAnswered(run, key, "it was given before, and is only asked for again");
  if (!(await putReplies(runs, open, [[question, reply]])))
    throw new NotAnswered(run, key, "it was answered already");
}

/**
 * Records a client's reply to a question that `find` gives, as long as it waits for one. A reply that comes too late is dropped.
 * Where another question of the same run was answered at the same time, it is tried again.
 */
export async function answerIfAwaited(
  runs: Runs,
  find: () => Promise<Awaited | undefined>,
  reply: Reply,
): Promise<void> {
  for (let length = -1; ;) {
    const awaited = await find();
    if (awaited === undefined || awaited.open.length === length) return;
    ({ length } = awaited.open);
    try {
      return await answerRun(runs, awaited, reply);
    } catch (error) {
      if (!(error instanceof NotAnswered)) throw error;
    }
  }
}

/** Puts replies to questions of a run into its log, all or none. Says whether nobody was there before. */
export async function putReplies(
  runs: Runs,
  open: OpenRun,
  replies: readonly (readonly [OpenQuestion, Reply])[],
): Promise<boolean> {
  const { run, length } = open;
  const at = runs.now();
  let left: OpenRound = open;
  for (const [{ key }, reply] of replies) left = openAfter(left, key, reply, at);
  const entries = replies.map(([question, reply]) => answeredEntry(question, reply, at));
  if (!(await runs.append(run, length, entries, { until: runs.keptUntil(left.until), open: left })))
    return false;
  // It counts, whether or not anybody hears of it now: whoever goes on with the run finds it.
  await runs.tell({ grown: run }).catch(runs.report);
  return true;
}
