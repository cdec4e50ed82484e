/**
 * The inbox over HTTP: open questions of durable runs, for the principal that was asked.
 *
 *   1. Everything is done for the principal who sent the request: questions to other principals are not found.
 *   2. Responses are sent with `Cache-Control: no-store`.
 *   3. A rejected answer is a response `{ error: { code, message } }`.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { InvalidReply, InvalidAnswer, PhotonError } from "@photon/core";
import { boundsOf, fieldsOf, formFor, hasForm } from "../protocol/elicitation-form.ts";
import { featuresOf, STATELESS_REVISION } from "../protocol/revisions.ts";
import { isRecord, type JsonObject } from "../jsonrpc/messages.ts";
import type { Inbox, InboxQuestion, WaitingRun } from "../durable/inbox.ts";
import { asRetryable } from "../jsonrpc/errors.ts";
import { AnswerRejected } from "../errors.ts";
import type { Settings } from "../settings.ts";
import { sendJson } from "../http/responses.ts";
import type { Accounts } from "../accounts.ts";
import { readBody } from "../http/body.ts";

interface HttpResult {
  readonly status: number;
  readonly value: JsonObject;
  readonly allow?: string;
}

type Handler = (request: IncomingMessage, response: ServerResponse, principal: string) => Promise<void>;

interface InboxSettings extends Pick<Settings, "limits" | "clock" | "report"> {
  readonly accounts: Accounts;
}

/** The most runs on one page. */
const MAX_PAGE = 200;

/** `request.url` is the rest of the path after `/inbox`. */
export function inboxHandler(inbox: Inbox | undefined, settings: InboxSettings): Handler {
  return async (request, response, principal) => {
    // Not parsed as a URL: clients also send paths that are not valid.
    const [, run = "", query = ""] = /^\/?([^?]*)(?:\?(.*))?$/s.exec(request.url ?? "") ?? [];
    const { status, value, allow } = await handle(inbox, run, query, request, principal, settings).catch(
      (error: unknown) => storeUnavailable(error, settings),
    );
    sendJson(response, status, value, {
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      ...(allow === undefined ? {} : { allow }),
    });
  };
}

async function handle(
  inbox: Inbox | undefined,
  run: string,
  query: string,
  request: IncomingMessage,
  principal: string,
  settings: InboxSettings,
): Promise<HttpResult> {
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (inbox === undefined)
    return errorResult(404, "NO_INBOX", "There is no inbox here: this server has no store.");
  if (run === "") return isRead ? list(inbox, new URLSearchParams(query), principal) : notAllowed("GET");
  if (isRead) return show(inbox, run, principal);
  return request.method === "POST"
    ? answer(inbox, run, request, principal, settings)
    : notAllowed("GET, POST");
}

async function list(inbox: Inbox, query: URLSearchParams, principal: string): Promise<HttpResult> {
  const limit = query.get("limit") ?? undefined;
  if (limit !== undefined && !(/^\d{1,3}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= MAX_PAGE))
    return errorResult(400, "INVALID_PAGE", `A page has from 1 to ${MAX_PAGE} runs.`);
  const after = query.get("after") ?? undefined;
  try {
    const { runs, next } = await inbox.list({
      principal,
      after,
      limit: limit === undefined ? undefined : Number(limit),
    });
    return ok({ runs: runs.map(formatRun), next });
  } catch (error) {
    // An invalid cursor is an error of the caller.
    if (after === undefined || !(error instanceof RangeError)) throw error;
    return errorResult(400, "INVALID_PAGE", error.message);
  }
}

async function show(inbox: Inbox, run: string, principal: string): Promise<HttpResult> {
  const found = await inbox.status(run, { principal });
  if (found === undefined)
    return errorResult(
      404,
      "NO_SUCH_RUN",
      "There is no such run, or its questions were for another principal.",
    );
  if (found === "running") return ok({ run, questions: [] });
  return ok("questions" in found ? formatRun(found) : { ...found });
}

async function answer(
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
    const { key, attempt, reply } = parseAnswer(body.value);
    await inbox.answer(run, key, reply, { principal, attempt });
    return ok({ run, key, action: reply.action });
  } catch (error) {
    const rejected = rejectionStatuses.find(([kind]) => error instanceof kind);
    if (rejected === undefined || !(error instanceof PhotonError)) throw error;
    return errorResult(rejected[1], error.code, error.message);
  }
}

/** Errors of the caller. Others are those of the server. */
const rejectionStatuses = [
  [InvalidReply, 400],
  [InvalidAnswer, 422],
  [AnswerRejected, 409],
] as const;

/** The request may be sent again. */
function storeUnavailable(error: unknown, { report }: Pick<Settings, "report">): HttpResult {
  const retryable = asRetryable(error);
  if (retryable === undefined || !(error instanceof PhotonError)) throw error;
  report(error);
  return errorResult(503, error.code, retryable.message);
}

/** Checks the shape of a submitted answer. The inbox checks its content. */
function parseAnswer(body: unknown) {
  const { key, attempt, action, value } = isRecord(body) ? body : {};
  if (typeof key !== "string") throw new InvalidReply("a question", "its key must be a text");
  if (attempt !== undefined && typeof attempt !== "number")
    throw new InvalidReply(key, "its attempt must be a number");
  if (action === "accept") return { key, attempt, reply: { action, value } } as const;
  if (action === "decline" || action === "cancel") return { key, attempt, reply: { action } } as const;
  throw new InvalidReply(key, "its action must be accept, decline or cancel");
}

const formatRun = ({ questions, ...run }: WaitingRun): JsonObject => ({
  ...run,
  questions: questions.map(withForm),
});

/**
 * Adds the form of the question, and the bounds beyond it, for programs that show it. A field that an answer leaves out is missing,
 * also a list of choices.
 */
function withForm(question: InboxQuestion): JsonObject {
  if (!hasForm(question)) return { ...question };
  const { required } = fieldsOf(question);
  const form = { ...formFor(question, featuresOf(STATELESS_REVISION)), required };
  return { ...question, form, bounds: boundsOf(question) };
}

const ok = (value: JsonObject): HttpResult => ({ status: 200, value });

const errorResult = (code: number, name: string, message: string): HttpResult => ({
  status: code,
  value: { error: { code: name, message } },
});

const notAllowed = (allow: string): HttpResult => ({
  ...errorResult(405, "NO_SUCH_METHOD", `This URL accepts ${allow.replace(", ", " and ")}.`),
  allow,
});
