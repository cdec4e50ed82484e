/**
 * A session with one client, in a revision up to 2025-11-25.
 *
 *   1. A bad message costs its sender an error, and nothing else.
 *   2. A request is answered once, unless the client cancelled it: then not at all.
 *   3. A question belongs to the call that asks it, and travels on its stream.
 *   4. Closing the session closes every body it started, and waits for them.
 */
import { logLevels, RunCancelled, type Client } from "@photon/core";
import type { Catalog, ListName } from "../catalog.ts";
import { methods, resourceAt, textParam, type Dispatched } from "../dispatch.ts";
import { featuresOf, negotiate, type Features } from "../mcp/revisions.ts";
import {
  errorResponse,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  OVER_LIMIT,
  RpcError,
  rpcErrorOf,
} from "../rpc/errors.ts";
import {
  isRecord,
  isRequestId,
  readMessage,
  type Message,
  type Notification,
  type Params,
  type Request,
  type RequestId,
  type Response,
} from "../rpc/message.ts";
import type { Line, Peer } from "../rpc/peer.ts";
import { Requests } from "../rpc/requests.ts";
import type { Settings } from "../settings.ts";
import { LegacyFront, type Home } from "./legacy-front.ts";

type Wire = { readonly [field: string]: unknown };

/** Where the answer to a request goes. */
type Answer = (response: Response | undefined) => void;

export class Session implements Line, Home {
  readonly settings: Settings;
  readonly requests: Requests;
  readonly #peer: Peer;
  readonly #catalog: Catalog;
  /** The calls under way, by the id of their request. */
  readonly #calls = new Map<RequestId, LegacyFront | undefined>();
  readonly #watches = new Map<string, AbortController>();
  readonly #stopListening: () => void;
  #features: Features | undefined;
  #client: Client = { name: "", version: "", can: { form: false, url: false, sample: false, roots: false } };
  #logLevel = logLevels.indexOf("info");
  #isClosed = false;

  constructor(peer: Peer, catalog: Catalog, settings: Settings) {
    this.#peer = peer;
    this.#catalog = catalog;
    this.settings = settings;
    this.requests = new Requests((message, about) => void this.send(message, about));
    this.#stopListening = catalog.onChange((changed) => this.#tellChanged(changed));
  }

  get features(): Features {
    return this.#features ?? featuresOf(this.settings.maxRevision);
  }

  /** Whether the handshake has been made. */
  get isOpen(): boolean {
    return this.#features !== undefined;
  }

  get client(): Client {
    return this.#client;
  }

  get coalesces(): boolean {
    return this.#peer.coalesces;
  }

  /** How many calls are under way. */
  get calls(): number {
    return this.#calls.size;
  }

  send(message: Message, about?: RequestId): void | Promise<void> {
    if (!this.#isClosed) return this.#peer.send(message, about);
  }

  isLogged(level: string): boolean {
    return logLevels.findIndex((known) => known === level) >= this.#logLevel;
  }

  receive(message: unknown): void {
    if (this.#isClosed) return;
    if (Array.isArray(message)) this.#receiveBatch(message as readonly unknown[]);
    else
      this.#take(
        message,
        (response) => void (response !== undefined && this.send(response, response.id ?? undefined)),
      );
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopListening();
    for (const watch of this.#watches.values()) watch.abort();
    const closed = [...this.#calls.values()].flatMap((front) =>
      front === undefined ? [] : [front.close(new RunCancelled("The client has hung up."))],
    );
    await Promise.all(closed);
    this.requests.close();
  }

  /** Several messages in one: 2025-03-26 has them, and answers them in one. */
  #receiveBatch(messages: readonly unknown[]): void {
    if (!this.isOpen || !this.features.batches || messages.length === 0) {
      void this.send(
        errorResponse(
          undefined,
          new RpcError(INVALID_REQUEST, "There are no batches here; send one message at a time."),
        ),
      );
      return;
    }
    const responses: Response[] = [];
    let left = messages.length;
    let first: RequestId | undefined;
    const answer: Answer = (response) => {
      if (response !== undefined) responses.push(response);
      first ??= response?.id;
      left -= 1;
      if (left === 0 && responses.length > 0 && !this.#isClosed) void this.#peer.send(responses, first);
    };
    for (const message of messages) this.#take(message, answer);
  }

  #take(value: unknown, answer: Answer): void {
    const incoming = readMessage(value);
    switch (incoming.kind) {
      case "request":
        void this.#answer(incoming.message, answer);
        return;
      case "notification":
        this.#note(incoming.message);
        break;
      case "response":
        this.#settle(incoming.message);
        break;
      case "garbage":
        answer(
          errorResponse(
            incoming.id,
            new RpcError(INVALID_REQUEST, `That is no message: ${incoming.problem}.`),
          ),
        );
        return;
      default:
        incoming satisfies never;
    }
    answer(undefined);
  }

  /** Answers a request; not at all where the client cancelled it. */
  async #answer(request: Request, answer: Answer): Promise<void> {
    const { id } = request;
    const response = await this.#respond(request);
    if (response === undefined) this.#peer.unanswered?.(id);
    answer(response);
  }

