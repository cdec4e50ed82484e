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
import { Roster } from "../util/compact-map.ts";
import { errorResponse, interruptionOf, rpcErrorOf } from "../jsonrpc/errors.ts";
import {
  type Message,
  type Request,
  type RequestId,
  requestsIn,
  type Response,
} from "../jsonrpc/messages.ts";
import type { Line, Open, Peer, Returning } from "../connection.ts";
import type { Settings } from "../settings.ts";
import type { Streaming } from "./event-stream.ts";
import { accepted, answerResult, answerText, header, isPrimed, refuse } from "../http/responses.ts";
import { KeptEvents, ResumableStream } from "./resumable-stream.ts";
import { affordable, isResponse } from "../http/unread-output.ts";

/** Requests that run what an author wrote, and may say something first or take a while: a stream answers them, JSON the others. */
const STREAMED = new Set(["tools/call", "prompts/get", "resources/read", "completion/complete"]);
const STANDALONE = "0";
/** The id of an event: the name of its stream, and its place there. */
const EVENT = /^([\w-]+)\.(\d+)$/;
/** How long what a finished stream said is kept, in milliseconds. */
export const KEEP_FINISHED = 60_000;

/** What the first message of a session, `initialize`, is answered with beside its result. */
interface Beginning {
  /** The session has begun. What another process can open it with, if one can. */
  begun(passport: string | undefined): Readonly<Record<string, string>>;
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
interface Straight {
  readonly response: ServerResponse;
  readonly beginning: Beginning | undefined;
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

export class HttpSession implements Peer {
  readonly coalesces = false;
  readonly isForSessions = true;
  readonly hasSessionId = true;
  readonly principal: string;
  readonly account: Account;
  readonly over: () => void;
  /** The names of streams are those of the runs that they tell of, where other processes can go on with them. */
  readonly streamOf: Peer["streamOf"];
  readonly #settings: Streaming & Pick<Settings, "report"> & { readonly account: Account };
  readonly #line: Line;
  readonly #kept: KeptEvents;
  readonly #streams = new Roster<string, ResumableStream>();
  readonly #standalone: ResumableStream;
  /** Where the answer goes of each request that has none yet. */
  readonly #expected = new Roster<RequestId, ResumableStream | Straight>();
  #names = 0;
  #lastSeen: number;
  /** The response to what is being received right now. */
  #current: ServerResponse | undefined;
  /** Attaches the current response to its stream; undefined once attached. */
  #listen: (() => void) | undefined;

  constructor(
    open: Open,
    { principal, account, isShared, over }: Opening,
    settings: Streaming & Pick<Settings, "report">,
  ) {
    this.principal = principal;
    this.account = account;
    this.over = over;
    this.streamOf = isShared ? (about) => this.#streamOf(about) : undefined;
    this.#settings = { ...settings, account };
    this.#lastSeen = settings.clock.now();
    this.#kept = new KeptEvents(settings.limits, account, ({ stream, number }) => {
      if (stream.doneAt !== undefined && number === stream.count) this.#streams.delete(stream.name);
    });
    // What one process has told there, no other knows.
    const name = isShared ? `${STANDALONE}-${randomUUID()}` : STANDALONE;
    this.#standalone = new ResumableStream(name, this.#settings, this.#seen);
    this.#streams.set(name, this.#standalone);
    this.#line = open(this);
  }

