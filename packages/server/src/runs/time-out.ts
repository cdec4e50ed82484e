import type { Settings } from "../settings.ts";
import { answerRun } from "./answer-run.ts";
import { auditAnswer } from "./audit-answer.ts";
import { stillWanted } from "./given-up.ts";
import { NotAnswered } from "./not-answered.ts";
import type { Runs } from "./runs.ts";

/**
 * Tells a run that nobody has answered it in time, if that is so. One that somebody goes on with now, or that has its client,
 * is told by them.
 */
export async function timeOut(
  runs: Runs,
  run: string,
  settings: Pick<Settings, "audit" | "clock">,
): Promise<void> {
  const letGo = await runs.tryToHold(run);
  if (letGo === undefined) return;
  try {
    const open = await runs.opened(run);
    const now = runs.now();
    const late = Object.values(open?.round ?? {}).find(({ deadline = Infinity }) => deadline <= now);
    if (open === undefined || late === undefined || (await runs.isLive(open))) return;
    if ((await stillWanted(runs, open)) === undefined) return;
    const reply = { action: "timeout" } as const;
    await answerRun(runs, { open, question: late }, reply);
    await auditAnswer(runs, settings, run, late, reply);
  } catch (error) {
    // Somebody has answered it at the last moment, past whoever holds it.
    if (!(error instanceof NotAnswered)) throw error;
  } finally {
    await letGo();
  }
}
