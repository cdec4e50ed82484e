import { AskUnsupported, NeedsUnmet, UrlRequired, type Ability } from "@photon/core";
import { capabilitiesFor } from "../protocol/input-requests.ts";
import { MISSING_CAPABILITY, RpcError } from "../jsonrpc/errors.ts";

/** What a client of 2026-07-28 is told where it lacks what a call needed: by its own error, and what to declare. */
export function missingCapability(
  error: unknown,
  /** What the client would have had to be able to do, by the key of the question. */
  lacking: ReadonlyMap<string, Ability> | undefined,
  visits: boolean,
): RpcError | undefined {
  const abilities = missingFor(error, lacking, visits).filter((ability) => ability !== undefined);
  if (abilities.length === 0 || !(error instanceof Error)) return undefined;
  return new RpcError(MISSING_CAPABILITY, error.message, {
    requiredCapabilities: capabilitiesFor(abilities),
  });
}

function missingFor(
  error: unknown,
  lacking: ReadonlyMap<string, Ability> | undefined,
  visits: boolean,
): readonly (Ability | undefined)[] {
  if (error instanceof NeedsUnmet) return error.missing;
  if (error instanceof AskUnsupported) return [lacking?.get(error.id)];
  return error instanceof UrlRequired && !visits ? ["url"] : [];
}
