/**
 * POST /mcp and POST /messages without Express: on a port of Photon's own that is nearly every request.
 *
 * The same checks as in the router come first: Host, then authentication. Requests with an Origin come from browsers and need
 * CORS, so the router answers them.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { sendError } from "../http/responses.ts";
import type { SseTransport } from "../transports/sse.ts";
import type { StreamableHttpTransport } from "../transports/streamable-http.ts";
import type { Authenticator } from "../http/authentication.ts";
import type { OriginGuard } from "../http/origin-guard.ts";

/** Answers a request if it can; returns whether it does. */
export type FastPath = (request: IncomingMessage, response: ServerResponse) => boolean;

interface FastPathOptions {
  readonly http: StreamableHttpTransport | undefined;
  readonly sse: SseTransport | undefined;
  readonly guard: OriginGuard;
  readonly authenticator: Authenticator;
  readonly sendFailure: (error: unknown, response: ServerResponse) => void;
}

type Handle = (principal: string) => Promise<void>;

/** As the `endpoint` event spells it. */
const MESSAGES = "/messages?sessionId=";

export function createFastPath({ http, sse, guard, authenticator, sendFailure }: FastPathOptions): FastPath {
  const handlerFor = (request: IncomingMessage, response: ServerResponse): Handle | undefined => {
    const { url = "" } = request;
    if (url === "/mcp" && http !== undefined) return (principal) => http.handle(request, response, principal);
    if (!url.startsWith(MESSAGES) || sse === undefined) return undefined;
    const session = url.slice(MESSAGES.length);
    // The router parses any other query.
    return /^[\w-]+$/.test(session)
      ? (principal) => sse.post(request, response, session, principal)
      : undefined;
  };
  return (request, response) => {
    if (request.method !== "POST" || request.headers.origin !== undefined) return false;
    const handle = handlerFor(request, response);
    if (handle === undefined) return false;
    const refusal = guard.rejectionFor(request);
    if (refusal !== undefined) sendError(response, 403, refusal);
    else
      authenticator
        .withPrincipal(request, response, handle)
        .catch((error: unknown) => sendFailure(error, response));
    return true;
  };
}