  /** Since when nobody has listened. A call whose client has gone does not keep the session for ever. */
  get idleSince(): number {
    const targets = [...this.#streams.values(), ...this.#expected.values()];
    const isHeard = targets.some((one) =>
      one instanceof ResumableStream ? one.isHeard : !one.response.destroyed,
    );
    return isHeard ? Number.POSITIVE_INFINITY : this.#lastSeen;
  }

  post(
    { value, bytes }: Posted,
    request: IncomingMessage,
    response: ServerResponse,
    beginning?: Beginning,
  ): void {
    this.#seen();
    const requests = requestsIn(value, this.#settings.limits.batch);
    const used = requests.find(({ id }) => this.#expected.has(id));
    if (used !== undefined)
      return refuse(response, 400, `The id ${JSON.stringify(used.id)} is in use already.`);
    const elsewhere = requests.length === 0 ? this.#line.passOn?.(value) : undefined;
    if (elsewhere !== undefined) return void this.#answerOnce(elsewhere, response);
    const target = this.#expect(requests, response, beginning);
    this.#current = response;
    if (target instanceof ResumableStream) this.#listen = () => target.listen(response, 0, isPrimed(request));
    this.#line.receive(value, bytes);
    this.#current = undefined;
    const listen = this.#listen;
    this.#listen = undefined;
    // The response is attached to its stream already.
    if (target instanceof ResumableStream && listen === undefined) return;
    // Refused as a whole, and answered already.
    if (response.headersSent) return this.#letGo(requests, target);
    if (target === undefined) accepted(response);
    else listen?.();
  }

  get(request: IncomingMessage, response: ServerResponse): void {
    this.#seen();
    const last = header(request, "last-event-id");
    const [, name = "", number = ""] = EVENT.exec(last ?? "") ?? [];
    const stream = this.#streams.get(name);
    if (last === undefined || (stream === undefined && name.startsWith(`${STANDALONE}-`))) {
      if (this.#standalone.isHeard) return refuse(response, 409, "This session has a stream open already.");
      return this.#standalone.listen(response, this.#standalone.told, isPrimed(request));
    }
    if (stream?.isWholeAfter(Number(number)) === true) {
      stream.listen(response, Number(number), isPrimed(request));
      return this.#line.resumed?.(name);
    }
    if (this.#line.comeBack === undefined) return notKept(response, last);
    void this.#comeBack(name, Number(number), request, response);
  }

  /** Lets a client listen to the rest of a call, of which this process has not all that it has missed, if there is one of that name. */
  async #comeBack(
    name: string,
    number: number,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const returning = new ReturningClient(name, number, request, response, this);
    try {
      if ((await this.#line.comeBack?.(name, returning)) === true) return;
      returning.forget();
      notKept(response, `${name}.${number}`);
    } catch (error) {
      // The client may come back once more.
      returning.forget();
      this.#fail(response, error);
    }
  }

  /** The stream of that name, where it has all that was said after an event. */
  wholeStream(name: string, number: number): ResumableStream | undefined {
    const stream = this.#streams.get(name);
    return stream?.isWholeAfter(number) === true ? stream : undefined;
  }

  /** A stream on which another process has told `count` events, and on which a request is answered from now on. */
  continueStream(name: string, about: RequestId, count: number): ResumableStream {
    const stream = this.#makeStream(name, count);
    this.#expected.set(about, stream);
    return stream;
  }

  forgetStream(stream: ResumableStream): void {
    for (const [about, target] of this.#expected.entries())
      if (target === stream) this.#expected.delete(about);
    if (this.#streams.get(stream.name) === stream) this.#streams.delete(stream.name);
    this.#kept.forget(stream);
    stream.hangUp();
  }

  /** Answers what only another process could look at. */
  async #answerOnce(elsewhere: Promise<void>, response: ServerResponse): Promise<void> {
    try {
      await elsewhere;
      accepted(response);
    } catch (error) {
      this.#fail(response, error);
    }
  }

  #fail(response: ServerResponse, error: unknown): void {
    const problem = rpcErrorOf(interruptionOf(error) ?? error, this.#settings.report);
    if (!response.headersSent) answerText(response, 503, JSON.stringify(errorResponse(undefined, problem)));
  }

  /** The name of the stream on which one request, and no other, is answered. */
  #streamOf(about: RequestId): string | undefined {
    const target = this.#expected.get(about);
    if (!(target instanceof ResumableStream)) return undefined;
    const isAlone = this.#expected.values().filter((other) => other === target).length === 1;
    return isAlone ? target.name : undefined;
  }

  send(message: Message | readonly Message[], about?: RequestId): void | Promise<void> {
    const target = about === undefined ? undefined : this.#expected.get(about);
    if (isResponse(message)) return this.#answer(affordable(message, this.account), message, target);
    const data = JSON.stringify(message);
    const stream = target instanceof ResumableStream ? target : this.#standalone;
    const said = stream.say(data);
    this.#kept.keep(stream, data);
    return said;
  }

  /** A request gets no answer here. Its id is free from now on. A stream whose run has moved is not what its client comes back for. */
  unanswered(about: RequestId, hasMoved: boolean): void {
    const target = this.#expected.get(about);
    this.#expected.delete(about);
    // Another request of the same batch may still have something to say.
    const isOver = !this.#expected.values().some((other) => other === target);
    if (target === undefined || !isOver) return;
    if (!(target instanceof ResumableStream)) return accepted(target.response);
    target.finish();
    if (hasMoved) this.forgetStream(target);
  }

  disconnect(about: RequestId): void {
    const target = this.#expected.get(about);
    if (target instanceof ResumableStream) target.release();
  }

  close(): void {
    for (const stream of this.#streams.values()) stream.hangUp();
  }

  /** Notes that its client has ended it; throws where that cannot be noted. */
  async noteEnd(): Promise<void> {
    await this.#line.noteEnd?.();
  }

  /** `isOver`: its client has said so. */
  async end(isOver = false): Promise<void> {
    await (isOver && this.#line.end !== undefined ? this.#line.end() : this.#line.close());
    for (const target of this.#expected.values())
      if (!(target instanceof ResumableStream)) refuse(target.response, 404, "The session has ended.");
    this.#expected.clear();
    this.close();
    this.#kept.clear();
  }

  /** Lets go of what finished streams have said, where that was long ago. */
  forgetFinished(): void {
    const now = this.#settings.clock.now();
    for (const stream of this.#streams.values()) {
      if (stream.doneAt === undefined || stream.doneAt + KEEP_FINISHED > now) continue;
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
    beginning: Beginning | undefined,
  ): ResumableStream | Straight | undefined {
    const [first] = requests;
    if (first === undefined) return undefined;
    const isStraight = requests.length === 1 && !STREAMED.has(first.method);
    if (isStraight) response.on("close", this.#seen);
    const target = isStraight ? { response, beginning } : this.#newStream();
    for (const { id } of requests) this.#expected.set(id, target);
    return target;
  }

  #newStream(): ResumableStream {
    this.#names += 1;
    return this.#makeStream(this.streamOf === undefined ? String(this.#names) : randomUUID());
  }

  #makeStream(name: string, count = 0): ResumableStream {
    const stream = new ResumableStream(name, this.#settings, () => this.#unheard(stream), count);
    this.#streams.set(name, stream);
    return stream;
  }

  /** The connection of a stream has ended. */
  #unheard(stream: ResumableStream): void {
    this.#seen();
    if (this.#line.disconnected === undefined || stream.isHeard) return;
    for (const [about, target] of this.#expected.entries())
      if (target === stream) this.#line.disconnected(about);
  }

  #listenNow(): void {
    const listen = this.#listen;
    this.#listen = undefined;
    listen?.();
  }

  #letGo(requests: readonly Request[], target: ResumableStream | Straight | undefined): void {
    for (const { id } of requests) this.#expected.delete(id);
    if (target instanceof ResumableStream) this.#streams.delete(target.name);
  }

  #answer(
    data: string,
    message: Response | readonly Response[],
    target: ResumableStream | Straight | undefined,
  ): void {
    if (target === undefined) {
      if (this.#current !== undefined) answerText(this.#current, 400, data);
      return;
    }
    this.#seen();
    for (const one of "jsonrpc" in message ? [message] : message)
      if ("id" in one && one.id !== undefined && this.#expected.get(one.id) === target)
        this.#expected.delete(one.id);
    if (target instanceof ResumableStream) {
      // Where there is no memory to keep it, a client that listens later would not be told.
      if (!target.isHeard && this.#current !== undefined) this.#listenNow();
      target.conclude(data);
      return this.#kept.keep(target, data);
    }
    const isRefused = "error" in message;
    const headers = isRefused ? {} : target.beginning?.begun(this.#line.passport);
    answerResult(target.response, 200, data, this.account, headers);
    if (isRefused) target.beginning?.refused();
  }
}

/** A client that has come back, with the request on which it listens. */
class ReturningClient implements Returning {
  readonly #name: string;
  readonly #number: number;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #session: HttpSession;
  #stream: ResumableStream | undefined;

  constructor(
    name: string,
    number: number,
    request: IncomingMessage,
    response: ServerResponse,
    session: HttpSession,
  ) {
    this.#name = name;
    this.#number = number;
    this.#request = request;
    this.#response = response;
    this.#session = session;
  }

  get isHeard(): boolean {
    return this.#stream?.isHeard === true;
  }

  join(): boolean {
    const stream = this.#session.wholeStream(this.#name, this.#number);
    stream?.listen(this.#response, this.#number, isPrimed(this.#request));
    return stream !== undefined;
  }

  listen(about: RequestId): void {
    this.#stream = this.#session.continueStream(this.#name, about, this.#number);
    this.#stream.listen(this.#response, this.#number, isPrimed(this.#request));
  }

  forget(): void {
    if (this.#stream !== undefined) this.#session.forgetStream(this.#stream);
  }
}

/** Not 404, which would say that the session is gone. */
const notKept = (response: ServerResponse, event: string): void =>
  refuse(response, 400, `What came after the event ${JSON.stringify(event)} is not kept.`);
