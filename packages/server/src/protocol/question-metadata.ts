/**
 * The extension `photon/questions`: details of a question that a form has no keywords for, in `_meta`. Pure.
 *
 * A client declares the capability under `experimental` or `extensions`. Its messages are then the tool's own: the problem of the
 * last answer is in the details (`hint`), and not in the message.
 */
import { omitUndefined, type OpenQuestion, type Round } from "@photon/core";
import { isRecord, type JsonObject } from "../jsonrpc/messages.ts";
import { boundsOf, hasForm } from "./elicitation-form.ts";
import type { InputRequest, OpenAsk } from "./elicitation.ts";
import type { LogTarget } from "./notifications.ts";

const QUESTIONS = "photon/questions";
const BEFOREHAND = "photon/beforehand";
const QUESTION = "photon/question";
const CALL = "photon/call";
const RUN = "photon/run";
const ROUNDS = "photon/rounds";

/** Whether a client declares `photon/questions`. */
export const declaresDetails = (capabilities: JsonObject): boolean => declares(capabilities, QUESTIONS);

/** Whether a client declares `photon/rounds`: it takes any number of rounds of questions in one call. */
export const declaresAnyRounds = (capabilities: JsonObject): boolean => declares(capabilities, ROUNDS);

/** Whether the user gave a decline or cancel before the question was asked (by a flag, a file, or a run without a terminal). */
export const isGivenBeforehand = ({ _meta: meta }: JsonObject): boolean =>
  isRecord(meta) && meta[BEFOREHAND] === true;

const declares = ({ experimental, extensions }: JsonObject, capability: string): boolean =>
  [experimental, extensions].some((declared) => isRecord(declared) && isRecord(declared[capability]));

/** The request for a question on a session, with its details. */
export function withDetails(request: InputRequest, question: OpenQuestion, about?: JsonObject): InputRequest {
  const { method, params } = withOwnMessage(request, question);
  return { method, params: { ...params, _meta: { [QUESTION]: detailsOf(question), ...about } } };
}

/** The progress token of the call that a message belongs to. Several calls may share a connection. */
export function aboutCall({
  wantsDetails,
  token,
}: Pick<LogTarget, "wantsDetails" | "token">): JsonObject | undefined {
  return wantsDetails && token !== undefined ? { [CALL]: token } : undefined;
}

/**
 * The requests of a round of 2026-07-28, with the tool's own messages, and the `_meta` of their result. `run` is the id of a stored
 * run in the inbox; on a session it is part of the request ids.
 */
export function roundWithDetails(
  requests: { readonly [key: string]: InputRequest },
  round: Round,
  run?: string,
): { readonly requests: { readonly [key: string]: InputRequest }; readonly meta: JsonObject } {
  const details = Object.fromEntries(
    Object.entries(round).map(([key, question]) => [key, detailsOf(question)]),
  );
  return {
    requests: Object.fromEntries(
      Object.entries(requests).map(([key, request]) => [key, withOwnMessage(request, round[key])]),
    ),
    meta: { [QUESTIONS]: details, ...(run === undefined ? {} : { [RUN]: run }) },
  };
}

/** The message without the problem of the last answer, which is in the details. */
function withOwnMessage(request: InputRequest, question: OpenQuestion | undefined): InputRequest {
  if (question?.emit !== "ask") return request;
  return { ...request, params: { ...request.params, message: question.message } };
}

function detailsOf(question: OpenQuestion): JsonObject {
  const { attempt, hint, deadline } = question;
  const times = { attempt, hint, deadline: deadline && new Date(deadline).toISOString() };
  if (question.emit !== "ask") return omitUndefined({ ask: question.emit, ...times });
  return omitUndefined({
    ask: question.ask,
    ...times,
    dangerous: question.ask === "confirm" ? question.dangerous : undefined,
    description: question.description,
    options: optionsOf(question),
    bounds: hasForm(question) ? boundsOf(question) : undefined,
  });
}

/** The descriptions of the options, by value. */
function optionsOf(question: OpenAsk): JsonObject | undefined {
  if (question.ask !== "select" && question.ask !== "multiselect") return undefined;
  const described = question.options.flatMap(({ value, description }) =>
    description === undefined ? [] : [[value, description] as const],
  );
  return described.length === 0 ? undefined : Object.fromEntries(described);
}
