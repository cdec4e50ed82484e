/**
 * One session over Streamable HTTP: which HTTP response carries which message.
 *
 *   1. Messages that belong to a request are sent on the stream of that request, all others on the stream of GET.
 *   2. An invalid message that is not a request is refused in the response to its POST.
 *   3. A stream that ended can be resumed for a while: the client may not have received its end.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Account } from "../accounts.ts";
import { CompactMap } from "../util/compact-map.ts";
import { asRetryable, errorResponse, idInUse, toRpcError } from "../jsonrpc/errors.ts";
import {
  isResponse,
  type Message,
  type Request,
  type RequestId,
  requestsIn,
  type Response,
} from "../jsonrpc/messages.ts";
import type { ClientConnection } from "../connection.ts";
import type { Session } from "../sessions/session.ts";
import type { ResumedSession } from "../sessions/shared-session.ts";
import {
  formatResponse,
  sendAccepted,
  sendJson,
  sendResult,
  sendJsonText,
  header,
  sendError,
} from "../http/responses.ts";
import { EventBuffer, ResumableStream } from "./resumable-stream.ts";
import type { Caller, StreamableHttpTransport } from "./streamable-http.ts";

export const SESSION_HEADER = "mcp-session-id";
/** How long the events of an ended stream stay buffered. */
export const FINISHED_TTL_MS = 60_000;
/** Requests that run an author's code: they may send notifications first, or take long. Others are answered with JSON. */
const STREAMED = new Set(["tools/call", "prompts/get", "resources/read", "completion/complete"]);
/** The name of the stream of GET. */
const STANDALONE = "0";
/** `<stream>.<number>` */
const EVENT_ID = /^([\w-]+)\.(\d+)$/;

/** The parsed body of a POST. */
export interface Posted {
  readonly value: unknown;
  readonly bytes: number;
}

/** An HTTP response that carries one JSON-RPC response as JSON. */
interface DirectResponse {
  readonly response: ServerResponse;
  readonly method: string;
}

export class StreamableSession implements ClientConnection {
  readonly mayMergeReads = false;
  readonly principal: string;
  readonly account: Account;
  readonly session: Session;
  readonly #localId = randomUUID();
  /** Whether other processes can continue the session. */
  readonly #isShared: boolean;
  readonly #transport: StreamableHttpTransport;
  readonly #buffer: EventBuffer;
  readonly #standalone: ResumableStream;
  /** The stream or HTTP response that carries the response to each request. */
  readonly #pending = new CompactMap<RequestId, ResumableStream | DirectResponse>();
  #streamCount = 0;
  #lastSeen: number;
  /** The POST whose message is being handled, synchronously. */
  #posting: { readonly response: ServerResponse; readonly requests: readonly Request[] } | undefined;

  /** `resumed`: the same session of another process, which this one continues. */
  constructor(transport: StreamableHttpTransport, { principal, account }: Caller, resumed?: ResumedSession) {
    const { connections, settings } = transport;
    this.principal = principal;
    this.account = account;
    this.#transport = transport;
    this.#lastSeen = settings.clock.now();
    this.#buffer = new EventBuffer(settings, account);
    this.#isShared = connections.context.runs !== undefined;
    // Its events are known to this process only.
    this.#standalone = this.#createStream(this.#isShared ? `${STANDALONE}-${randomUUID()}` : STANDALONE);
    this.session = connections.openSession(this, resumed);
  }

  /** The id that the client knows. If other processes can continue the session, it names the session there too. */
  get id(): string {
    return this.session.shared?.token ?? this.#localId;
  }

  /** Since when no response is open. A call whose client has disconnected does not keep the session alive. */
  get idleSince(): number {
    const isConnected =
      this.#buffer.streams.values().some((stream) => stream.isConnected) ||
      this.#pending.values().some((one) => !(one instanceof ResumableStream) && !one.response.destroyed);
    return isConnected ? Number.POSITIVE_INFINITY : this.#lastSeen;
  }

