/**
 * One session over Streamable HTTP: which HTTP response carries which message.
 *
 *   1. Messages that belong to a request are sent on the stream of that request, all others on the stream of GET.
 *   2. An invalid message that is no request is refused in the response to its POST.
 *   3. A stream that ended can be resumed for a while: the client may not have received its end.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Account } from "../accounts.ts";
import { CompactMap } from "../util/compact-map.ts";
import { errorResponse, asRetryable, toRpcError } from "../jsonrpc/errors.ts";
import {
  type Message,
  type Request,
  type RequestId,
  requestsIn,
  type Response,
} from "../jsonrpc/messages.ts";
import type { ClientConnection } from "../connection.ts";
import type { Session } from "../sessions/session.ts";
import type { Settings } from "../settings.ts";
import type { EventStreamSettings } from "./event-stream.ts";
import {
  sendAccepted,
  sendResult,
  sendJsonText,
  header,
  supportsPrimingEvent,
  sendError,
} from "../http/responses.ts";
import { EventBuffer, ResumableStream } from "./resumable-stream.ts";
import { formatResponse, isResponse } from "../http/unread-output.ts";

/** Requests that run an author's code: they may send notifications first, or take long. Others are answered with JSON. */
const STREAMED = new Set(["tools/call", "prompts/get", "resources/read", "completion/complete"]);
/** The name of the stream of GET. */
const STANDALONE = "0";
/** `<stream>.<number>` */
const EVENT_ID = /^([\w-]+)\.(\d+)$/;
/** How long the events of an ended stream stay buffered. */
export const FINISHED_TTL_MS = 60_000;

/** What happens when `initialize` is answered. */
interface InitializeHooks {
  /** The session is open. `token`: its id, if other processes can continue it. Returns headers of the response. */
  onOpened(token: string | undefined): Readonly<Record<string, string>>;
  /** It was answered with an error: there is no session. */
  onRefused(): void;
}

/** The parsed body of a POST. */
export interface Posted {
  readonly value: unknown;
  readonly bytes: number;
}

/** An HTTP response that carries one JSON-RPC response as JSON. */
interface DirectResponse {
  readonly response: ServerResponse;
  readonly hooks: InitializeHooks | undefined;
}

interface StreamableSessionOptions {
  readonly principal: string;
  readonly account: Account;
  /** Whether other processes can continue it. */
  readonly isShared: boolean;
  /** The session was terminated in another process. */
  readonly onSessionEnded: () => void;
}

export class StreamableSession implements ClientConnection {
  readonly mayMergeReads = false;
  readonly sessionsOnly = true;
  readonly principal: string;
  readonly account: Account;
  readonly onSessionEnded: () => void;
  /** In a shared session the name of a stream is the id of the run whose call it carries. */
  readonly resumableStreamName: ClientConnection["resumableStreamName"];
  readonly #settings: EventStreamSettings & Pick<Settings, "report"> & { readonly account: Account };
  readonly session: Session;
  readonly #buffer: EventBuffer;
  readonly #streams = new CompactMap<string, ResumableStream>();
  readonly #standalone: ResumableStream;
  /** Where the response to each request goes. */
  readonly #pendingResponses = new CompactMap<RequestId, ResumableStream | DirectResponse>();
  #streamCount = 0;
  #lastSeen: number;
  /** The response to the POST whose message is being handled synchronously. */
  #current: ServerResponse | undefined;
  /** Attaches it to its stream; undefined once attached. */
  #attachCurrent: (() => void) | undefined;

