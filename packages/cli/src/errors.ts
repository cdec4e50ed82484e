import { PhotonError } from "@photon/core";

/** The command cannot be carried out as it was typed: one sentence, exit code 2. */
export class UsageError extends PhotonError {
  override readonly name = "UsageError";
  readonly code = "USAGE";
}
