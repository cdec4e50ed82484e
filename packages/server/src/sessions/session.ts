/**
 * A session with one client, in a revision up to 2025-11-25.
 *
 *   1. A bad message costs its sender an error, and nothing else.
 *   2. A request is answered once, unless the client cancelled it: then not at all.
 *   3. A question belongs to the call that asks it, and travels on its stream.
 *   4. Closing the session closes every body it started, and waits for them. Where the client is still connected, open
 *      questions are cancelled and calls answered.
 */
import type { Client } from "@photon/core";
import type { Account } from "../accounts.ts";
import type { ListName, Watcher } from "../catalog.ts";
import type { ServerContext } from "../context.ts";
import {
  clientForTools,
  type DeclaredClient,
  declaredClient,
  unknownClient,
} from "../protocol/client-info.ts";
import { type Features, featuresOf, negotiate } from "../protocol/revisions.ts";
import {
  errorResponse,
  INVALID_PARAMS,
  INVALID_REQUEST,
  withSerializationErrors,
  OVER_LIMIT,
  RpcError,
  toRpcError,
} from "../jsonrpc/errors.ts";
import {
  type ParsedMessage,
  isRequestId,
  type Message,
  type Notification,
  type Params,
  parseMessage,
  type RequestId,
  type Response,
  type JsonObject,
} from "../jsonrpc/messages.ts";
import type { MessageHandler, ClientConnection } from "../connection.ts";
import type { OpenPageFor } from "../pages/types.ts";
import { OutgoingRequests } from "../jsonrpc/outgoing-requests.ts";
import { estimateBytes } from "../jsonrpc/message-size.ts";
import type { LeasedLog } from "../durable/durable-call.ts";
import type { RunRepository } from "../durable/run-repository.ts";
import type { Settings } from "../settings.ts";
import { ClientAtConnection } from "../client-trust.ts";
import { RequestHandler, cancellationReason } from "./request-handler.ts";
import type { SessionContext } from "./session-client.ts";
import type { DeadlineQueue } from "../calls/question-deadlines.ts";
import {
  type ResumedSession,
  sealSessionToken,
  type SharedSessionMember,
  SharedSession,
} from "./shared-session.ts";

interface SessionOptions {
  /** The same session of another process, which this one continues. */
  readonly resumed?: ResumedSession | undefined;
  /** Called when the session begins to close, with what resolves when its bodies have ended. */
  readonly onClosing?: (closing: Promise<void>) => void;
}

export class Session implements MessageHandler, SessionContext, SharedSessionMember, Watcher {
  readonly settings: Settings;
  readonly requests: OutgoingRequests;
  readonly trust: ClientAtConnection;
  readonly account: Account;
  readonly requestHandler: RequestHandler;
  ignoresPings = false;
  readonly #connection: ClientConnection;
  readonly #context: ServerContext;
  /** What the handshake has come to, once it has been made. */
  #agreed: (Pick<NegotiatedSession, "features" | "client"> & { readonly known: Client }) | undefined;
  readonly #onClosing: SessionOptions["onClosing"];
  #shared: SharedSession | undefined;
  #closing: Promise<void> | undefined;
  #isClosed = false;
  /** How much memory what the handshake told takes, once it is counted; in bytes. */
  #weight = 0;
  /** Batches with messages that are not answered yet. */
  #batches: Set<Batch> | undefined;

  constructor(
    connection: ClientConnection,
    account: Account,
    context: ServerContext,
    { resumed, onClosing }: SessionOptions = {},
  ) {
    const { catalog, settings } = context;
    this.#connection = connection;
    this.#onClosing = onClosing;
    this.account = account;
    this.#context = context;
    this.settings = settings;
    this.trust = new ClientAtConnection(context.trust, connection.principal ?? "");
    this.requests = new OutgoingRequests(this);
    this.requestHandler = new RequestHandler(this, context, connection);
    catalog.watch(this);
    if (resumed !== undefined) this.#resume(resumed);
  }

  get features(): Features {
    return this.#agreed?.features ?? featuresOf(negotiate(undefined, this.settings.maxRevision));
  }

  /** Whether the handshake has been made. */
  get isOpen(): boolean {
    return this.#agreed !== undefined;
  }

