/**
 * Formats questions as MCP requests (`elicitation/create`, `sampling/createMessage`, `roots/list`), and parses the client's results
 * (accept, decline, cancel) and errors as replies. Pure. The fields of a form are in elicitation-form.ts.
 */
import {
  type Capability,
  type Client,
  type Content,
  InvalidReply,
  type OpenQuestion,
  type Reply,
  type Sample,
  omitUndefined,
  type Verdict,
} from "@photon/core";
import { isRecord, type Params, type JsonObject } from "../jsonrpc/messages.ts";
import { INVALID_PARAMS, METHOD_NOT_FOUND } from "../jsonrpc/errors.ts";
import { ClientError, ConnectionClosed } from "../jsonrpc/outgoing-requests.ts";
import { displayName } from "./client-info.ts";
import { formFor, hasForm, parseForm } from "./elicitation-form.ts";
import { isGivenBeforehand } from "./question-metadata.ts";
import type { Features } from "./revisions.ts";
import { blockOf } from "./results.ts";

/** Longer problems are cut, in characters. */
const MAX_PROBLEM_LENGTH = 200;

/** An open question to a person. */
export type OpenAsk = Extract<OpenQuestion, { emit: "ask" }>;

export interface InputRequest {
  readonly method: string;
  readonly params?: Params;
}

/** The reply of a client. `isBeforehand`: a decline or cancel that the user gave before the question. Core does not record that. */
export type ClientReply = Reply & { readonly isBeforehand?: true };

/** By the keys of the questions. */
export type ClientReplies = { readonly [key: string]: ClientReply };

/** Why a client cannot be asked a question, and the capability it lacks, if that is the reason. */
export interface Unsupported {
  readonly unsupported: string;
  readonly lacks?: Capability;
}

/**
 * The request for a question, or why the client cannot be asked. `elicitationId` identifies a url elicitation before 2026-07-28.
 * `page` is the URL of the page for a question that must not pass through the client.
 */
export function inputRequestFor(
  question: OpenQuestion,
  can: Client["can"],
  features: Features,
  elicitationId: string,
  page?: string,
): InputRequest | Unsupported {
  switch (question.emit) {
    case "sample":
      if (!can.sample) return { unsupported: "the client offers no model (sampling)", lacks: "sample" };
      return { method: "sampling/createMessage", params: samplingFor(question, features) };
    case "roots":
      return can.roots
        ? { method: "roots/list" }
        : { unsupported: "the client has no roots", lacks: "roots" };
    case "ask": {
      const ask = isForPage(question) && page !== undefined ? urlAskForPage(question, page) : question;
      return elicitationFor(ask, can, features, elicitationId);
    }
    default:
      return question satisfies never;
  }
}

function elicitationFor(
  ask: OpenAsk,
  can: Client["can"],
  features: Features,
  elicitationId: string,
): InputRequest | Unsupported {
  const method = "elicitation/create";
  const message = ask.hint === undefined ? ask.message : `${ask.message} (The last answer ${ask.hint}.)`;
  if (hasForm(ask)) {
    if (!can.form) return { unsupported: "the client shows no forms (elicitation)", lacks: "form" };
    const requestedSchema = formFor(ask, features);
    const params = features.extendedElicitation
      ? { mode: "form", message, requestedSchema }
      : { message, requestedSchema };
    return { method, params };
  }
  if (ask.ask !== "url") return { unsupported: `a ${ask.ask} is never asked for in a form` };
  if (!can.url) return { unsupported: "the client opens no web addresses (url elicitation)", lacks: "url" };
  const id = features.stateless ? {} : { elicitationId };
  return { method, params: { mode: "url", message, url: ask.url, ...id } };
}

/** A placeholder for the URL of a page that is not open yet: it tells whether the client can open one. */
export const ANYWHERE = "http://localhost";

/** Whether a question must not pass through a client: a secret, or a file. */
export function isForPage(question: OpenQuestion): question is Extract<OpenAsk, { ask: "secret" | "file" }> {
  return question.emit === "ask" && (question.ask === "secret" || question.ask === "file");
}

/** The ask that sends the person to the page of a question. */
export function urlAskForPage({ key, attempt, message }: OpenAsk, url: string): OpenAsk {
  return { emit: "ask", ask: "url", message, url, key, attempt };
}

/** Parses the client's result for a question. A problem says which shape it must have: "its roots must be a list, each with a uri". */
export function parseResult(
  question: OpenQuestion,
  result: JsonObject,
  features: Features,
): Verdict<ClientReply> {
  switch (question.emit) {
    case "sample":
      return parseSamplingResult(result);
    case "roots":
      return parseRootsResult(result);
    case "ask":
      return parseElicitResult(question, result, features);
    default:
      return question satisfies never;
  }
}

