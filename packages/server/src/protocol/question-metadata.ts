/**
 * What Photon knows of a question beyond what a form can say, for clients that want to know. Pure.
 *
 * A client says so by the capability `photon/questions`, under `experimental` or `extensions`. It is then told in the
 * `_meta` of what asks it, and the message is the tool's own: what was wrong with the last answer stands beside it.
 */
import type { OpenQuestion, Round } from "@photon/core";
import { omitUndefined } from "../util/omit-undefined.ts";
import { isRecord, type RequestId, type JsonObject } from "../jsonrpc/messages.ts";
import { boundsOf, hasForm } from "./elicitation-form.ts";
import type { InputRequest } from "./input-requests.ts";

const QUESTIONS = "photon/questions";
const QUESTION = "photon/question";
const CALL = "photon/call";
const RUN = "photon/run";
const ROUNDS = "photon/rounds";

/** The client that something is for, and the token that its call has. */
interface Asked {
  readonly wantsDetails: boolean;
  readonly token: RequestId | undefined;
}

/** Whether a client wants to know, by its capabilities. */
export const wantsDetails = (capabilities: JsonObject): boolean => declares(capabilities, QUESTIONS);

/** Whether a client takes any number of rounds of questions in one call, by its capabilities: `photon/rounds`. */
export const takesAnyRounds = (capabilities: JsonObject): boolean => declares(capabilities, ROUNDS);

const declares = ({ experimental, extensions }: JsonObject, capability: string): boolean =>
  [experimental, extensions].some((declared) => isRecord(declared) && isRecord(declared[capability]));

/** The request for a question on a session, with what is known of it. */
export function withDetails(request: InputRequest, question: OpenQuestion, about?: JsonObject): InputRequest {
  const { method, params } = withOwnMessage(request, question);
  return { method, params: { ...params, _meta: { [QUESTION]: detailsOf(question), ...about } } };
}

/** Which call something is for, by its progress token: where several calls share a line, nothing else tells. */
export function aboutCall({ wantsDetails: wants, token }: Asked): JsonObject | undefined {
  return wants && token !== undefined ? { [CALL]: token } : undefined;
}

/**
 * The requests for a round of 2026-07-28 with the tool's own messages, and the `_meta` of the result that has them. `run` is
 * what the inbox calls the run, where a store keeps it: the ids of requests say so on a session.
 */
export function roundWithDetails(
  requests: { readonly [key: string]: InputRequest },
  round: Round,
  run?: string,
): { readonly requests: { readonly [key: string]: InputRequest }; readonly meta: JsonObject } {
  const asked = Object.entries(round);
  return {
    requests: {
      ...requests,
      ...Object.fromEntries(
        asked.flatMap(([key, question]) => {
          const request = requests[key];
          return request === undefined ? [] : [[key, withOwnMessage(request, question)]];
        }),
      ),
    },
    meta: {
      [QUESTIONS]: Object.fromEntries(asked.map(([key, question]) => [key, detailsOf(question)])),
      ...(run === undefined ? {} : { [RUN]: run }),
    },
  };
}

/** What was wrong with the last answer is told beside it. */
function withOwnMessage(request: InputRequest, question: OpenQuestion): InputRequest {
  if (question.emit !== "ask") return request;
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

/** What the options of a question mean, by their values. */
function optionsOf(question: Extract<OpenQuestion, { emit: "ask" }>): JsonObject | undefined {
  if (question.ask !== "select" && question.ask !== "multiselect") return undefined;
  const told = question.options.flatMap(({ value, description }) =>
    description === undefined ? [] : [[value, description] as const],
  );
  return told.length === 0 ? undefined : Object.fromEntries(told);
}
