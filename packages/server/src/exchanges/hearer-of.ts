import { logLevels } from "@photon/core";
import type { Envelope } from "../mcp/envelope.ts";
import type { Hearer } from "../mcp/logs.ts";

/** What the client of a request wants to hear: each says for itself. Nobody hears anything where there is none. */
export function hearerOf(envelope: Envelope | undefined, logger: string): Hearer {
  const { token, logLevel, wantsDetails = false } = envelope ?? {};
  const least = logLevel === undefined ? Number.POSITIVE_INFINITY : logLevels.indexOf(logLevel);
  return {
    logger,
    token,
    wantsDetails,
    isLogged: (level) => logLevels.indexOf(level) >= least,
  };
}
