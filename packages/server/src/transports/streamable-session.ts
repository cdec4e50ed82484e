/**
 * One session over Streamable HTTP: where each message goes.
 *
 *   1. What belongs to a request travels on that request's stream; the rest on the stream of GET.
 *   2. What is no request, and wrong, is answered where it came in.
 *   3. A stream that ended can be asked for again, for a while: that its end was written does not mean it arrived.
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
import type { Streaming } from "./event-stream.ts";
import {
  sendAccepted,
  sendResult,
  sendJsonText,
  header,
  supportsPrimingEvent,
  sendError,
} from "../http/responses.ts";
import { EventBuffer, ResumableStream } from "./resumable-stream.ts";
import { affordable, isResponse } from "../http/unread-output.ts";

/** Requests that run what an author wrote, and may say something first or take a while: a stream answers them, JSON the others. */
const STREAMED = new Set(["tools/call", "prompts/get", "resources/read", "completion/complete"]);
const STANDALONE = "0";
/** The id of an event: the name of its stream, and its place there. */
const EVENT = /^([\w-]+)\.(\d+)$/;
/** How long what a finished stream said is kept, in milliseconds. */
export const FINISHED_TTL_MS = 60_000;

/** What the first message of a session, `initialize`, is answered with beside its result. */
interface InitializeHooks {
  /** The session has begun. What another process can open it with, if one can. */
  begun(token: string | undefined): Readonly<Record<string, string>>;
  /** It was answered with an error: there is no session. */
  refused(): void;
}

/** What a client has posted. */
export interface Posted {
  readonly value: unknown;
  /** How many bytes it had. */
  readonly bytes: number;
}

/** An answer that goes straight back, as JSON. */
interface DirectResponse {
  readonly response: ServerResponse;
  readonly beginning: InitializeHooks | undefined;
}

/** How a session is opened, and by whom. */
export interface Opening {
  readonly principal: string;
  readonly account: Account;
  /** Whether other processes can go on with it. */
  readonly isShared: boolean;
  /** It has ended, in another process. */
  readonly over: () => void;
}

export class StreamableSession implements ClientConnection {
  readonly mayMergeReads = false;
  readonly sessionsOnly = true;
  readonly principal: string;
  readonly account: Account;
  readonly onSessionEnded: () => void;
  /** The names of streams are those of the runs that they tell of, where other processes can go on with them. */
  readonly resumableStreamName: ClientConnection["resumableStreamName"];
  readonly #settings: Streaming & Pick<Settings, "report"> & { readonly account: Account };
  readonly session: Session;
  readonly #kept: EventBuffer;
  readonly #streams = new CompactMap<string, ResumableStream>();
  readonly #standalone: ResumableStream;
  /** Where the answer goes of each request that has none yet. */
  readonly #pendingResponses = new CompactMap<RequestId, ResumableStream | DirectResponse>();
  #names = 0;
  #lastSeen: number;
  /** The response to what is being received right now. */
  #current: ServerResponse | undefined;
  /** Attaches the current response to its stream; undefined once attached. */
  #listen: (() => void) | undefined;

