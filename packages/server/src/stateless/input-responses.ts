/** Answers as requests of 2026-07-28 bring them: by the keys of their questions. Pure. */
import type { OpenQuestion, Replies, Reply, Round } from "@photon/core";
import { isExpired } from "../calls/question-deadlines.ts";
import { parseResult } from "../protocol/input-requests.ts";
import type { Features } from "../protocol/revisions.ts";
import { INVALID_PARAMS, RpcError } from "../jsonrpc/errors.ts";
import { isRecord, type Params } from "../jsonrpc/messages.ts";
import { digestText } from "../crypto/digest.ts";

export type InputResponses = { readonly [key: string]: unknown };

/** The answers that a request brings, if it brings any. */
export function parseInputResponses({ inputResponses }: Params): InputResponses | undefined {
  if (inputResponses === undefined || isRecord(inputResponses)) return inputResponses;
  throw new RpcError(
    INVALID_PARAMS,
    "inputResponses are an object: an answer for each key of inputRequests.",
  );
}

/**
 * What is said to the questions of a round. Other keys are ignored, and a question that nothing was
 * brought for stays open; unless its time is over. Throws for what is no answer at all.
 */
export function toReplies(round: Round, responses: InputResponses, features: Features, now: number): Replies {
  const replies: Record<string, Reply> = {};
  for (const [key, question] of Object.entries(round)) {
    const reply = isExpired(question, now)
      ? ({ action: "timeout" } as const)
      : replyIn(responses, key, question, features);
    if (reply !== undefined) replies[key] = reply;
  }
  return replies;
}

/** The same round without what must not be answered before it was asked. */
export function withoutDangerous(round: Round): Round {
  return Object.fromEntries(
    Object.entries(round).filter(
      ([, question]) =>
        !(question.emit === "ask" && question.ask === "confirm" && question.dangerous === true),
    ),
  );
}

/** The same for the same questions: by key, kind and attempt. */
export function digestOfRound(round: Round): string {
  const questions = Object.entries(round).map(([key, question]) => [
    key,
    question.emit === "ask" ? question.ask : question.emit,
    question.attempt,
  ]);
  return digestText(JSON.stringify(questions));
}

function replyIn(
  responses: InputResponses,
  key: string,
  question: OpenQuestion,
  features: Features,
): Reply | undefined {
  const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
  if (response === undefined) return undefined;
  const verdict = isRecord(response)
    ? parseResult(question, response, features)
    : { problem: "it is an object" };
  if ("value" in verdict) return verdict.value;
  throw new RpcError(INVALID_PARAMS, `That is no answer to ${JSON.stringify(key)}: ${verdict.problem}.`);
}
