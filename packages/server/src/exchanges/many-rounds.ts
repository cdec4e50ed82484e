/** What is said of calls that ask more rounds of questions than a client takes in one call. */
import { PhotonError } from "@photon/core";
import { CONTINUE } from "../handover/model-text.ts";

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

/** The client takes no more rounds of questions in this call: another call asks the next. */
export function moreInWords(tool: string, run: string): string {
  return `${tool} has not ended: it has more questions for the person you work for than their client shows in one call. What they have answered is kept. Call the tool ${CONTINUE} with ${JSON.stringify({ run })} now, and they are asked the rest.`;
}

/** Where another call continues it at the moment. */
export const IN_ANOTHER_CALL = "Another call continues that call already. Wait for its result.";
