import { PhotonError } from "@photon/core";

/** A tool asks more rounds of questions, one after another, than clients take in one call. A warning: the run continues. */
export class ManyRounds extends PhotonError {
  override readonly name = "ManyRounds";
  readonly code = "MANY_ROUNDS";

  constructor(tool: string, most: number) {
    super(
      `${tool} has asked more than ${most} rounds of questions in one run; clients of 2026-07-28 take 10 in one call, and their model has to continue it after that. Ask what can be asked together with ask.all.`,
    );
  }
}
