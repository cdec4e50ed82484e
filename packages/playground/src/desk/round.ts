/** The questions that end a request of 2026-07-28. Pure. */
import { detailsIn, messageIn, wantedIn } from "../client/wanted.ts";
import { isRecord } from "../is-record.ts";
import { recordIn, type Fields } from "../wire/record.ts";
import { newId } from "./driver.ts";
import type { LiveRun } from "./live-run.ts";
import type { Question } from "./question.ts";

export type Round = { readonly questions: readonly Question[] } | { readonly problem: string };

/** The questions in a result; what is asked that this page cannot be asked is a problem. */
export function roundIn(result: Fields, run: LiveRun, now: number): Round {
  const requests = Object.entries(recordIn(result, "inputRequests"));
  const details = recordIn(recordIn(result, "_meta"), "photon/questions");
  const questions: Question[] = [];
  for (const [index, [key, request]] of requests.entries()) {
    const { method, params } = isRecord(request) ? request : {};
    const fields = isRecord(params) ? params : {};
    const wanted = wantedIn(String(method), fields);
    if (wanted === undefined)
      return { problem: `The server asks for ${String(method)}, which this page does not have.` };
    questions.push({
      id: newId(),
      runId: run.id,
      asker: run.offer.title ?? run.offer.name,
      key,
      message: messageIn(fields),
      wanted,
      details: detailsIn(details[key]),
      since: now,
      place: index + 1,
      places: requests.length,
    });
  }
  return { questions };
}

/** Whether two ask a person for the same visit: the second is not a new question. */
export const isSameVisit = (a: Question, b: Question): boolean =>
  a.key === b.key && a.wanted.by === "url" && b.wanted.by === "url" && a.wanted.url === b.wanted.url;
