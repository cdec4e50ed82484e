/** Questions as the requests that MCP has for them, and what comes back as replies. Pure. */
import {
  type Capability,
  type Client,
  type Content,
  InvalidReply,
  type OpenQuestion,
  type Reply,
  type Sample,
} from "@photon/core";
import { isRecord, type Params, type JsonObject } from "../jsonrpc/messages.ts";
import { nameOf } from "./client-info.ts";
import { elicitationFor, replyFrom } from "./elicitation.ts";
import { hasForm } from "./elicitation-form.ts";
import type { Features } from "./revisions.ts";
import { omitUndefined } from "../util/omit-undefined.ts";
import { blockOf } from "./results.ts";

/** How much is said of what is wrong with a reply, in characters. */
const MAX_PROBLEM = 200;

type OpenAsk = Extract<OpenQuestion, { emit: "ask" }>;

export interface InputRequest {
  readonly method: string;
  readonly params?: Params;
}

/** Why a question cannot be put to a client, and what the client would have to be able to do, if that is why. */
export interface Unsupported {
  readonly unsupported: string;
  readonly lacks?: Capability;
}

/**
 * The request for a question, as far as the client can be asked; `elicitationId` names a web address before 2026-07-28.
 * `page` is where the question can be answered, if it must not pass through the client.
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
      if (isForPage(question) && page !== undefined)
        return inputRequestFor(visitTo(question, page), can, features, elicitationId);
      const wanted = elicitationFor(question, can, features, elicitationId);
      if ("params" in wanted) return { method: "elicitation/create", params: wanted.params };
      const lacks = hasForm(question) ? "form" : question.ask === "url" ? "url" : undefined;
      return lacks === undefined ? wanted : { ...wanted, lacks };
    }
    default:
      return question satisfies never;
  }
}

/** Whether a client could be sent to a page is found out before there is one. */
export const ANYWHERE = "http://localhost";

/** Whether a question must not pass through a client: what is secret, and what is no text. */
export function isForPage(question: OpenQuestion): question is Extract<OpenAsk, { ask: "secret" | "file" }> {
  return question.emit === "ask" && (question.ask === "secret" || question.ask === "file");
}

/** The question whether somebody will go to a page to answer another one. */
export function visitTo({ key, attempt, message }: OpenAsk, url: string): OpenAsk {
  return { emit: "ask", ask: "url", message, url, key, attempt };
}

/** What a client answered to a question, or what is wrong with the shape of it. */
export function replyTo(
  question: OpenQuestion,
  result: { readonly [field: string]: unknown },
  features: Features,
): { readonly value: Reply } | { readonly problem: string } {
  switch (question.emit) {
    case "sample":
      return sampleReply(result);
    case "roots":
      return rootsReply(result);
    case "ask":
      return replyFrom(question, result, features);
    default:
      return question satisfies never;
  }
}

/**
 * The same for a client on a session, which cannot reply twice: a reply that is no legal answer ends the question, as one that
 * the client has no way to show, and is reported.
 */
export function replyOnce(
  question: OpenQuestion,
  result: { readonly [field: string]: unknown },
  features: Features,
  client: Client,
  report: (error: unknown) => void,
): Reply {
  const verdict = replyTo(question, result, features);
  if ("value" in verdict) return verdict.value;
  // The problem may name a field of the client's.
  const problem = verdict.problem.slice(0, MAX_PROBLEM);
  const sender = `the client ${nameOf(client)}`;
  report(new InvalidReply(question.key, `${problem}; ${sender} sent it`));
  return { action: "unsupported", reason: `${sender} sent a reply that is no answer: ${problem}` };
}

/** What a client must declare to be able to do something. */
export function capabilitiesFor(abilities: readonly Capability[]): { readonly [name: string]: unknown } {
  const wants = (ability: Capability): boolean => abilities.includes(ability);
  // Nothing said about modes means forms.
  const modes = wants("url") ? { ...(wants("form") ? { form: {} } : {}), url: {} } : {};
  return {
    ...(wants("form") || wants("url") ? { elicitation: modes } : {}),
    ...(wants("sample") ? { sampling: {} } : {}),
    ...(wants("roots") ? { roots: {} } : {}),
  };
}

/** What is replied to a question that a client cannot be asked. */
export const unsupportedReply = ({ unsupported: reason }: Unsupported): Reply => ({
  action: "unsupported",
  reason,
});

/** `sampling/createMessage` and `roots/list`, and what comes back. Pure. */

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

/** What the model said, or what is wrong with the shape of it; whether it can be used is checked by core. */
function sampleReply(result: JsonObject): Verdict {
  const { role, model, content } = result;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  if (role !== "user" && role !== "assistant") return { problem: "its role is user or assistant" };
  if (typeof model !== "string") return { problem: "its model is a text" };
  if (blocks.length === 0 || !blocks.every((one) => isRecord(one) && typeof one["type"] === "string"))
    return { problem: "its content is a block of content, or a list of them" };
  return { value: { action: "accept", value: { ...result } } };
}

function rootsReply({ roots }: JsonObject): Verdict {
  return Array.isArray(roots) && roots.every((root) => isRecord(root) && typeof root["uri"] === "string")
    ? { value: { action: "accept", value: roots } }
    : { problem: "its roots are a list, each with a uri" };
}

type Verdict = { readonly value: Reply } | { readonly problem: string };

const isOne = (content: Content | readonly Content[]): content is Content => !Array.isArray(content);
