import { PhotonError } from "@photon/core";

/** The command was not understood, or cannot be done as it was typed: one sentence, exit code 2. */
export class UsageError extends PhotonError {
  override readonly name = "UsageError";
  readonly code = "USAGE";
}
