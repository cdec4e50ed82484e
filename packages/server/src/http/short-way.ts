/**
 * A message to `/mcp`, without the detours of a router: on a port of our own that is nearly every request.
 *
 * Everything is looked at as on the long way: the guard first, then who calls. What a page of a browser sends has an
 * Origin, and goes the long way, where that is answered.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpLines } from "../transports/streamable-http.ts";
import { refuse } from "../transports/http-answers.ts";
import type { Callers } from "./callers.ts";
import type { Guard } from "./guard.ts";

/** Answers a request, if this is its way; says whether it is. */
export type ShortWay = (request: IncomingMessage, response: ServerResponse) => boolean;

interface Entrance {
  readonly guard: Guard;
  readonly callers: Callers;
  /** Says to whoever waits for an answer that something went wrong. */
  readonly fail: (error: unknown, response: ServerResponse) => void;
}

export function shortWay(http: HttpLines, { guard, callers, fail }: Entrance): ShortWay {
  return (request, response) => {
    const { method, url, headers } = request;
    if (url !== "/mcp" || method !== "POST" || headers.origin !== undefined) return false;
    const refusal = guard.refusalOf(request);
    if (refusal === undefined) {
      response.setHeader("vary", "Origin");
      callers
        .knowing(request, response, (principal) => http.handle(request, response, principal))
        .catch((error: unknown) => fail(error, response));
    } else refuse(response, 403, refusal);
    return true;
  };
}
