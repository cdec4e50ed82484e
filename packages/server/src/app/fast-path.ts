/**
 * A message to `/mcp` or `/messages`, without the detours of a router: on a port of our own that is nearly every request.
 *
 * Everything is looked at as on the long way: the guard first, then who calls. What a page of a browser sends has an
 * Origin, and goes the long way, where that is answered.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { sendError } from "../http/responses.ts";
import type { SseLines } from "../transports/sse.ts";
import type { HttpLines } from "../transports/streamable-http.ts";
import type { Authenticator } from "../http/authentication.ts";
import type { OriginGuard } from "../http/origin-guard.ts";

/** Answers a request, if this is its way; says whether it is. */
export type FastPath = (request: IncomingMessage, response: ServerResponse) => boolean;

interface FastPathGuards {
  readonly guard: OriginGuard;
  readonly callers: Authenticator;
  /** Says to whoever waits for an answer that something went wrong. */
  readonly fail: (error: unknown, response: ServerResponse) => void;
}

/** Where it leads to, as far as there is such a thing. */
interface FastPathRoutes {
  readonly http: HttpLines | undefined;
  readonly sse: SseLines | undefined;
}

type Deliver = (principal: string) => Promise<void>;

/** Where messages of a session are posted to, as its client was told. */
const MESSAGES = "/messages?sessionId=";

export function createFastPath(
  { http, sse }: FastPathRoutes,
  { guard, callers, fail }: FastPathGuards,
): FastPath {
  const deliveryOf = (request: IncomingMessage, response: ServerResponse): Deliver | undefined => {
    const { url = "" } = request;
    if (url === "/mcp" && http !== undefined) return (principal) => http.handle(request, response, principal);
    if (!url.startsWith(MESSAGES) || sse === undefined) return undefined;
    const session = url.slice(MESSAGES.length);
    // Whatever else an address may say takes a closer look.
    return /^[\w-]+$/.test(session)
      ? (principal) => sse.post(request, response, session, principal)
      : undefined;
  };
  return (request, response) => {
    if (request.method !== "POST" || request.headers.origin !== undefined) return false;
    const deliver = deliveryOf(request, response);
    if (deliver === undefined) return false;
    const refusal = guard.rejectionFor(request);
    if (refusal !== undefined) sendError(response, 403, refusal);
    else callers.knowing(request, response, deliver).catch((error: unknown) => fail(error, response));
    return true;
  };
}
