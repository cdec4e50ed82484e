import type { OpenQuestion, Reply } from "@photon/core";
import { Auditor, type AuditEntry } from "../audit.ts";
import type { Settings } from "../settings.ts";
import type { Runs } from "./runs.ts";

/** Has it written down what was said to a question of a run whose call is not here. */
export async function auditAnswer(
  runs: Runs,
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
  auditor.hear(run, { [question.key]: question }, { [question.key]: reply }, via);
}
