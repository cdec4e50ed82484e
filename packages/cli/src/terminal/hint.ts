import type { OpenQuestion } from "@photon/core";
import { cleanText } from "./clean-text.ts";

/** What was wrong with the last answer, and how often one may still be given, where that is known; nothing the first time. */
export function hintOf(question: OpenQuestion): string | undefined {
  const { hint, attempt } = question;
  if (hint === undefined) return undefined;
  const problem = `The last answer ${cleanText(hint)}.`;
  const retries = question.emit === "ask" ? question.retries : 0;
  // Another server does not tell.
  if (retries === undefined) return problem;
  const left = retries - attempt + 2;
  return `${problem} ${left === 1 ? "This is the last attempt" : `${left} attempts left`}.`;
}