  async #respond(request: Request): Promise<Response | undefined> {
    const { id } = request;
    const refusal = this.#refusalOf(id);
    if (refusal !== undefined) return errorResponse(id, refusal);
    this.#calls.set(id, undefined);
    try {
      const result = await this.#perform(request);
      await this.#calls.get(id)?.settled();
      return this.#calls.has(id) ? { jsonrpc: "2.0", id, result } : undefined;
    } catch (error) {
      return this.#calls.has(id) ? errorResponse(id, rpcErrorOf(error, this.settings.report)) : undefined;
    } finally {
      this.#calls.delete(id);
    }
  }

  /** Why a request is not even looked at, if it is not. */
  #refusalOf(id: RequestId): RpcError | undefined {
    const { runsPerSession } = this.settings.limits;
    if (this.#calls.has(id)) {
      return new RpcError(
        INVALID_REQUEST,
        `The id ${JSON.stringify(id)} is in use by a request that is not answered yet.`,
      );
    }
    return this.#calls.size >= runsPerSession
      ? new RpcError(OVER_LIMIT, `This session has ${runsPerSession} requests under way already.`)
      : undefined;
  }

  #perform(request: Request): Wire | Promise<Wire> {
    const { id, method, params = {} } = request;
    if (method === "initialize") return this.#initialize(params);
    if (method === "ping") return {};
    if (!this.isOpen) throw new RpcError(INVALID_REQUEST, `${method} came before initialize.`);
    const own = this.#ownMethod(method, params);
    if (own !== undefined) return own;
    const perform = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (perform === undefined)
      throw new RpcError(METHOD_NOT_FOUND, `There is no method ${JSON.stringify(method)}.`);
    const dispatched: Dispatched = {
      catalog: this.#catalog,
      features: this.features,
      params,
      front: (logger) => this.#openFront(id, params, logger),
    };
    return perform(dispatched);
  }

  /** What only sessions have. */
  #ownMethod(method: string, params: Params): Wire | undefined {
    switch (method) {
      case "logging/setLevel": {
        const level = logLevels.findIndex((known) => known === params["level"]);
        if (level < 0) throw new RpcError(INVALID_PARAMS, `A log level is one of ${logLevels.join(", ")}.`);
        this.#logLevel = level;
        return {};
      }
      case "resources/subscribe":
        this.#watch(textParam(params, "uri"));
        return {};
      case "resources/unsubscribe": {
        const uri = textParam(params, "uri");
        this.#watches.get(uri)?.abort();
        this.#watches.delete(uri);
        return {};
      }
      default:
        return undefined;
    }
  }

  #openFront(id: RequestId, params: Params, logger: string): LegacyFront {
    const meta = params["_meta"];
    const token = isRecord(meta) ? meta["progressToken"] : undefined;
    const front = new LegacyFront(this, id, isRequestId(token) ? token : undefined, logger);
    this.#calls.set(id, front);
    return front;
  }

  #initialize(params: Params): Wire {
    if (this.isOpen) throw new RpcError(INVALID_REQUEST, "This session is initialized already.");
    if (typeof params["protocolVersion"] !== "string")
      throw new RpcError(INVALID_PARAMS, "protocolVersion is a text.");
    const { name, version, title, instructions, maxRevision } = this.settings;
    const features = featuresOf(negotiate(params["protocolVersion"], maxRevision));
    this.#features = features;
    this.#client = clientFrom(params);
    return {
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
  }

  #note({ method, params = {} }: Notification): void {
    if (method !== "notifications/cancelled") return;
    const { requestId, reason } = params;
    if (!isRequestId(requestId)) return;
    const front = this.#calls.get(requestId);
    // A request without a run has nothing to cancel: it is answered at once.
    if (front === undefined) return;
    this.#calls.delete(requestId);
    const why =
      typeof reason === "string"
        ? `The client cancelled the call: ${reason}`
        : "The client cancelled the call.";
    void front.close(new RunCancelled(why));
  }

  #settle(response: Response): void {
    const problem = this.requests.settle(response);
    if (problem === undefined) return;
    // The run still waits. That the answer was none is told under its own id, which is no request of the client's.
    void this.send(
      errorResponse(response.id, new RpcError(INVALID_PARAMS, `That is no answer: ${problem}.`)),
    );
  }

  #watch(uri: string): void {
    const { resource } = resourceAt(this.#catalog, uri);
    if (this.#watches.has(uri)) return;
    const watch = new AbortController();
    this.#watches.set(uri, watch);
    const changed = (): void =>
      void this.send({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } });
    Promise.resolve(resource.watch?.({ uri, changed, signal: watch.signal })).catch(this.settings.report);
  }

  #tellChanged(lists: readonly ListName[]): void {
    if (!this.isOpen) return;
    for (const list of lists)
      void this.send({ jsonrpc: "2.0", method: `notifications/${list}/list_changed` });
  }
}

/** What a client says of itself. A bare `elicitation: {}` means forms only. */
function clientFrom(params: Params): Client {
  const info = isRecord(params["clientInfo"]) ? params["clientInfo"] : {};
  const capabilities = isRecord(params["capabilities"]) ? params["capabilities"] : {};
  const elicitation = capabilities["elicitation"];
  const modes = isRecord(elicitation) ? elicitation : undefined;
  return {
    name: typeof info["name"] === "string" ? info["name"] : "",
    version: typeof info["version"] === "string" ? info["version"] : "",
    can: {
      form: modes !== undefined && (isRecord(modes["form"]) || !isRecord(modes["url"])),
      url: modes !== undefined && isRecord(modes["url"]),
      sample: isRecord(capabilities["sampling"]),
      roots: isRecord(capabilities["roots"]),
    },
  };
}
