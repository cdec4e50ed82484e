import type { OpenQuestion, Reply } from "@photon/core";
import { isLate } from "../calls/question-deadlines.ts";
import type { Settings } from "../settings.ts";
import { auditAnswer, putReplies } from "../durable/submit-answer.ts";
import { stillWanted } from "../durable/cancelled-calls.ts";
import { expirable } from "../durable/open-questions.ts";
import type { OpenRun, Runs } from "../durable/run-repository.ts";

const REPLY: Reply = { action: "timeout" };

/**
 * Tells a run that nobody has answered it in time, if that is so. One that somebody goes on with now, or that has its client,
 * is told by them; and so is what was said on a page here, which stands in no log (`isSaid`).
 */
export async function timeOut(
  runs: Runs,
  run: string,
  settings: Pick<Settings, "audit" | "clock">,
  isSaid: (open: OpenRun) => Promise<boolean>,
): Promise<void> {
  const letGo = await runs.tryToHold(run);
  if (letGo === undefined) return;
  try {
    const open = await runs.opened(run);
    const late = open === undefined ? [] : lateIn(open, runs.now());
    if (open === undefined || late.length === 0 || (await runs.isLive(open)) || (await isSaid(open))) return;
    if ((await stillWanted(runs, open)) === undefined) return;
    // Where it is not the first, somebody has answered at the last moment, past whoever holds it.
    const isFirst = await putReplies(
      runs,
      open,
      late.map((question) => [question, REPLY]),
    );
    if (isFirst) for (const question of late) await auditAnswer(runs, settings, run, question, REPLY);
  } finally {
    await letGo();
  }
}

/** All that have waited long enough: what is told one after another would give the others their time anew. */
const lateIn = (open: OpenRun, now: number): readonly OpenQuestion[] =>
  expirable(open).filter((question) => isLate(question, now));