/**
 * Parses the client's result on a session, where a client cannot reply twice: a result of the wrong shape ends the question as
 * `unsupported`, and is reported.
 */
export function parseResultOrUnsupported(
  question: OpenQuestion,
  result: JsonObject,
  features: Features,
  client: Client,
  report: (error: unknown) => void,
): ClientReply {
  const verdict = parseResult(question, result, features);
  if ("value" in verdict) return verdict.value;
  // The problem may quote a field name that the client sent.
  const problem = verdict.problem.slice(0, MAX_PROBLEM_LENGTH);
  const sender = `the client ${displayName(client)}`;
  report(new InvalidReply(question.key, `${problem}; ${sender} sent it`));
  return { action: "unsupported", reason: `${sender} sent an invalid reply: ${problem}` };
}

/** The reply for an error of the client, or a lost connection. An error never becomes an answer. */
export function replyToError(error: unknown, report: (error: unknown) => void): Reply {
  if (!(error instanceof ConnectionClosed)) report(error);
  if (!(error instanceof ClientError)) return { action: "cancel" };
  // The specification gives -1 for a user who rejected a sampling request.
  if (error.code === -1) return { action: "decline" };
  return error.code === METHOD_NOT_FOUND || error.code === INVALID_PARAMS
    ? { action: "unsupported", reason: `the client refused it: ${error.message}` }
    : { action: "cancel" };
}

/** The capabilities that a client must declare, as it declares them. */
export function capabilitiesFor(needed: readonly Capability[]): JsonObject {
  const [form, url, sampling, roots] = (["form", "url", "sample", "roots"] as const).map((capability) =>
    needed.includes(capability) ? {} : undefined,
  );
  // Without modes, `elicitation` means forms.
  const elicitation = url === undefined ? form : omitUndefined({ form, url });
  return omitUndefined({ elicitation, sampling, roots });
}

/** The reply to a question that a client cannot be asked. */
export const unsupportedReply = ({ unsupported: reason }: Unsupported): Reply => ({
  action: "unsupported",
  reason,
});

function samplingFor(sample: Sample, features: Features): Params {
  const { messages, maxTokens, systemPrompt, temperature, stopSequences, modelPreferences } = sample;
  const blocks = messages.map(({ role, content }) => ({
    role,
    content: isOne(content) ? blockOf(content, features) : content.map((one) => blockOf(one, features)),
  }));
  return omitUndefined({
    messages: blocks,
    maxTokens,
    systemPrompt,
    temperature,
    stopSequences,
    modelPreferences,
  });
}

function parseElicitResult(ask: OpenAsk, result: JsonObject, features: Features): Verdict<ClientReply> {
  const { action, content } = result;
  if (action === "decline" || action === "cancel")
    return { value: isGivenBeforehand(result) ? { action, isBeforehand: true } : { action } };
  if (action !== "accept") return { problem: "its action must be accept, decline or cancel" };
  if (content === undefined || content === null || !hasForm(ask)) return { value: { action } };
  if (!isRecord(content)) return { problem: "its content must be an object" };
  const invalid = Object.keys(content).find((name) => !isFieldValue(content[name]));
  if (invalid !== undefined)
    return { problem: `its ${invalid} must be a text, a number, true, false or a list of texts` };
  const value = parseForm(ask, content, features);
  return { value: value === undefined ? { action } : { action, value } };
}

function isFieldValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((one) => typeof one === "string");
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** Parses the message of the client's model. Core checks its content. */
function parseSamplingResult(result: JsonObject): Verdict<Reply> {
  const { role, model, content } = result;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  if (role !== "user" && role !== "assistant") return { problem: "its role must be user or assistant" };
  if (typeof model !== "string") return { problem: "its model must be a text" };
  if (blocks.length === 0 || !blocks.every((one) => isRecord(one) && typeof one["type"] === "string"))
    return { problem: "its content must be a block of content, or a list of them" };
  return { value: { action: "accept", value: { ...result } } };
}

function parseRootsResult({ roots }: JsonObject): Verdict<Reply> {
  return Array.isArray(roots) && roots.every((root) => isRecord(root) && typeof root["uri"] === "string")
    ? { value: { action: "accept", value: roots } }
    : { problem: "its roots must be a list, each with a uri" };
}

const isOne = (content: Content | readonly Content[]): content is Content => !Array.isArray(content);
