/**
 * A request of 2026-07-28 over HTTP: one POST, one answer.
 *
 *   1. It is answered with JSON, unless something is told before, or nothing for a while: then with a stream of events,
 *      which the answer ends.
 *   2. A client that hangs up has cancelled it. So nothing on the way may take it for dead while a tool works in silence.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { errorResponse, INVALID_REQUEST, RpcError, rpcErrorOf } from "../rpc/errors.ts";
import { readMessage, type Response } from "../rpc/message.ts";
import type { Exchange } from "../rpc/peer.ts";
import type { Settings } from "../settings.ts";
import { EventStream } from "./event-stream.ts";
import { header } from "./header.ts";
import { accepted, answerJson, answerText } from "./http-answers.ts";

/** How long a request may be silent, in milliseconds, before its stream is opened, which then shows that it is alive. */
const SILENCE = 20_000;

/** Made once: an `AbortController` without a reason makes an error of its own each time. */
const GONE = new Error("The client has hung up.");

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
  let events: EventStream | undefined;
  const open = (): EventStream => (events ??= new EventStream(response, settings));
  const stopWaiting = settings.clock.after(SILENCE, open);
  let isAnswered = false;
  response.once("close", () => {
    stopWaiting();
    if (!isAnswered) over.abort(GONE);
  });
  const answering = exchange(incoming.message, {
    principal,
    signal: over.signal,
    header: (name) => header(request, name),
    tell: (notification) => open().write({ data: JSON.stringify(notification) }),
  });
  const { response: answer, status } = await answering.finally(stopWaiting);
  isAnswered = true;
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
