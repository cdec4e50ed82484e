/**
 * A stateless request (2026-07-28) over HTTP: one POST, one response.
 *
 *   1. The response is JSON, unless a notification is sent first, or the call takes long: then it ends an event stream.
 *   2. A client that disconnects cancels the request. So the stream is opened before a proxy closes a silent connection.
 */
import type { ServerResponse } from "node:http";
import { LightAbortSignal } from "../util/light-abort.ts";
import { withSerializationErrors } from "../jsonrpc/errors.ts";
import { runAfterTick } from "../util/timers.ts";
import { parseMessage } from "../jsonrpc/messages.ts";
import { estimateBytes } from "../jsonrpc/message-size.ts";
import { EventStream } from "./event-stream.ts";
import { formatResponse, sendAccepted, sendJson, sendResult, header } from "../http/responses.ts";
import type { Caller, StreamableHttpTransport } from "./streamable-http.ts";
import type { Posted } from "./streamable-session.ts";

const OPEN_STREAM_AFTER_MS = 20_000;

export async function answerStateless(
  { connections, settings }: StreamableHttpTransport,
  { value, bytes }: Posted,
  { principal, account }: Caller,
  response: ServerResponse,
): Promise<void> {
  const incoming = parseMessage(value);
  if (incoming.kind === "invalid") return sendJson(response, 400, incoming.refusal);
  // Notifications need no handling: a client cancels a request by disconnecting.
  if (incoming.kind !== "request") return sendAccepted(response);
  // The client has disconnected already, and `close` will not be emitted again.
  if (response.destroyed) return;
  const { clock, report } = settings;
  const signal = new LightAbortSignal();
  const began = clock.now();
  let events: EventStream | undefined;
  const openStream = (): EventStream => (events ??= new EventStream(response, settings, account));
  let stopWaiting: (() => void) | undefined;
  const pending = {
    isOver: false,
    onNextTick() {
      stopWaiting = clock.after(began + OPEN_STREAM_AFTER_MS - clock.now(), openStream);
    },
  };
  const end = (): void => {
    pending.isOver = true;
    stopWaiting?.();
  };
  response.on("close", () => {
    if (pending.isOver) return;
    end();
    signal.abort();
  });
  runAfterTick(pending);
  try {
    const answer = await connections.handleStateless(incoming.message, {
      principal,
      account,
      weight: estimateBytes(value, bytes),
      signal,
      notify: (notification) => openStream().write({ data: JSON.stringify(notification) }),
      header: (name) => header(response.req, name),
    });
    const text = withSerializationErrors(answer.response, report, (json) => formatResponse(json, account));
    if (events === undefined) sendResult(response, answer.status, text, account);
    else events.end({ data: text });
  } finally {
    end();
  }
}
