/**
 * What a Photon server tells of a question beyond MCP: that a yes is dangerous, what was wrong with the last answer,
 * bounds and patterns that forms of MCP have no keywords for. Pure.
 *
 * The client declares `photon/questions`. On a session the details are in the `_meta` of each request. In 2026-07-28
 * they are in that of the result, which the SDK drops: they are put into the requests before it reads the result.
 */
import type { ClientCapabilities, JSONRPCMessage } from "@modelcontextprotocol/client";
import { isRecord } from "../terminal/is-record.ts";

const QUESTIONS = "photon/questions";
const QUESTION = "photon/question";

/** The capability, where servers with sessions (`experimental`) and of 2026-07-28 (`extensions`) look for it. */
export const wantsDetails: ClientCapabilities = {
  experimental: { [QUESTIONS]: {} },
  extensions: { [QUESTIONS]: {} },
};

export interface QuestionDetails {
  readonly isDangerous: boolean;
  readonly hint?: string;
  /** The tool's description. In the form, the server appends the bounds to it. */
  readonly description?: string;
  /** By field, as JSON Schema. */
  readonly bounds?: Readonly<Record<string, unknown>>;
}

/** The details in the `_meta` of a request; a server that is not Photon's tells none. */
export function detailsIn(meta: unknown): QuestionDetails | undefined {
  const details = isRecord(meta) ? meta[QUESTION] : undefined;
  if (!isRecord(details)) return undefined;
  const { dangerous, hint, description, bounds } = details;
  return {
    isDangerous: dangerous === true,
    ...(typeof hint === "string" ? { hint } : {}),
    ...(typeof description === "string" ? { description } : {}),
    ...(isRecord(bounds) ? { bounds } : {}),
  };
}

/** The same message, where the details of its questions are in the questions. */
export function withDetailsInRequests(message: JSONRPCMessage): JSONRPCMessage {
  if (!("result" in message)) return message;
  const { _meta: meta, inputRequests: requests } = message.result;
  const details = isRecord(meta) ? meta[QUESTIONS] : undefined;
  if (!isRecord(details) || !isRecord(requests)) return message;
  const detailed = Object.entries(requests).map(([key, request]) => {
    const params = isRecord(request) && isRecord(request["params"]) ? request["params"] : undefined;
    if (!isRecord(request) || params === undefined || !Object.hasOwn(details, key)) return [key, request];
    const own = isRecord(params["_meta"]) ? params["_meta"] : {};
    return [key, { ...request, params: { ...params, _meta: { ...own, [QUESTION]: details[key] } } }];
  });
  return { ...message, result: { ...message.result, inputRequests: Object.fromEntries(detailed) } };
}
