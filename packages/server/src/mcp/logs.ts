/** What a tool logs, and what becomes of its steps, as log messages to a client that wants to hear of them. Pure. */
import type { Log, LogLevel, StepNews } from "@photon/core";
import type { Notification, RequestId } from "../jsonrpc/messages.ts";
import { aboutCall } from "./question-details.ts";

/** Steps are for whoever looks closely. */
const STEP_LEVEL: LogLevel = "debug";

/** The client of one call, as far as it wants to hear of it. */
export interface Hearer {
  /** Whose logs they are. */
  readonly logger: string;
  readonly token: RequestId | undefined;
  readonly wantsDetails: boolean;
  isLogged(level: LogLevel): boolean;
}

export function logFor(
  { level, data }: Pick<Log, "level" | "data">,
  hearer: Hearer,
): Notification | undefined {
  if (!hearer.isLogged(level)) return undefined;
  const about = aboutCall(hearer);
  const params = { level, logger: hearer.logger, data, ...(about === undefined ? {} : { _meta: about }) };
  return { jsonrpc: "2.0", method: "notifications/message", params };
}

export const stepLogFor = ({ step, state }: StepNews, hearer: Hearer): Notification | undefined =>
  logFor({ level: STEP_LEVEL, data: { step, state } }, { ...hearer, logger: `${hearer.logger}/steps` });
