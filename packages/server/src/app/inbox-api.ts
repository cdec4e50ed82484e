/**
 * The inbox over HTTP: open questions of durable runs, for the principal that was asked.
 *
 *   1. Everything is done for the principal who sent the request: what others were asked is as if it were not there.
 *   2. No cache stores an answer.
 *   3. A rejected answer is a response `{ error: { code, message } }`.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { InvalidReply, InvalidAnswer, PhotonError } from "@photon/core";
import { boundsOf, fieldsOf, formFor, hasForm } from "../protocol/elicitation-form.ts";
import { featuresOf, MODERN } from "../protocol/revisions.ts";
import { omitUndefined } from "../util/omit-undefined.ts";
import { isRecord, type JsonObject } from "../jsonrpc/messages.ts";
import type { InboxReply } from "../durable/submit-answer.ts";
import type { AnswerOptions, Inbox, InboxQuestion, WaitingRun } from "../durable/inbox.ts";
import { asRetryable } from "../jsonrpc/errors.ts";
import { AnswerRejected } from "../errors.ts";
import type { Settings } from "../settings.ts";
import { sendJsonText } from "../http/responses.ts";
import type { Accounts } from "../accounts.ts";
import { readBody } from "../http/body.ts";

type Answer = (request: IncomingMessage, response: ServerResponse, principal: string) => Promise<void>;

interface SubmittedAnswer extends Pick<AnswerOptions, "attempt"> {
  readonly key: string;
  readonly reply: InboxReply;
}

/** What a request is answered with. */
interface HttpResult {
  readonly status: number;
  readonly value: JsonObject;
  readonly allow?: string;
}

const NONE = "There is no inbox here: this server has no store.";
const NO_RUN = "No run of that name is kept that was yours to answer.";
const MOST = 200;

interface InboxSettings extends Pick<Settings, "limits" | "clock" | "report"> {
  readonly accounts: Accounts;
}

/** The path of a request is what comes after `/inbox`. */
export function inboxHandler(inbox: Inbox | undefined, settings: InboxSettings): Answer {
  return async (request, response, principal) => {
    // Not as an address: some that come in are none.
    const [, run = "", query = ""] = /^\/?([^?]*)(?:\?(.*))?$/s.exec(request.url ?? "") ?? [];
    const asked =
      inbox === undefined
        ? refusal(404, "NO_INBOX", NONE)
        : run === ""
          ? page(inbox, request, new URLSearchParams(query), principal)
          : one(inbox, run, request, principal, settings);
    const { status, value, allow } = await Promise.resolve(asked).catch((error: unknown) =>
      interrupted(error, settings),
    );
    sendJsonText(response, status, JSON.stringify(value), {
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      ...(allow === undefined ? {} : { allow }),
    });
  };
}

async function page(
  inbox: Inbox,
  request: IncomingMessage,
  query: URLSearchParams,
  principal: string,
): Promise<HttpResult> {
  if (!isRead(request)) return notThere("GET");
  const limit = query.get("limit") ?? undefined;
  if (limit !== undefined && !isCount(limit))
    return refusal(400, "INVALID_PAGE", `A page has from 1 to ${MOST} runs.`);
  const after = query.get("after") ?? undefined;
  try {
    const { runs, next } = await inbox.list({
      principal,
      after,
      ...(limit === undefined ? {} : { limit: Number(limit) }),
    });
    return said({ runs: runs.map(shown), ...(next === undefined ? {} : { next }) });
  } catch (error) {
    // An invalid cursor is an error of the caller.
    if (after === undefined || !(error instanceof RangeError)) throw error;
    return refusal(400, "INVALID_PAGE", error.message);
  }
}

async function one(
  inbox: Inbox,
  run: string,
  request: IncomingMessage,
  principal: string,
  settings: InboxSettings,
): Promise<HttpResult> {
  if (request.method === "POST") return answered(inbox, run, request, principal, settings);
  if (!isRead(request)) return notThere("GET, POST");
  const come = await inbox.status(run, { principal });
  if (come === undefined) return refusal(404, "NO_SUCH_RUN", NO_RUN);
  if (come === "going on") return said({ run, questions: [] });
  return said("questions" in come ? shown(come) : { ...come });
}

async function answered(
  inbox: Inbox,
  run: string,
  request: IncomingMessage,
  principal: string,
  settings: InboxSettings,
): Promise<HttpResult> {
  const account = settings.accounts.of(principal, request.socket.remoteAddress);
  const body = await readBody(request, settings, account);
  if ("refusal" in body) return { status: body.status, value: { error: body.refusal.error } };
  try {
    const { key, reply, attempt } = saidIn(body.value);
    await inbox.answer(run, key, reply, { principal, attempt });
    return said({ run, key, action: reply.action });
  } catch (error) {
    const status = statusOf(error);
    if (status === undefined || !(error instanceof PhotonError)) throw error;
    return refusal(status, error.code, error.message);
  }
}

/** A store that is unavailable: the request may be sent again. */
function interrupted(error: unknown, { report }: Pick<Settings, "report">): HttpResult {
  const interruption = asRetryable(error);
  if (interruption === undefined || !(error instanceof PhotonError)) throw error;
  report(error);
  return refusal(503, error.code, interruption.message);
}

/** The shape of a submitted answer. The inbox checks its content. */
function saidIn(value: unknown): SubmittedAnswer {
  const fields = isRecord(value) ? value : {};
  const { key, action, attempt } = fields;
  if (typeof key !== "string") throw new InvalidReply("a question", "its key is a text");
  if (attempt !== undefined && typeof attempt !== "number")
    throw new InvalidReply(key, "its attempt is a number");
  const about = attempt === undefined ? { key } : { key, attempt };
  if (action === "accept") return { ...about, reply: { action, value: fields["value"] } };
  if (action === "decline" || action === "cancel") return { ...about, reply: { action } };
  throw new InvalidReply(key, "its action is accept, decline or cancel");
}

/** Of whose making an error is; nothing, where it is ours. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof InvalidReply) return 400;
  if (error instanceof InvalidAnswer) return 422;
  return error instanceof AnswerRejected ? 409 : undefined;
}

const shown = ({ questions, ...run }: WaitingRun): JsonObject => ({
  ...run,
  questions: questions.map(withForm),
});

/**
 * With the form of the question, and the bounds beyond it, for programs that show it. What is left out of an answer here is missing,
 * also a list of choices.
 */
function withForm(question: InboxQuestion): JsonObject {
  if (!hasForm(question)) return { ...question };
  const { required } = fieldsOf(question);
  const form = { ...formFor(question, featuresOf(MODERN)), required };
  return omitUndefined({ ...question, form, bounds: boundsOf(question) });
}

const isRead = ({ method }: IncomingMessage): boolean => method === "GET" || method === "HEAD";

const isCount = (text: string): boolean =>
  /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= MOST;

const said = (value: JsonObject): HttpResult => ({ status: 200, value });

const refusal = (status: number, code: string, message: string): HttpResult => ({
  status,
  value: { error: { code, message } },
});

const notThere = (allow: string): HttpResult => ({
  ...refusal(405, "NO_SUCH_METHOD", `There is ${allow.replace(", ", " and ")}.`),
  allow,
});
