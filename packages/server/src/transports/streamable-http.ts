/**
 * MCP over Streamable HTTP, as the session revisions have it.
 *
 *   1. A session begins with `initialize` and ends with DELETE, or when it has been idle for too long.
 *   2. What belongs to a request travels on that request's stream; the rest on the stream of GET.
 *   3. A client that loses its connection has cancelled nothing: it comes back with `Last-Event-ID`.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { accepted, answerJson, refuse } from "../http/answers.ts";
import { readBody } from "../http/body.ts";
import { revisions } from "../mcp/revisions.ts";
import { isRecord, readMessage, type Message, type Request, type RequestId } from "../rpc/message.ts";
import type { Line, Open, Peer } from "../rpc/peer.ts";
import type { Settings } from "../settings.ts";
import { ResumableStream } from "./resumable-stream.ts";

export interface HttpLines {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  close(): Promise<void>;
}

/** Requests that may say something before their answer: they are answered by a stream, the others by JSON. */
const STREAMED = new Set(["tools/call", "prompts/get", "resources/read"]);
const SESSION = "mcp-session-id";
const STANDALONE = "0";

export function serveStreamableHttp(
  open: Open,
  settings: Pick<Settings, "limits" | "clock" | "idle">,
): HttpLines {
  const sessions = new Map<string, HttpSession>();
  let stopReaping = (): void => {};

  const reap = (): void => {
    const now = settings.clock.now();
    for (const [id, session] of sessions) if (session.idleSince + settings.idle <= now) void end(id, session);
    schedule();
  };
  const schedule = (): void => {
    stopReaping();
    if (sessions.size > 0) stopReaping = settings.clock.after(Math.max(1000, settings.idle / 4), reap);
  };
  async function end(id: string, session: HttpSession): Promise<void> {
    sessions.delete(id);
    await session.end();
  }

  async function post(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { accept = "" } = request.headers;
    if (!accept.includes("application/json") || !accept.includes("text/event-stream")) {
      return refuse(response, 406, "Accept both application/json and text/event-stream.");
    }
    const body = await readBody(request, settings.limits.messageBytes);
    if ("refusal" in body) return answerJson(response, body.status, body.refusal);
    if (isRecord(body.value) && body.value["method"] === "initialize") {
      const id = randomUUID();
      const session = new HttpSession(open, settings);
      sessions.set(id, session);
      schedule();
      return session.post(body.value, request, response, { [SESSION]: id });
    }
    return found(request, response)?.post(body.value, request, response, {});
  }

  /** The session a request names. Without one, the request is answered here. */
  function found(request: IncomingMessage, response: ServerResponse): HttpSession | undefined {
    const id = header(request, SESSION);
    if (id === undefined)
      refuse(response, 400, "Name the session in Mcp-Session-Id, or begin one with initialize.");
    const session = id === undefined ? undefined : sessions.get(id);
    if (id !== undefined && session === undefined)
      refuse(response, 404, "There is no such session; begin a new one with initialize.");
    return session;
  }

  return {
    async handle(request, response) {
      const version = header(request, "mcp-protocol-version");
      if (version !== undefined && !revisions.some((revision) => revision === version)) {
        return refuse(
          response,
          400,
          `${version} is no revision this server speaks; it speaks ${revisions.join(", ")}.`,
        );
      }
      switch (request.method) {
        case "POST":
          return post(request, response);
        case "GET":
          if (!(request.headers.accept ?? "").includes("text/event-stream"))
            return refuse(response, 406, "Accept text/event-stream.");
          return found(request, response)?.get(request, response);
        case "DELETE": {
          const session = found(request, response);
          if (session === undefined) return;
          await end(header(request, SESSION) ?? "", session);
          response.writeHead(204).end();
          return;
        }
        default:
          return refuse(response, 405, "There is POST, GET and DELETE.", { allow: "POST, GET, DELETE" });
      }
    },
    async close() {
      stopReaping();
      await Promise.all([...sessions].map(([id, session]) => end(id, session)));
    },
  };
}

type Headers = Readonly<Record<string, string>>;

/** An answer that goes straight back, as JSON. */
interface Straight {
  readonly response: ServerResponse;
  readonly headers: Headers;
}

class HttpSession implements Peer {
  readonly coalesces = false;
  readonly #settings: Pick<Settings, "limits" | "clock">;
  readonly #line: Line;
  readonly #streams = new Map<string, ResumableStream>();
  /** Where the answer goes of each request that has none yet. */
  readonly #expected = new Map<RequestId, ResumableStream | Straight>();
  #names = 0;
  #lastSeen: number;
  /** The response to what is being received right now. */
  #current: ServerResponse | undefined;

  constructor(open: Open, settings: Pick<Settings, "limits" | "clock">) {
    this.#settings = settings;
    this.#lastSeen = settings.clock.now();
    this.#streams.set(STANDALONE, new ResumableStream(STANDALONE, settings));
    this.#line = open(this);
  }