  constructor(
    open: (connection: ClientConnection) => Session,
    { principal, account, isShared, onSessionEnded }: StreamableSessionOptions,
    settings: EventStreamSettings & Pick<Settings, "report">,
  ) {
    this.principal = principal;
    this.account = account;
    this.onSessionEnded = onSessionEnded;
    this.resumableStreamName = isShared ? (about) => this.#streamNameOf(about) : undefined;
    this.#settings = { ...settings, account };
    this.#lastSeen = settings.clock.now();
    this.#buffer = new EventBuffer(settings.limits, account, ({ stream, number }) => {
      if (stream.endedAt !== undefined && number === stream.count) this.#streams.delete(stream.name);
    });
    // Its events are known to this process only.
    const name = isShared ? `${STANDALONE}-${randomUUID()}` : STANDALONE;
    this.#standalone = new ResumableStream(name, this.#settings, this.#noteActivity);
    this.#streams.set(name, this.#standalone);
    this.session = open(this);
  }

  /** Since when no response is open. A call whose client has disconnected does not keep the session alive. */
  get idleSince(): number {
    const targets = [...this.#streams.values(), ...this.#pendingResponses.values()];
    const isConnected = targets.some((one) =>
      one instanceof ResumableStream ? one.isConnected : !one.response.destroyed,
    );
    return isConnected ? Number.POSITIVE_INFINITY : this.#lastSeen;
  }

  post(
    { value, bytes }: Posted,
    request: IncomingMessage,
    response: ServerResponse,
    hooks?: InitializeHooks,
  ): void {
    this.#noteActivity();
    const requests = requestsIn(value, this.#settings.limits.batch);
    const used = requests.find(({ id }) => this.#pendingResponses.has(id));
    if (used !== undefined)
      return sendError(
        response,
        400,
        `The id ${JSON.stringify(used.id)} is in use by a request that is not answered yet.`,
      );
    const forwarding = requests.length === 0 ? this.session.forwardResponse(value) : undefined;
    if (forwarding !== undefined) return void this.#acceptAfter(forwarding, response);
    const target = this.#expect(requests, response, hooks);
    this.#current = response;
    if (target instanceof ResumableStream)
      this.#attachCurrent = () => target.attach(response, 0, supportsPrimingEvent(request));
    this.session.receive(value, bytes);
    this.#current = undefined;
    const attach = this.#attachCurrent;
    this.#attachCurrent = undefined;
    // The response is attached to its stream already.
    if (target instanceof ResumableStream && attach === undefined) return;
    // Refused as a whole, and answered already.
    if (response.headersSent) return this.#unexpect(requests, target);
    if (target === undefined) sendAccepted(response);
    else attach?.();
  }

  get(request: IncomingMessage, response: ServerResponse): void {
    this.#noteActivity();
    const last = header(request, "last-event-id");
    const [, name = "", number = ""] = EVENT_ID.exec(last ?? "") ?? [];
    const stream = this.#streams.get(name);
    if (last === undefined || (stream === undefined && name.startsWith(`${STANDALONE}-`))) {
      if (this.#standalone.isConnected)
        return sendError(response, 409, "This session has a stream open already.");
      return this.#standalone.attach(response, this.#standalone.lastSent, supportsPrimingEvent(request));
    }
    if (stream?.canResumeAfter(Number(number)) === true) {
      stream.attach(response, Number(number), supportsPrimingEvent(request));
      return this.session.requestHandler.resumed(name);
    }
    void this.#resumeFromStore(name, Number(number), request, response);
  }

  /** Lets a client read the rest of a call of which this process lacks events that the client has missed. */
  async #resumeFromStore(
    name: string,
    number: number,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { shared } = this.session;
    let stream: ResumableStream | undefined;
    try {
      const call = await shared?.findCall(name);
      if (call === undefined || shared === undefined) return rejectResume(response, `${name}.${number}`);
      const isPrimed = supportsPrimingEvent(request);
      const whole = this.#streams.get(name);
      // Another request may have resumed it at the same time.
      if (whole?.canResumeAfter(number) === true) return whole.attach(response, number, isPrimed);
      // This process may have the call too, without all events that its client has missed.
      this.session.requestHandler.leaveRun(name);
      stream = this.#makeStream(name, number);
      this.#pendingResponses.set(call.request, stream);
      // Before the lease is acquired: another process may work on the run for a while.
      stream.attach(response, number, isPrimed);
      if (await shared.resumeCall(call, stream)) return;
      this.#forgetStream(stream);
      rejectResume(response, `${name}.${number}`);
    } catch (error) {
      // The client may try again.
      if (stream !== undefined) this.#forgetStream(stream);
      this.#fail(response, error);
    }
  }

  #forgetStream(stream: ResumableStream): void {
    for (const [about, target] of this.#pendingResponses.entries())
      if (target === stream) this.#pendingResponses.delete(about);
    if (this.#streams.get(stream.name) === stream) this.#streams.delete(stream.name);
    this.#buffer.dropStream(stream);
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
    const problem = toRpcError(asRetryable(error) ?? error, this.#settings.report);
    if (!response.headersSent) sendJsonText(response, 503, JSON.stringify(errorResponse(undefined, problem)));
  }

  /** The name of the stream that carries this request and no other. */
  #streamNameOf(about: RequestId): string | undefined {
    const target = this.#pendingResponses.get(about);
    if (!(target instanceof ResumableStream)) return undefined;
    const isOnly = this.#pendingResponses.values().filter((other) => other === target).length === 1;
    return isOnly ? target.name : undefined;
  }

  send(message: Message | readonly Message[], about?: RequestId): void | Promise<void> {
    const target = about === undefined ? undefined : this.#pendingResponses.get(about);
    if (isResponse(message)) return this.#respond(formatResponse(message, this.account), message, target);
    const data = JSON.stringify(message);
    const stream = target instanceof ResumableStream ? target : this.#standalone;
    const written = stream.append(data);
    this.#buffer.add(stream, data);
    return written;
  }

  /** Frees the id of a request. The client resumes a run that has moved from the store, and not from this stream. */
  requestCancelled(about: RequestId, hasMoved: boolean): void {
    const target = this.#pendingResponses.get(about);
    this.#pendingResponses.delete(about);
    // Another request of the same batch may use the stream.
    const isUnused = !this.#pendingResponses.values().some((other) => other === target);
    if (target === undefined || !isUnused) return;
    if (!(target instanceof ResumableStream)) return sendAccepted(target.response);
    target.endEmpty();
    if (hasMoved) this.#forgetStream(target);
  }

  disconnect(about: RequestId): void {
    const target = this.#pendingResponses.get(about);
    if (target instanceof ResumableStream) target.disconnectIfResumable();
  }

  close(): void {
    for (const stream of this.#streams.values()) stream.disconnect();
  }

  async end(isTerminated = false): Promise<void> {
    await (isTerminated ? this.session.terminate() : this.session.close());
    for (const target of this.#pendingResponses.values())
      if (!(target instanceof ResumableStream)) sendError(target.response, 404, "The session has ended.");
    this.#pendingResponses.clear();
    this.close();
    this.#buffer.clear();
  }

  /** Drops the events of streams that ended FINISHED_TTL_MS ago. */
  dropFinished(): void {
    const now = this.#settings.clock.now();
    for (const stream of this.#streams.values()) {
      if (stream.endedAt === undefined || stream.endedAt + FINISHED_TTL_MS > now) continue;
      this.#streams.delete(stream.name);
      this.#buffer.dropStream(stream);
    }
  }

  readonly #noteActivity = (): void => {
    this.#lastSeen = this.#settings.clock.now();
  };

  /** Decides where the responses to requests go. */
  #expect(
    requests: readonly Request[],
    response: ServerResponse,
    hooks: InitializeHooks | undefined,
  ): ResumableStream | DirectResponse | undefined {
    const [first] = requests;
    if (first === undefined) return undefined;
    const isDirect = requests.length === 1 && !STREAMED.has(first.method);
    if (isDirect) response.on("close", this.#noteActivity);
    const target = isDirect ? { response, hooks } : this.#newStream();
    for (const { id } of requests) this.#pendingResponses.set(id, target);
    return target;
  }

  #newStream(): ResumableStream {
    this.#streamCount += 1;
    return this.#makeStream(
      this.resumableStreamName === undefined ? String(this.#streamCount) : randomUUID(),
    );
  }

  #makeStream(name: string, count = 0): ResumableStream {
    const stream = new ResumableStream(name, this.#settings, () => this.#onDisconnect(stream), count);
    this.#streams.set(name, stream);
    return stream;
  }

  /** Tells the calls of a stream that their client may resume them in another process. */
  #onDisconnect(stream: ResumableStream): void {
    this.#noteActivity();
    if (stream.isConnected) return;
    for (const [about, target] of this.#pendingResponses.entries())
      if (target === stream) this.session.requestHandler.disconnected(about);
  }

  #attachNow(): void {
    const attach = this.#attachCurrent;
    this.#attachCurrent = undefined;
    attach?.();
  }

  #unexpect(requests: readonly Request[], target: ResumableStream | DirectResponse | undefined): void {
    for (const { id } of requests) this.#pendingResponses.delete(id);
    if (target instanceof ResumableStream) this.#streams.delete(target.name);
  }

  #respond(
    data: string,
    message: Response | readonly Response[],
    target: ResumableStream | DirectResponse | undefined,
  ): void {
    if (target === undefined) {
      if (this.#current !== undefined) sendJsonText(this.#current, 400, data);
      return;
    }
    this.#noteActivity();
    for (const one of "jsonrpc" in message ? [message] : message)
      if ("id" in one && one.id !== undefined && this.#pendingResponses.get(one.id) === target)
        this.#pendingResponses.delete(one.id);
    if (target instanceof ResumableStream) {
      // Before it ends: without memory for the buffer, a client that is attached later would miss the event.
      if (!target.isConnected && this.#current !== undefined) this.#attachNow();
      target.end(data);
      return this.#buffer.add(target, data);
    }
    const isRefused = "error" in message;
    const headers = isRefused ? {} : target.hooks?.onOpened(this.session.shared?.token);
    sendResult(target.response, 200, data, this.account, headers);
    if (isRefused) target.hooks?.onRefused();
  }
}

/** Not 404, which means that the session has ended. */
const rejectResume = (response: ServerResponse, event: string): void =>
  sendError(response, 400, `What came after the event ${JSON.stringify(event)} is not kept.`);
