import { RunCancelled } from "@photon/core";

/** Why a call ends that its client cancelled. */
export function cancelledFor(reason: unknown): RunCancelled {
  return new RunCancelled(
    typeof reason === "string"
      ? `The client cancelled the call: ${reason}`
      : "The client cancelled the call.",
  );
}
