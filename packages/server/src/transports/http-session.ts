/**
 * One session over Streamable HTTP: where each message goes.
 *
 *   1. What belongs to a request travels on that request's stream; the rest on the stream of GET.
 *   2. What is no request, and wrong, is answered where it came in.
 *   3. A stream that ended can be asked for again, for a while: that its end was written does not mean it arrived.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { readMessage, type Message, type Request, type RequestId } from "../rpc/message.ts";
import type { Line, Open, Peer } from "../rpc/peer.ts";
import type { Streaming } from "./event-stream.ts";
import { header } from "./header.ts";
import { accepted, answerText, refuse } from "./http-answers.ts";
import { KeptEvents } from "./kept-events.ts";
import { ResumableStream } from "./resumable-stream.ts";

/** Requests that run what an author wrote, and may say something first or take a while: a stream answers them, JSON the others. */
const STREAMED = new Set(["tools/call", "prompts/get", "resources/read", "completion/complete"]);
const STANDALONE = "0";
/** How long what a finished stream said is kept, in milliseconds. */
export const KEEP_FINISHED = 60_000;

/** What the first message of a session, `initialize`, is answered with beside its result. */
interface Beginning {
  readonly headers: Readonly<Record<string, string>>;
  /** It was answered with an error: there is no session. */
  refused(): void;
}

/** An answer that goes straight back, as JSON. */
interface Straight {
  readonly response: ServerResponse;
  readonly beginning: Beginning | undefined;
}

export class HttpSession implements Peer {
  readonly coalesces = false;
  readonly isForSessions = true;
  readonly principal: string;
  readonly #settings: Streaming;
  readonly #line: Line;
  readonly #kept: KeptEvents;
  readonly #streams = new Map<string, ResumableStream>();
  readonly #standalone: ResumableStream;
  /** Where the answer goes of each request that has none yet. */
  readonly #expected = new Map<RequestId, ResumableStream | Straight>();
  #names = 0;
  #lastSeen: number;
  /** The response to what is being received right now. */
  #current: ServerResponse | undefined;

  constructor(open: Open, settings: Streaming, principal: string) {
    this.principal = principal;
    this.#settings = settings;
    this.#lastSeen = settings.clock.now();
    this.#kept = new KeptEvents(settings.limits.events, settings.limits.queueBytes);
    this.#standalone = new ResumableStream(STANDALONE, this.#kept, settings, this.#seen);
    this.#streams.set(STANDALONE, this.#standalone);
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

  post(value: unknown, request: IncomingMessage, response: ServerResponse, beginning?: Beginning): void {
    this.#seen();
    const requests = requestsIn(value);
    const used = requests.find(({ id }) => this.#expected.has(id));
    if (used !== undefined)
      return refuse(response, 400, `The id ${JSON.stringify(used.id)} is in use already.`);
    const target = this.#expect(requests, response, beginning);
    this.#current = response;
    this.#line.receive(value);
    this.#current = undefined;
    // Refused as a whole, and answered already.
    if (response.headersSent) return this.#letGo(requests, target);
    if (target instanceof ResumableStream) target.listen(response, 0, isPrimed(request));
    else if (target === undefined) accepted(response);
  }

  get(request: IncomingMessage, response: ServerResponse): void {
    this.#seen();
    const last = header(request, "last-event-id");
    if (last === undefined) {
      if (this.#standalone.isHeard) return refuse(response, 409, "This session has a stream open already.");
      return this.#standalone.listen(response, this.#standalone.told, isPrimed(request));
    }
    const [, name = "", number = ""] = /^(\d+)\.(\d+)$/.exec(last) ?? [];
    const stream = this.#streams.get(name);
    // Not 404, which would say that the session is gone.
    if (stream === undefined || !stream.isWholeAfter(Number(number)))
      return refuse(response, 400, `What came after the event ${JSON.stringify(last)} is not kept.`);
    stream.listen(response, Number(number), isPrimed(request));
  }

  send(message: Message | readonly Message[], about?: RequestId): void | Promise<void> {
    const data = JSON.stringify(message);
    const target = about === undefined ? undefined : this.#expected.get(about);
    if (Array.isArray(message) || !("method" in message)) return this.#answer(data, message, target);
    const stream = target instanceof ResumableStream ? target : this.#standalone;
    const said = stream.say(data);
    this.#keep(stream, data);
    return said;
  }

  /** A request was cancelled, and gets no answer. Its id is free from now on. */
  unanswered(about: RequestId): void {
    const target = this.#expected.get(about);
    this.#expected.delete(about);
    // Another request of the same batch may still have something to say.
    const isOver = ![...this.#expected.values()].some((other) => other === target);
    if (target === undefined || !isOver) return;
    if (target instanceof ResumableStream) target.finish();
    else accepted(target.response);
  }

  disconnect(about: RequestId): void {
    const target = this.#expected.get(about);
    if (target instanceof ResumableStream) target.release();
  }

  close(): void {
    for (const stream of this.#streams.values()) stream.hangUp();
  }

  async end(): Promise<void> {
    await this.#line.close();
    for (const target of this.#expected.values())
      if (!(target instanceof ResumableStream)) refuse(target.response, 404, "The session has ended.");
    this.#expected.clear();
    this.close();
  }

  /** Lets go of what finished streams have said, where that was long ago. */
  forgetFinished(): void {
    const now = this.#settings.clock.now();
    const old = new Set<string>();
    for (const { name, doneAt } of this.#streams.values())
      if (doneAt !== undefined && doneAt + KEEP_FINISHED <= now) old.add(name);
    for (const name of old) this.#streams.delete(name);
    if (old.size > 0) this.#kept.forget(old);
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
    const stream = new ResumableStream(String(this.#names), this.#kept, this.#settings, this.#seen);
    this.#streams.set(stream.name, stream);
    return stream;
  }

  #letGo(requests: readonly Request[], target: ResumableStream | Straight | undefined): void {
    for (const { id } of requests) this.#expected.delete(id);
    if (target instanceof ResumableStream) this.#streams.delete(target.name);
  }

  #answer(
    data: string,
    message: Message | readonly Message[],
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
      target.conclude(data);
      return this.#keep(target, data);
    }
    const isRefused = "error" in message;
    answerText(target.response, 200, data, isRefused ? {} : target.beginning?.headers);
    if (isRefused) target.beginning?.refused();
  }

  /** Keeps what a stream has just said; streams that are over, and of which nothing is left for it, are forgotten. */
  #keep(stream: ResumableStream, data: string): void {
    for (const gone of this.#kept.keep({ stream: stream.name, number: stream.count, data })) {
      const empty = this.#streams.get(gone.stream);
      if (empty?.doneAt !== undefined && gone.number === empty.count) this.#streams.delete(gone.stream);
    }
  }
}

function requestsIn(value: unknown): readonly Request[] {
  const requests: Request[] = [];
  for (const one of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
    const incoming = readMessage(one);
    if (incoming.kind === "request") requests.push(incoming.message);
  }
  return requests;
}

/** Whether a client knows events without data: since 2025-11-25. */
const isPrimed = (request: IncomingMessage): boolean =>
  (header(request, "mcp-protocol-version") ?? "") >= "2025-11-25";
