import { PhotonError } from "@photon/core";

/** Another copy of the run has appended to its log: this copy does nothing more. */
export class RunMoved extends PhotonError {
  override readonly name = "RunMoved";
  readonly code = "RUN_MOVED";

  /** Whether the client of the session has come back to another process, which continues the run for it. */
  readonly hasClientElsewhere: boolean;

  constructor(run: string, hasClientElsewhere = false) {
    super(`The run ${run} has gone on elsewhere; what was begun here comes to nothing.`);
    this.hasClientElsewhere = hasClientElsewhere;
  }
}
