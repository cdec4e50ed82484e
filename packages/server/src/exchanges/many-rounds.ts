import { PhotonError } from "@photon/core";

/** A tool asks so often, one after another, that clients will give it up. A warning: the run goes on. */
export class ManyRounds extends PhotonError {
  override readonly name = "ManyRounds";
  readonly code = "MANY_ROUNDS";

  constructor(tool: string, most: number) {
    super(
      `${tool} has asked more than ${most} rounds of questions in one run; clients of 2026-07-28 give up after 10. Ask what can be asked together with ask.all.`,
    );
  }
}