  post({ value, bytes }: Posted, response: ServerResponse): void {
    this.#noteActivity();
    const requests = requestsIn(value, this.#transport.settings.limits.batch);
    const used = requests.find(({ id }) => this.#pending.has(id));
    if (used !== undefined) return sendError(response, 400, idInUse(used.id).message);
    const forwarding = requests.length === 0 ? this.session.forwardResponse(value) : undefined;
    if (forwarding !== undefined) return void this.#acceptAfter(forwarding, response);
    if (requests.length > 0) this.#expectResponses(requests, response);
    this.#posting = { response, requests };
    this.session.receive(value, bytes);
    this.#posting = undefined;
    if (requests.length === 0 && !response.headersSent) sendAccepted(response);
  }

  get(request: IncomingMessage, response: ServerResponse): void {
    this.#noteActivity();
    const last = header(request, "last-event-id");
    const [, name = "", number = ""] = EVENT_ID.exec(last ?? "") ?? [];
    const stream = this.#buffer.streams.get(name);
    if (last === undefined || (stream === undefined && name.startsWith(`${STANDALONE}-`))) {
      if (this.#standalone.isConnected)
        return sendError(response, 409, "This session has a stream open already.");
      return this.#standalone.attach(response, this.#standalone.lastSent);
    }
    if (stream?.canResumeAfter(Number(number)) === true) {
      stream.attach(response, Number(number));
      return this.session.requestHandler.calls.onResumed(name);
    }
    void this.#resumeFromStore(name, Number(number), response);
  }

  send(message: Message | readonly Message[], about?: RequestId): void | Promise<void> {
    const target = about === undefined ? undefined : this.#pending.get(about);
    if (isResponse(message)) return this.#respond(message, target);
    const stream = target instanceof ResumableStream ? target : this.#standalone;
    return stream.append(JSON.stringify(message));
  }

  /** The name of the stream that carries this request and no other. In a shared session it is also the id of the run. */
  resumableStreamName(about: RequestId): string | undefined {
    const target = this.#pending.get(about);
    if (!(target instanceof ResumableStream)) return undefined;
    const isOnly = this.#pending.values().filter((other) => other === target).length === 1;
    return isOnly ? target.name : undefined;
  }

  /** Frees the id of a request. If the run continues in another process, its client resumes the stream from the store, and not here. */
  endWithoutResponse(about: RequestId, continuesElsewhere: boolean): void {
    const target = this.#pending.get(about);
    this.#pending.delete(about);
    // Another request of the same batch may use the stream.
    if (target === undefined || this.#pending.values().includes(target)) return;
    if (!(target instanceof ResumableStream)) return sendAccepted(target.response);
    target.endEmpty();
    if (continuesElsewhere) this.#forgetStream(target);
  }

  disconnect(about: RequestId): void {
    const target = this.#pending.get(about);
    if (target instanceof ResumableStream) target.disconnectIfResumable();
  }

  close(): void {
    for (const stream of this.#buffer.streams.values()) stream.disconnect();
  }

  /** The session was terminated in another process, or not initialised. */
  onSessionEnded(): void {
    void this.#transport.end(this);
  }

  async end(isTerminated: boolean): Promise<void> {
    await this.session.close(isTerminated);
    for (const target of this.#pending.values())
      if (!(target instanceof ResumableStream)) sendError(target.response, 404, "The session has ended.");
    this.#pending.clear();
    this.close();
    this.#buffer.dropWhere(() => true);
  }

  /** Drops the events of streams that ended FINISHED_TTL_MS ago. */
  dropFinished(): void {
    const before = this.#transport.settings.clock.now() - FINISHED_TTL_MS;
    this.#buffer.dropWhere(({ endedAt = Infinity }) => endedAt <= before);
  }

  /** Decides how the POST of requests carries their responses: as JSON, or as the first HTTP response of a stream. */
  #expectResponses(requests: readonly Request[], response: ServerResponse): void {
    const method = requests.length === 1 ? requests[0]?.method : undefined;
    let target: ResumableStream | DirectResponse;
    if (method !== undefined && !STREAMED.has(method)) {
      response.on("close", this.#noteActivity);
      target = { response, method };
    } else {
      this.#streamCount += 1;
      target = this.#createStream(this.#isShared ? randomUUID() : String(this.#streamCount));
      target.attach(response, 0);
    }
    for (const { id } of requests) this.#pending.set(id, target);
  }

  #respond(
    message: Response | readonly Response[],
    target: ResumableStream | DirectResponse | undefined,
  ): void {
    const data = formatResponse(message, this.account);
    if (target === undefined) return this.#refusePost(data);
    this.#noteActivity();
    for (const one of "jsonrpc" in message ? [message] : message)
      if (one.id !== undefined && this.#pending.get(one.id) === target) this.#pending.delete(one.id);
    if (target instanceof ResumableStream) return target.end(data);
    const isInitialized = target.method === "initialize" && "result" in message;
    if (isInitialized) this.#transport.add(this);
    const headers = isInitialized ? { [SESSION_HEADER]: this.id } : undefined;
    sendResult(target.response, 200, data, this.account, headers);
    if (!this.session.isOpen) this.onSessionEnded();
  }

  /** Refuses a POST as a whole: an invalid message, or a batch that is not accepted. */
  #refusePost(data: string): void {
    if (this.#posting === undefined) return;
    const { response, requests } = this.#posting;
    // An event stream that was attached to the response has not begun, and writes nothing.
    sendJsonText(response, 400, data);
    for (const { id } of requests) {
      const target = this.#pending.get(id);
      if (target instanceof ResumableStream) this.#buffer.streams.delete(target.name);
      this.#pending.delete(id);
    }
  }

  /** Lets a client read the rest of a call if this process lacks events that the client has missed. */
  async #resumeFromStore(name: string, number: number, response: ServerResponse): Promise<void> {
    const { shared } = this.session;
    let stream: ResumableStream | undefined;
    try {
      const call = await shared?.findCall(name);
      if (call === undefined || shared === undefined) {
        // Not 404, which means that the session has ended.
        const sentence = `The events after "${name}.${number}" are no longer buffered.`;
        return sendError(response, 400, sentence);
      }
      const resumed = this.#buffer.streams.get(name);
      // Another request may have resumed it at the same time.
      if (resumed?.canResumeAfter(number) === true) return resumed.attach(response, number);
      // This process may have the call too, without all events that its client has missed.
      this.session.requestHandler.calls.leaveRun(name);
      stream = this.#createStream(name, number);
      this.#pending.set(call.request, stream);
      // Before the lease is acquired: another process may work on the run for a while.
      stream.attach(response, number);
      if (!(await shared.resumeCall(call, stream))) this.#forgetStream(stream);
    } catch (error) {
      // The client may try again.
      if (stream !== undefined) this.#forgetStream(stream);
      this.#fail(response, error);
    }
  }

  #forgetStream(stream: ResumableStream): void {
    for (const [about, target] of this.#pending.entries()) if (target === stream) this.#pending.delete(about);
    this.#buffer.dropWhere((other) => other === stream);
    stream.disconnect();
  }

  /** Answers a POST whose message is forwarded to another process. */
  async #acceptAfter(forwarding: Promise<void>, response: ServerResponse): Promise<void> {
    try {
      await forwarding;
      sendAccepted(response);
    } catch (error) {
      this.#fail(response, error);
    }
  }

  #fail(response: ServerResponse, error: unknown): void {
    const problem = toRpcError(asRetryable(error) ?? error, this.#transport.settings.report);
    sendJson(response, 503, errorResponse(undefined, problem));
  }

  /** `count`: how many events another process has sent before. */
  #createStream(name: string, count = 0): ResumableStream {
    const stream = new ResumableStream(name, this.#buffer, count, this.#onDisconnect);
    this.#buffer.streams.set(name, stream);
    return stream;
  }

  /** Tells the calls of a stream that their client may resume them in another process. */
  readonly #onDisconnect = (stream: ResumableStream): void => {
    this.#noteActivity();
    if (stream.isConnected) return;
    for (const [about, target] of this.#pending.entries())
      if (target === stream) this.session.requestHandler.calls.onDisconnected(about);
  };

  readonly #noteActivity = (): void => {
    this.#lastSeen = this.#transport.settings.clock.now();
  };
}