  constructor(
    open: (connection: ClientConnection) => Session,
    { principal, account, isShared, over }: Opening,
    settings: Streaming & Pick<Settings, "report">,
  ) {
    this.principal = principal;
    this.account = account;
    this.onSessionEnded = over;
    this.resumableStreamName = isShared ? (about) => this.#streamOf(about) : undefined;
    this.#settings = { ...settings, account };
    this.#lastSeen = settings.clock.now();
    this.#kept = new EventBuffer(settings.limits, account, ({ stream, number }) => {
      if (stream.doneAt !== undefined && number === stream.count) this.#streams.delete(stream.name);
    });
    // What one process has told there, no other knows.
    const name = isShared ? `${STANDALONE}-${randomUUID()}` : STANDALONE;
    this.#standalone = new ResumableStream(name, this.#settings, this.#seen);
    this.#streams.set(name, this.#standalone);
    this.session = open(this);
  }

  /** Since when nobody has listened. A call whose client has gone does not keep the session for ever. */
  get idleSince(): number {
    const targets = [...this.#streams.values(), ...this.#pendingResponses.values()];
    const isHeard = targets.some((one) =>
      one instanceof ResumableStream ? one.isConnected : !one.response.destroyed,
    );
    return isHeard ? Number.POSITIVE_INFINITY : this.#lastSeen;
  }

  post(
    { value, bytes }: Posted,
    request: IncomingMessage,
    response: ServerResponse,
    beginning?: InitializeHooks,
  ): void {
    this.#seen();
    const requests = requestsIn(value, this.#settings.limits.batch);
    const used = requests.find(({ id }) => this.#pendingResponses.has(id));
    if (used !== undefined)
      return sendError(response, 400, `The id ${JSON.stringify(used.id)} is in use already.`);
    const elsewhere = requests.length === 0 ? this.session.forwardResponse(value) : undefined;
    if (elsewhere !== undefined) return void this.#answerOnce(elsewhere, response);
    const target = this.#expect(requests, response, beginning);
    this.#current = response;
    if (target instanceof ResumableStream)
      this.#listen = () => target.attach(response, 0, supportsPrimingEvent(request));
    this.session.receive(value, bytes);
    this.#current = undefined;
    const listen = this.#listen;
    this.#listen = undefined;
    // The response is attached to its stream already.
    if (target instanceof ResumableStream && listen === undefined) return;
    // Refused as a whole, and answered already.
    if (response.headersSent) return this.#letGo(requests, target);
    if (target === undefined) sendAccepted(response);
    else listen?.();
  }

  get(request: IncomingMessage, response: ServerResponse): void {
    this.#seen();
    const last = header(request, "last-event-id");
    const [, name = "", number = ""] = EVENT.exec(last ?? "") ?? [];
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
      if (call === undefined || shared === undefined) return notKept(response, `${name}.${number}`);
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
      notKept(response, `${name}.${number}`);
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
    this.#kept.forget(stream);
    stream.hangUp();
  }

  /** Answers what only another process could look at. */
  async #answerOnce(elsewhere: Promise<void>, response: ServerResponse): Promise<void> {
    try {
      await elsewhere;
      sendAccepted(response);
    } catch (error) {
      this.#fail(response, error);
    }
  }

  #fail(response: ServerResponse, error: unknown): void {
    const problem = toRpcError(asRetryable(error) ?? error, this.#settings.report);
    if (!response.headersSent) sendJsonText(response, 503, JSON.stringify(errorResponse(undefined, problem)));
  }

  /** The name of the stream on which one request, and no other, is answered. */
  #streamOf(about: RequestId): string | undefined {
    const target = this.#pendingResponses.get(about);
    if (!(target instanceof ResumableStream)) return undefined;
    const isAlone = this.#pendingResponses.values().filter((other) => other === target).length === 1;
    return isAlone ? target.name : undefined;
  }

  send(message: Message | readonly Message[], about?: RequestId): void | Promise<void> {
    const target = about === undefined ? undefined : this.#pendingResponses.get(about);
    if (isResponse(message)) return this.#answer(affordable(message, this.account), message, target);
    const data = JSON.stringify(message);
    const stream = target instanceof ResumableStream ? target : this.#standalone;
    const said = stream.append(data);
    this.#kept.keep(stream, data);
    return said;
  }

  /** A request gets no answer here. Its id is free from now on. A stream whose run has moved is not what its client comes back for. */
  requestCancelled(about: RequestId, hasMoved: boolean): void {
    const target = this.#pendingResponses.get(about);
    this.#pendingResponses.delete(about);
    // Another request of the same batch may still have something to say.
    const isOver = !this.#pendingResponses.values().some((other) => other === target);
    if (target === undefined || !isOver) return;
    if (!(target instanceof ResumableStream)) return sendAccepted(target.response);
    target.finish();
    if (hasMoved) this.#forgetStream(target);
  }

  disconnect(about: RequestId): void {
    const target = this.#pendingResponses.get(about);
    if (target instanceof ResumableStream) target.detachIfResumable();
  }

  close(): void {
    for (const stream of this.#streams.values()) stream.hangUp();
  }

  async end(isTerminated = false): Promise<void> {
    await (isTerminated ? this.session.terminate() : this.session.close());
    for (const target of this.#pendingResponses.values())
      if (!(target instanceof ResumableStream)) sendError(target.response, 404, "The session has ended.");
    this.#pendingResponses.clear();
    this.close();
    this.#kept.clear();
  }

  /** Lets go of what finished streams have said, where that was long ago. */
  dropFinished(): void {
    const now = this.#settings.clock.now();
    for (const stream of this.#streams.values()) {
      if (stream.doneAt === undefined || stream.doneAt + FINISHED_TTL_MS > now) continue;
      this.#streams.delete(stream.name);
      this.#kept.forget(stream);
    }
  }

  /** Somebody was here just now. */
  readonly #seen = (): void => {
    this.#lastSeen = this.#settings.clock.now();
  };

  /** Notes where the answers to requests go: to a stream where they may say something first, else straight back. */
  #expect(
    requests: readonly Request[],
    response: ServerResponse,
    beginning: InitializeHooks | undefined,
  ): ResumableStream | DirectResponse | undefined {
    const [first] = requests;
    if (first === undefined) return undefined;
    const isStraight = requests.length === 1 && !STREAMED.has(first.method);
    if (isStraight) response.on("close", this.#seen);
    const target = isStraight ? { response, beginning } : this.#newStream();
    for (const { id } of requests) this.#pendingResponses.set(id, target);
    return target;
  }

  #newStream(): ResumableStream {
    this.#names += 1;
    return this.#makeStream(this.resumableStreamName === undefined ? String(this.#names) : randomUUID());
  }

  #makeStream(name: string, count = 0): ResumableStream {
    const stream = new ResumableStream(name, this.#settings, () => this.#unheard(stream), count);
    this.#streams.set(name, stream);
    return stream;
  }

  /** The connection of a stream has ended. */
  #unheard(stream: ResumableStream): void {
    this.#seen();
    if (stream.isConnected) return;
    for (const [about, target] of this.#pendingResponses.entries())
      if (target === stream) this.session.requestHandler.disconnected(about);
  }

  #listenNow(): void {
    const listen = this.#listen;
    this.#listen = undefined;
    listen?.();
  }

  #letGo(requests: readonly Request[], target: ResumableStream | DirectResponse | undefined): void {
    for (const { id } of requests) this.#pendingResponses.delete(id);
    if (target instanceof ResumableStream) this.#streams.delete(target.name);
  }

  #answer(
    data: string,
    message: Response | readonly Response[],
    target: ResumableStream | DirectResponse | undefined,
  ): void {
    if (target === undefined) {
      if (this.#current !== undefined) sendJsonText(this.#current, 400, data);
      return;
    }
    this.#seen();
    for (const one of "jsonrpc" in message ? [message] : message)
      if ("id" in one && one.id !== undefined && this.#pendingResponses.get(one.id) === target)
        this.#pendingResponses.delete(one.id);
    if (target instanceof ResumableStream) {
      // Where there is no memory to keep it, a client that listens later would not be told.
      if (!target.isConnected && this.#current !== undefined) this.#listenNow();
      target.end(data);
      return this.#kept.keep(target, data);
    }
    const isRefused = "error" in message;
    const headers = isRefused ? {} : target.beginning?.begun(this.session.shared?.token);
    sendResult(target.response, 200, data, this.account, headers);
    if (isRefused) target.beginning?.refused();
  }
}

/** Not 404, which would say that the session is gone. */
const notKept = (response: ServerResponse, event: string): void =>
  sendError(response, 400, `What came after the event ${JSON.stringify(event)} is not kept.`);
