/** MCP over HTTP+SSE, the transport of 2024-11-05: one event stream is one session. Its first event names the URL to post messages to. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Account } from "../accounts.ts";
import type { MessageHandler, AcceptConnection } from "../connection.ts";
import type { Settings } from "../settings.ts";
import { EventStream, SseKeepAlive } from "./event-stream.ts";
import { formatMessage, sendAccepted, sendJson, sendError } from "../http/responses.ts";
import { readBody } from "../http/body.ts";

export interface SseTransport {
  /** Opens a stream. `address`: where its messages are posted, without the session id. */
  get(response: ServerResponse, address: string, principal: string, account: Account): void;
  /** Receives a message for a session. */
  post(request: IncomingMessage, response: ServerResponse, session: string, principal: string): Promise<void>;
  close(): Promise<void>;
}

interface SseSession {
  readonly handler: MessageHandler;
  readonly stream: EventStream;
  readonly principal: string;
  readonly account: Account;
}

export function serveSse(accept: AcceptConnection, settings: Settings): SseTransport {
  const streaming = { ...settings, keepAlive: new SseKeepAlive(settings.clock) };
  /** By id, until they have ended. */
  const sessions = new Map<string, SseSession>();
  return {
    get(response, address, principal, account) {
      const id = randomUUID();
      const stream = new EventStream(response, streaming, account);
      // Its `close` event will not be emitted again.
      if (stream.isClosed) return;
      const handler = accept({
        mayMergeReads: true,
        sessionsOnly: true,
        principal,
        account,
        send: (message) => stream.write({ event: "message", data: formatMessage(message, account) }),
        close: () => stream.end(),
      });
      sessions.set(id, { handler, stream, principal, account });
      response.once("close", () => {
        void handler.close().finally(() => sessions.delete(id));
      });
      void stream.write({ event: "endpoint", data: `${address}?sessionId=${id}` });
    },
    async post(request, response, session, principal) {
      const found = sessions.get(session);
      // A session of another principal is not found.
      if (found?.principal !== principal || found.stream.isClosed)
        return sendError(response, 404, "There is no such session.");
      const body = await readBody(request, settings, found.account);
      if ("refusal" in body) return sendJson(response, body.status, body.refusal);
      sendAccepted(response);
      // A handler that was closed meanwhile drops the message.
      found.handler.receive(body.value, body.bytes);
    },
    async close() {
      // The handler answers calls that end with it.
      const closing = [...sessions.values()].map(async ({ handler, stream }) => {
        await handler.close();
        stream.end();
      });
      await Promise.all(closing);
    },
  };
}
