import { PhotonError } from "@photon/core";

/** An answer that came by another way than the client's line, and is none. */
export class NotAnswered extends PhotonError {
  override readonly name = "NotAnswered";
  readonly code = "NOT_ANSWERED";

  /** `why` ends the sentence: "it was answered already". */
  constructor(run: string, key: string, why: string) {
    super(`The question ${JSON.stringify(key)} of the run ${run} cannot be answered: ${why}.`);
  }
}