  /** Since when nobody has listened and nothing was under way. */
  get idleSince(): number {
    const isBusy = this.#expected.size > 0 || [...this.#streams.values()].some(({ isHeard }) => isHeard);
    return isBusy ? Number.POSITIVE_INFINITY : this.#lastSeen;
  }

  post(value: unknown, request: IncomingMessage, response: ServerResponse, headers: Headers): void {
    this.#lastSeen = this.#settings.clock.now();
    const requests = (Array.isArray(value) ? value : [value])
      .map(readMessage)
      .flatMap((one) => (one.kind === "request" ? [one.message] : []));
    const used = requests.find(({ id }) => this.#expected.has(id));
    if (used !== undefined)
      return refuse(response, 400, `The id ${JSON.stringify(used.id)} is in use already.`);
    if (requests.length > 0) this.#expect(requests, request, response, headers);
    // What cannot be read is answered while it is received, by nobody's id.
    this.#current = response;
    this.#line.receive(value);
    this.#current = undefined;
    if (requests.length === 0 && !response.headersSent) accepted(response);
  }

  get(request: IncomingMessage, response: ServerResponse): void {
    this.#lastSeen = this.#settings.clock.now();
    const last = header(request, "last-event-id");
    const [name = STANDALONE, number = "0"] = last?.split(".") ?? [];
    const after = last === undefined ? undefined : Number.parseInt(number, 10);
    const stream = this.#streams.get(name);
    if (stream === undefined || (after !== undefined && !stream.isWholeAfter(after))) {
      return refuse(response, 404, "What came after that event is no longer kept.");
    }
    if (after === undefined && stream.isHeard)
      return refuse(response, 409, "This session has a stream open already.");
    stream.listen(response, after ?? stream.count, isPrimed(request));
    if (stream.isDone) this.#streams.delete(name);
  }

  send(message: Message | readonly Message[], about?: RequestId): void | Promise<void> {
    const isAnswer = Array.isArray(message) || !("method" in message);
    if (isAnswer) return this.#answer(message, about);
    const target = about === undefined ? undefined : this.#expected.get(about);
    const stream = target instanceof ResumableStream ? target : this.#streams.get(STANDALONE);
    const said = stream?.say(JSON.stringify(message));
    this.#forgetOld();
    return said;
  }

  /** A request was cancelled, and gets no answer. */
  unanswered(about: RequestId): void {
    const target = this.#expected.get(about);
    this.#expected.delete(about);
    if (target instanceof ResumableStream) this.#finish(target);
    else target?.response.end();
  }

  close(): void {
    for (const stream of this.#streams.values()) stream.hangUp();
  }

  async end(): Promise<void> {
    await this.#line.close();
    this.close();
    for (const about of this.#expected.keys()) this.unanswered(about);
  }

  /** Notes where the answers to requests go: to a stream where they may say something first, else straight back. */
  #expect(
    requests: readonly Request[],
    request: IncomingMessage,
    response: ServerResponse,
    headers: Headers,
  ): void {
    const [first] = requests;
    if (first !== undefined && requests.length === 1 && !STREAMED.has(first.method)) {
      this.#expected.set(first.id, { response, headers });
      return;
    }
    this.#names += 1;
    const stream = new ResumableStream(String(this.#names), this.#settings);
    this.#streams.set(stream.name, stream);
    for (const { id } of requests) this.#expected.set(id, stream);
    stream.listen(response, 0, isPrimed(request), headers);
  }

  #answer(message: Message | readonly Message[], about: RequestId | undefined): void | Promise<void> {
    const target = about === undefined ? undefined : this.#expected.get(about);
    const answers = Array.isArray(message) ? (message as readonly Message[]) : [message];
    for (const one of answers) if ("id" in one && one.id !== undefined) this.#expected.delete(one.id);
    if (target instanceof ResumableStream) {
      const said = target.say(JSON.stringify(message));
      this.#finish(target);
      return said;
    }
    if (target !== undefined) return answerJson(target.response, 200, message, target.headers);
    if (this.#current !== undefined) return answerJson(this.#current, 400, message);
    return undefined;
  }

  /** Ends a stream. Where nobody heard its end, it is kept for whoever comes back. */
  #finish(stream: ResumableStream): void {
    if (stream.isHeard) this.#streams.delete(stream.name);
    stream.finish();
    this.#forgetOld();
  }

  /** Keeps no more events than the limit: the oldest go first. */
  #forgetOld(): void {
    const streams = [...this.#streams.values()];
    let total = streams.reduce((sum, { size }) => sum + size, 0);
    for (const stream of streams) {
      for (; total > this.#settings.limits.events && stream.size > 0; total--) stream.forgetOldest();
    }
  }
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Whether a client knows events without data: since 2025-11-25. */
const isPrimed = (request: IncomingMessage): boolean =>
  (header(request, "mcp-protocol-version") ?? "") >= "2025-11-25";