  get client(): DeclaredClient {
    return this.#agreed?.client ?? unknownClient;
  }

  get principal(): string {
    return this.#connection.principal ?? "";
  }

  get known(): Client {
    return this.#agreed?.known ?? unknownClient;
  }

  get deadlines(): DeadlineQueue {
    return this.#context.deadlines;
  }

  get openPage(): OpenPageFor {
    return this.#context.openPage;
  }

  get mayMergeReads(): boolean {
    return this.#connection.mayMergeReads;
  }

  send(message: Message, about?: RequestId): void | Promise<void> {
    if (!this.#isClosed) return this.#connection.send(message, about);
  }

  isLogged(level: string): boolean {
    return this.requestHandler.isLogged(level);
  }

  receive(message: unknown, bytes?: number): void {
    if (this.#closing !== undefined) return;
    if (Array.isArray(message)) this.#receiveBatch(message);
    else this.#route(parseMessage(message), estimateBytes(message, bytes), this.#respond);
  }

  /** Forwards a response that is for another process; undefined when it is for this one. */
  forwardResponse(message: unknown): Promise<void> | undefined {
    if (this.#shared === undefined || this.#closing !== undefined) return undefined;
    const incoming = parseMessage(message);
    const isElsewhere = incoming.kind === "response" && !this.requests.has(incoming.message.id ?? "");
    return isElsewhere ? this.#shared.answer(incoming.message) : undefined;
  }

  onForwarded(message: JsonObject): void {
    const incoming = parseMessage(message);
    if (incoming.kind === "response") this.requests.resolve(incoming.message);
    else if (incoming.kind === "notification") this.#handleNotification(incoming.message);
  }

  onTerminated(): void {
    void this.terminate();
    this.#connection.onSessionEnded?.();
  }

  resumeCall(leased: LeasedLog): void {
    // The session was closed while the lease was waited for: another process continues the run.
    if (this.#closing !== undefined) return void leased.release();
    this.requestHandler.resumeCall(leased, this.#respond);
  }

  onCallMoved(request: RequestId): void {
    this.requestHandler.onCallMoved(request);
  }

  /** Answers a message that came in none with others. */
  readonly #respond: Respond = (response, about) => {
    if (response !== undefined) this.#reply(response, about);
  };

  /** The client has disconnected. Resolves when its calls have ended, or were detached for another process. */
  close(): Promise<void> {
    return this.#close(false);
  }

  /** The client has terminated the session: durable runs end too. */
  terminate(): Promise<void> {
    return this.#close(true);
  }

  #close(isTerminated: boolean): Promise<void> {
    if (this.#closing === undefined) {
      this.#closing = this.#end(isTerminated);
      this.#onClosing?.(this.#closing);
    }
    return this.#closing;
  }

  /** The client has sent another `initialize` on the same connection: nothing more of this session is sent. */
  replaced(): Promise<void> {
    this.#isClosed = true;
    return this.close();
  }

  /** Set once the handshake was made, if other processes can continue the session. */
  get shared(): SharedSession | undefined {
    return this.#shared;
  }

  get sharedId(): string | undefined {
    return this.#shared?.claims.id;
  }

  get runs(): RunRepository | undefined {
    return this.#context.runs;
  }

  async closeConnection(): Promise<void> {
    await this.close();
    this.#connection.close();
  }

  async #end(isOver: boolean): Promise<void> {
    this.#context.catalog.unwatch(this);
    this.#shared?.leave();
    await this.requestHandler.close(isOver);
    this.requests.close();
    this.#isClosed = true;
    this.account.release(this.#weight);
    this.#weight = 0;
    // Batches with a call that was left to another process, or does not end.
    for (const batch of this.#batches ?? []) batch.release();
    this.#batches = undefined;
  }

  #receiveBatch(messages: readonly unknown[]): void {
    const takes = this.isOpen && this.features.batches;
    const problem = batchProblem(messages.length, takes, this.settings.limits.batch);
    if (problem !== undefined) return this.#reply(errorResponse(undefined, problem));
    const { queueBytes } = this.settings.limits;
    const batch = new Batch(messages.length, queueBytes, this.account, (responses, about) => {
      this.#batches?.delete(batch);
      if (responses.length > 0) this.#reply(responses, about);
    });
    (this.#batches ??= new Set()).add(batch);
    this.#takeParts(messages.values(), batch.answer);
  }

  /** Begins up to MAX_REQUESTS_PER_TURN requests of a batch; the rest in the next turn of the event loop. */
  #takeParts(messages: Iterator<unknown>, answer: Respond): void {
    if (this.#closing !== undefined) return;
    let requests = 0;
    for (let next = messages.next(); next.done !== true; next = messages.next()) {
      const incoming = parseMessage(next.value);
      this.#route(incoming, estimateBytes(next.value), answer);
      if (incoming.kind === "request") requests += 1;
      if (requests === MAX_REQUESTS_PER_TURN)
        return void setImmediate(() => this.#takeParts(messages, answer));
    }
  }

  #route(incoming: ParsedMessage, weight: number, answer: Respond): void {
    switch (incoming.kind) {
      case "request":
        return this.requestHandler.handle(incoming.message, weight, answer);
      case "notification":
        this.#handleOrForward(incoming.message);
        return answer(undefined);
      case "response":
        // One of several in a message; one that came alone was passed on before.
        if (!this.requests.has(incoming.message.id ?? ""))
          this.#shared?.answer(incoming.message).catch(this.settings.report);
        return answer(this.#handleResponse(incoming.message, weight));
      case "invalid": {
        const { id, problem } = incoming;
        return answer(errorResponse(id, new RpcError(INVALID_REQUEST, `That is no message: ${problem}.`)));
      }
      default:
        incoming satisfies never;
    }
  }

  /** Sends what answers a message. What is no JSON, because an author made it so, becomes an error. */
  #reply(response: Response | readonly Response[], about?: RequestId): void {
    if (this.#isClosed) return;
    try {
      void this.#connection.send(response, about);
    } catch (error) {
      void this.#connection.send(
        withSerializationErrors(response, toRpcError(error, this.settings.report)),
        about,
      );
    }
  }

  initialize(params: Params, weight: number): JsonObject {
    if (this.isOpen) throw new RpcError(INVALID_REQUEST, "This session is initialized already.");
    this.account.reserveOrThrow(weight);
    this.#weight += weight;
    const { result, features, client } = negotiateSession(params, this.settings);
    this.#agreed = { features, client, known: clientForTools(client) };
    const { sealedBox } = this.#context;
    if (this.#connection.resumableStreamName !== undefined && this.runs !== undefined) {
      const { revision } = features;
      const until = this.runs.now() + this.settings.maxWait;
      const claims = { id: crypto.randomUUID(), revision, client, principal: this.principal, until };
      this.#shared = new SharedSession(sealSessionToken(claims, sealedBox), claims, this.runs, this);
    }
    return result;
  }

  #resume({ token, claims, runs }: ResumedSession): void {
    const { client } = claims;
    const features = featuresOf(claims.revision, client.can.url);
    this.#agreed = { features, client, known: clientForTools(client) };
    this.#shared = new SharedSession(token, claims, runs, this);
  }

  /** Takes a notification; gives back the request that it cancels, where that is not here. */
  #handleNotification({ method, params = {} }: Notification): RequestId | undefined {
    const { requestId, reason } = params;
    if (method !== "notifications/cancelled" || !isRequestId(requestId)) return undefined;
    return this.requestHandler.cancel(requestId, cancellationReason(reason)) ? undefined : requestId;
  }

  #handleOrForward(message: Notification): void {
    const elsewhere = this.#handleNotification(message);
    if (elsewhere !== undefined) this.#shared?.cancel(elsewhere, message).catch(this.settings.report);
  }

  /** Takes an answer of the client's, if there is memory for it: otherwise it gets an error under its own id. */
  #handleResponse(response: Response, weight = 0): Response | undefined {
    const refusal = this.requestHandler.grow(this.requests.aboutOf(response.id), weight);
    if (refusal !== undefined) return errorResponse(response.id, refusal);
    this.requests.resolve(response);
    return undefined;
  }

