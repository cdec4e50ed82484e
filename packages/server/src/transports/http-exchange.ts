/**
 * A request of 2026-07-28 over HTTP: one POST, one answer.
 *
 *   1. It is answered with JSON, unless something is told before: then with a stream of events, which the answer ends.
 *   2. A client that hangs up has cancelled it.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { errorResponse, INVALID_REQUEST, RpcError, rpcErrorOf } from "../rpc/errors.ts";
import { readMessage, type Response } from "../rpc/message.ts";
import type { Exchange } from "../rpc/peer.ts";
import type { Settings } from "../settings.ts";
import { EventStream } from "./event-stream.ts";
import { header } from "./header.ts";
import { accepted, answerJson, answerText } from "./http-answers.ts";

type HttpSettings = Pick<Settings, "limits" | "clock" | "report">;

export async function answerAlone(
  exchange: Exchange,
  value: unknown,
  principal: string,
  request: IncomingMessage,
  response: ServerResponse,
  settings: HttpSettings,
): Promise<void> {
  const incoming = readMessage(value);
  if (incoming.kind === "garbage") {
    const problem = new RpcError(INVALID_REQUEST, `That is no message: ${incoming.problem}.`);
    return answerJson(response, 400, errorResponse(incoming.id, problem));
  }
  // Whatever it says: who wants to cancel a request hangs up on it.
  if (incoming.kind !== "request") return accepted(response);
  // Whoever asked is gone already, and would never be seen to leave.
  if (response.destroyed) return;
  const over = new AbortController();
  response.once("close", () => over.abort());
  let events: EventStream | undefined;
  const { response: answer, status } = await exchange(incoming.message, {
    principal,
    signal: over.signal,
    header: (name) => header(request, name),
    tell(notification) {
      events ??= new EventStream(response, settings);
      return events.write({ data: JSON.stringify(notification) });
    },
  });
  const text = textOf(answer, settings.report);
  if (events === undefined) return answerText(response, status, text);
  void events.write({ data: text });
  events.end();
}

/** An answer as text. What is no JSON, because an author made it so, becomes an error. */
function textOf(answer: Response, report: (error: unknown) => void): string {
  try {
    return JSON.stringify(answer);
  } catch (error) {
    return JSON.stringify(errorResponse(answer.id, rpcErrorOf(error, report)));
  }
}
