/** What a server tells of a call while it is under way. Pure. */
import { isRecord } from "../is-record.ts";
import { numberIn, textIn, type Fields } from "../wire/record.ts";
import type { Progress } from "../desk/run.ts";

export type News =
  | { readonly kind: "progress"; readonly progress: Progress }
  | { readonly kind: "log"; readonly level: string; readonly logger: string; readonly data: unknown }
  | { readonly kind: "step"; readonly step: string; readonly state: StepState };

type StepState = "begun" | "done" | "failed";

/** Photon moves a progress that has no figure of its own on by a thousandth of a percent: nothing that a bar should show. */
const LEAST_PART = 0.001;

/** Nothing, for what is no news of a call. */
export function newsIn(method: string, params: Fields): News | undefined {
  if (method === "notifications/progress") return { kind: "progress", progress: progressIn(params) };
  if (method !== "notifications/message") return undefined;
  const logger = textIn(params, "logger") ?? "";
  const { data } = params;
  const state = isRecord(data) ? stepStates.find((known) => known === data["state"]) : undefined;
  const step = isRecord(data) ? data["step"] : undefined;
  if (logger.endsWith("/steps") && typeof step === "string" && state !== undefined)
    return { kind: "step", step, state };
  return { kind: "log", level: textIn(params, "level") ?? "info", logger, data };
}

const stepStates: readonly StepState[] = ["begun", "done", "failed"];

function progressIn(params: Fields): Progress {
  const done = numberIn(params, "progress") ?? 0;
  const total = numberIn(params, "total") ?? 0;
  const part = total > 0 ? Math.min(1, Math.max(0, done / total)) : 0;
  return { part: part < LEAST_PART ? undefined : part, message: textIn(params, "message") ?? "" };
}
