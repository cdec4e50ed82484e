/**
 * The requests of 2026-07-28 on one connection that stays open (stdio, WebSocket): by id, until they are answered. Over HTTP, they
 * belong to no connection: transports/streamable-stateless.ts.
 */
import type { Account } from "../accounts.ts";
import { type ClientConnection, type HandleStateless, READ_GAP_MS } from "../connection.ts";
import { errorResponse, idInUse, OVER_LIMIT, RpcError, withSerializationErrors } from "../jsonrpc/errors.ts";
import { estimateBytes } from "../jsonrpc/message-size.ts";
import {
  isRecord,
  isRequestId,
  parseMessage,
  type Request,
  type RequestId,
  type Response,
} from "../jsonrpc/messages.ts";
import type { Settings } from "../settings.ts";
import { CompactMap } from "../util/compact-map.ts";
import { LightAbortSignal } from "../util/light-abort.ts";
import { sleep } from "../util/timers.ts";
import type { Connections } from "./connections.ts";

interface OpenRequest {
  /** Aborted when the client cancels the request, or closes the connection. */
  readonly signal: LightAbortSignal;
  /** Whether the response exists and is about to be sent. */
  isAnswered: boolean;
  /** Resolves when the response was sent. */
  ended: Promise<void> | undefined;
}

export class StatelessRequests {
  readonly #client: ClientConnection;
  readonly #account: Account;
  readonly #settings: Settings;
  readonly #handle: HandleStateless;
  readonly #open = new CompactMap<RequestId, OpenRequest>();

  constructor(client: ClientConnection, account: Account, { context, handleStateless }: Connections) {
    this.#client = client;
    this.#account = account;
    this.#settings = context.settings;
    this.#handle = handleStateless;
  }

  receive(message: unknown, bytes: number | undefined): void {
    const parsed = parseMessage(message);
    if (parsed.kind === "invalid") this.#send(parsed.refusal);
    if (parsed.kind !== "request") return;
    const { id } = parsed.message;
    const refusal = this.#refusalOf(id);
    if (refusal !== undefined) return this.#send(errorResponse(id, refusal));
    const request: OpenRequest = { signal: new LightAbortSignal(), isAnswered: false, ended: undefined };
    this.#open.set(id, request);
    request.ended = this.#answer(parsed.message, estimateBytes(message, bytes), request);
  }

  /** Cancels the request that `notifications/cancelled` names. Returns whether it is one of these. */
  cancel(message: unknown): boolean {
    if (!isRecord(message) || message["method"] !== "notifications/cancelled") return false;
    const requestId = isRecord(message["params"]) ? message["params"]["requestId"] : undefined;
    const request = isRequestId(requestId) ? this.#open.get(requestId) : undefined;
    request?.signal.abort();
    return request !== undefined;
  }

  /** The connection is closing. Resolves when every request has ended. */
  async close(): Promise<void> {
    const requests = this.#open.values();
    for (const { signal, isAnswered } of requests) if (!isAnswered) signal.abort();
    await Promise.all(requests.flatMap(({ ended }) => ended ?? []));
  }

  async #answer(message: Request, weight: number, request: OpenRequest): Promise<void> {
    const client = this.#client;
    const { signal } = request;
    let hasProgress = false;
    const { response } = await this.#handle(message, {
      principal: client.principal ?? "",
      account: this.#account,
      weight,
      signal,
      notify: (notification) => {
        if (signal.aborted) return undefined;
        hasProgress ||= notification.method === "notifications/progress";
        return client.send(notification);
      },
    });
    request.isAnswered = true;
    const flushing =
      hasProgress && client.mayMergeReads && !signal.aborted ? this.#flushToReader() : undefined;
    // No await without a promise: no other message may be sent in between.
    if (flushing !== undefined) await flushing;
    this.#open.delete(message.id);
    if (!signal.aborted) this.#send(response);
  }

  #refusalOf(id: RequestId): RpcError | undefined {
    const { runsPerSession } = this.#settings.limits;
    if (this.#open.has(id)) return idInUse(id);
    return this.#open.size >= runsPerSession
      ? new RpcError(
          OVER_LIMIT,
          `This connection has reached its limit of requests under way (${runsPerSession}); wait for one to end.`,
        )
      : undefined;
  }

  /** The head of connection.ts says why. 2026-07-28 has no ping from the server. */
  #flushToReader(): void | Promise<void> {
    if (this.#client.flushToReader !== undefined) return this.#client.flushToReader();
    return sleep(this.#settings.clock, READ_GAP_MS);
  }

  #send(response: Response): void {
    void withSerializationErrors(response, this.#settings.report, (json) => this.#client.send(json));
  }
}
