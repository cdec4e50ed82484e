import { PhotonError } from "@photon/core";
import { INTERNAL_ERROR, RpcError } from "../rpc/errors.ts";
import { RunMoved } from "./run-moved.ts";

/** What stops a run here and is not its end: it goes on elsewhere, or later. */
const PASSING: ReadonlySet<string> = new Set([
  "RUN_MOVED",
  "RUN_DETACHED",
  "STORE_UNAVAILABLE",
  "RECORDS_UNREADABLE",
]);

/** A run was stopped in the middle, and nothing has come of it: the same request may come again. */
export class Interrupted extends RpcError {
  override readonly reported: unknown;

  constructor(why: PhotonError) {
    super(INTERNAL_ERROR, `${why.message} Nothing has come of this request; it may be sent again.`);
    this.cause = why;
    // That a run goes on elsewhere is as it should be.
    this.reported = why.code === "RUN_MOVED" || why.code === "RUN_DETACHED" ? undefined : why;
  }
}

/** Whether an error says that another process has continued the run. */
export const isMoved = (error: unknown): boolean => interruptionOf(error)?.cause instanceof RunMoved;

/** Whether an error says that another process has continued the run because its client has come back there. */
export function hasClientElsewhere(error: unknown): boolean {
  const cause = interruptionOf(error)?.cause;
  return cause instanceof RunMoved && cause.hasClientElsewhere;
}

/** An error as an interruption, if it is one. */
export function interruptionOf(error: unknown): Interrupted | undefined {
  if (error instanceof Interrupted) return error;
  return error instanceof PhotonError && PASSING.has(error.code) ? new Interrupted(error) : undefined;
}
