import { PhotonError } from "@photon/core";

/** Somebody else has gone on with a run, in this process or another. */
export class RunMoved extends PhotonError {
  override readonly name = "RunMoved";
  readonly code = "RUN_MOVED";

  constructor(run: string) {
    super(`The run ${run} has gone on elsewhere; what was begun here comes to nothing.`);
  }
}