  changed(lists: readonly ListName[]): void {
    if (!this.isOpen) return;
    for (const list of lists)
      void this.send({ jsonrpc: "2.0", method: `notifications/${list}/list_changed` });
  }
}

/** What a server and its client agree on first, by `initialize`. Pure. */

interface NegotiatedSession {
  readonly features: Features;
  readonly client: DeclaredClient;
  /** What the client is told. */
  readonly result: JsonObject;
}

function negotiateSession(params: Params, settings: Settings): NegotiatedSession {
  if (typeof params["protocolVersion"] !== "string")
    throw new RpcError(INVALID_PARAMS, "protocolVersion is a text.");
  const { name, version, title, instructions, maxRevision } = settings;
  const client = declaredClient(params);
  const features = featuresOf(negotiate(params["protocolVersion"], maxRevision), client.can.url);
  const result = {
    protocolVersion: features.revision,
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      logging: {},
      ...(features.since2503 ? { completions: {} } : {}),
    },
    serverInfo: { name, version, ...(title === undefined || !features.since2506 ? {} : { title }) },
    ...(instructions === undefined ? {} : { instructions }),
  };
  return { features, client, result };
}

/** Takes what a message is answered with: nothing, where it needs no answer. `about` is the request it answers. */
export type Respond = (response: Response | undefined, about?: RequestId) => void;

