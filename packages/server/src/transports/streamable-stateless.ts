/**
 * A stateless request (2026-07-28) over HTTP: one POST, one response.
 *
 *   1. The response is JSON, unless a notification is sent first, or the call takes long: then it ends an event stream.
 *   2. A client that disconnects cancels the request. So the stream is opened before a proxy closes a silent connection.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Account } from "../accounts.ts";
import { LightAbortSignal } from "../util/light-abort.ts";
import { errorResponse, INVALID_REQUEST, RpcError, toRpcError } from "../jsonrpc/errors.ts";
import { runAfterTick, type Deferred } from "../util/timers.ts";
import { type Notification, parseMessage, type Response } from "../jsonrpc/messages.ts";
import type { RequestContext, HandleStateless } from "../connection.ts";
import { estimateBytes } from "../jsonrpc/message-size.ts";
import type { Settings } from "../settings.ts";
import { EventStream, type EventStreamSettings } from "./event-stream.ts";
import { sendAccepted, sendJson, sendResult, header } from "../http/responses.ts";
import type { Posted } from "./streamable-session.ts";
import { formatResponse } from "../http/unread-output.ts";

const OPEN_STREAM_AFTER_MS = 20_000;

type Report = Settings["report"];

export async function answerStateless(
  handle: HandleStateless,
  { value, bytes }: Posted,
  { principal, account }: Pick<RequestContext, "principal" | "account">,
  request: IncomingMessage,
  response: ServerResponse,
  settings: EventStreamSettings & { readonly report: Report },
): Promise<void> {
  const incoming = parseMessage(value);
  if (incoming.kind === "invalid") {
    const problem = new RpcError(INVALID_REQUEST, `That is no message: ${incoming.problem}.`);
    return sendJson(response, 400, errorResponse(incoming.id, problem));
  }
  // Notifications need no handling: a client cancels a request by disconnecting.
  if (incoming.kind !== "request") return sendAccepted(response);
  // The client has disconnected already, and `close` will not be emitted again.
  if (response.destroyed) return;
  const weight = estimateBytes(value, bytes);
  const caller = new HttpRequestContext({ principal, account, weight }, request, response, settings);
  try {
    const { response: answer, status } = await handle(incoming.message, caller);
    caller.answer(status, textOf(answer, account, settings.report));
  } finally {
    caller.end();
  }
}

class HttpRequestContext implements RequestContext, Deferred {
  readonly principal: string;
  readonly account: Account;
  readonly weight: number;
  readonly signal = new LightAbortSignal();
  isOver = false;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #settings: EventStreamSettings;
  readonly #began: number;
  #events: EventStream | undefined;
  #stopWaiting: (() => void) | undefined;

  constructor(
    { principal, account, weight }: Pick<RequestContext, "principal" | "account" | "weight">,
    request: IncomingMessage,
    response: ServerResponse,
    settings: EventStreamSettings,
  ) {
    this.principal = principal;
    this.account = account;
    this.weight = weight;
    this.#request = request;
    this.#response = response;
    this.#settings = settings;
    this.#began = settings.clock.now();
    response.on("close", () => this.#leave());
    runAfterTick(this);
  }

  header(name: string): string | undefined {
    return header(this.#request, name);
  }

  notify(notification: Notification): void | Promise<void> {
    return this.#open().write({ data: JSON.stringify(notification) });
  }

  onNextTick(): void {
    const { clock } = this.#settings;
    this.#stopWaiting = clock.after(this.#began + OPEN_STREAM_AFTER_MS - clock.now(), () => this.#open());
  }

  answer(status: number, text: string): void {
    if (this.#events === undefined) sendResult(this.#response, status, text, this.account);
    else this.#events.end({ data: text });
  }

  end(): void {
    this.isOver = true;
    this.#stopWaiting?.();
  }

  #open(): EventStream {
    return (this.#events ??= new EventStream(this.#response, this.#settings, this.account));
  }

  #leave(): void {
    if (this.isOver) return;
    this.end();
    this.signal.abort();
  }
}

/** A response as JSON; an error in its place when a tool returned what is not JSON. */
function textOf(answer: Response, account: Account, report: Report): string {
  try {
    return formatResponse(answer, account);
  } catch (error) {
    return JSON.stringify(errorResponse(answer.id, toRpcError(error, report)));
  }
}
