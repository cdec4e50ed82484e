/**
 * MCP over HTTP+SSE, the transport of 2024-11-05: one event stream is one session.
 *
 * The first event names the address to post to; whatever is posted there belongs
 * to that stream. The session ends with the stream.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Account } from "../accounts.ts";
import type { MessageHandler, AcceptConnection } from "../connection.ts";
import type { Settings } from "../settings.ts";
import { EventStream, SseKeepAlive } from "./event-stream.ts";
import { sendAccepted, sendJson, sendError } from "../http/responses.ts";
import { readBody } from "../http/body.ts";
import { textOf } from "../http/unread-output.ts";

export interface SseTransport {
  /** Opens a stream; `address` is where its messages are posted to, without the session. */
  get(response: ServerResponse, address: string, principal: string, account: Account): void;
  /** Takes a message for the session that the address names. */
  post(request: IncomingMessage, response: ServerResponse, session: string, principal: string): Promise<void>;
  close(): Promise<void>;
}

interface SseSession {
  readonly line: MessageHandler;
  readonly stream: EventStream;
  readonly principal: string;
  readonly account: Account;
}

export function serveSse(open: AcceptConnection, settings: Pick<Settings, "limits" | "clock">): SseTransport {
  const streaming = { ...settings, keepAlive: new SseKeepAlive(settings.clock) };
  const lines = new Map<string, SseSession>();
  const ended = new Set<Promise<void>>();
  return {
    get(response, address, principal, account) {
      const id = randomUUID();
      const stream = new EventStream(response, streaming, account);
      // Whoever asked is gone already, and would never be seen to leave.
      if (stream.isClosed) return;
      const line = open({
        mayMergeReads: true,
        sessionsOnly: true,
        principal,
        account,
        send: (message) => stream.write({ event: "message", data: textOf(message, account) }),
        close: () => stream.end(),
      });
      lines.set(id, { line, stream, principal, account });
      response.once("close", () => {
        lines.delete(id);
        const ending = line.close();
        ended.add(ending);
        void ending.finally(() => ended.delete(ending));
      });
      void stream.write({ event: "endpoint", data: `${address}?sessionId=${id}` });
    },
    async post(request, response, session, principal) {
      // Somebody else's session is none.
      const opened = lines.get(session);
      if (opened?.principal !== principal) return sendError(response, 404, "There is no such session.");
      const body = await readBody(request, settings, opened.account);
      if ("refusal" in body) return sendJson(response, body.status, body.refusal);
      sendAccepted(response);
      lines.get(session)?.line.receive(body.value, body.bytes);
    },
    async close() {
      // What ends with the session is told before the stream ends.
      const closing = [...lines.values()].map(async ({ line, stream }) => {
        await line.close();
        stream.end();
      });
      await Promise.all([...closing, ...ended]);
    },
  };
}