/** How many requests of a batch are begun before other clients have a turn. */
const MAX_REQUESTS_PER_TURN = 50;

/**
 * Collects the responses to a batch (2025-03-26) until all are there. They count as memory of the client's principal meanwhile,
 * because one call that asks delays the others, and take at most `limits.queueBytes`: they are written at once.
 */
class Batch {
  readonly #account: Account;
  readonly #done: (responses: readonly Response[], about: RequestId | undefined) => void;
  readonly #responses: Response[] = [];
  readonly #most: number;
  #left: number;
  #reserved = 0;
  #isFull = false;
  /** The last request that was answered: its id selects the stream for all the answers. */
  #about: RequestId | undefined;
  #isReleased = false;

  /** `done` receives the answers to `count` messages, of at most `most` bytes; an empty list if none needs an answer. */
  constructor(
    count: number,
    most: number,
    account: Account,
    done: (responses: readonly Response[], about: RequestId | undefined) => void,
  ) {
    this.#left = count;
    this.#most = most;
    this.#account = account;
    this.#done = done;
  }

  readonly answer: Respond = (response, about) => {
    if (response !== undefined) this.#responses.push(this.#counted(response));
    this.#about = about ?? this.#about;
    this.#left -= 1;
    if (this.#left > 0) return;
    this.#done(this.#responses, this.#about);
    this.release();
  };

  /** Nothing of it is counted any more: it was answered, or its session is over. */
  release(): void {
    this.#isReleased = true;
    this.#account.release(this.#reserved);
    this.#reserved = 0;
  }

  /** The answer, or an error where there is no memory for it; that is counted in any case. */
  #counted(response: Response): Response {
    if (this.#isReleased) return response;
    // What comes after the first that is too much is not looked at: that would take as long as to send it.
    const weight = this.#isFull ? Number.POSITIVE_INFINITY : estimateBytes(response);
    this.#isFull = this.#reserved + weight > this.#most;
    const exceeded = this.#isFull ? undefined : this.#account.reserveRequest(weight);
    if (!this.#isFull && exceeded === undefined) {
      this.#reserved += weight;
      return response;
    }
    const error = exceeded === undefined ? tooMuch(this.#most) : this.#account.memoryRefusal(exceeded).error;
    const refusal = errorResponse(response.id, error);
    const least = estimateBytes(refusal);
    this.#account.overdraw(least);
    this.#reserved += least;
    return refusal;
  }
}

const tooMuch = (most: number): RpcError =>
  new RpcError(
    OVER_LIMIT,
    `The answers to a batch take at most ${most} bytes of memory together; send fewer requests in one batch.`,
  );

/** What is wrong with a batch of so many messages, where batches are taken or not, and at most so many. */
function batchProblem(count: number, takes: boolean, most: number): RpcError | undefined {
  if (!takes) return new RpcError(INVALID_REQUEST, "There are no batches here; send one message at a time.");
  if (count === 0) return new RpcError(INVALID_REQUEST, "A batch has at least one message.");
  return count > most ? new RpcError(OVER_LIMIT, `A batch has at most ${most} messages.`) : undefined;
}
