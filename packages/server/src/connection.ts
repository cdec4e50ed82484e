/**
 * The interfaces between transports and the server. docs/transports.md shows a transport of your own.
 *
 * Transports deliver in order, and calls send nothing after their result. But clients built on the SDK lose progress that they read
 * together with the result. Between the last progress and the result:
 *
 *   1. On a session, and in tools on an SDK server (`sdk/mount-tools.ts`), `beforeResponse` of `sessions/call-notifications.ts` waits
 *      for the answer to a ping: a second at most, then `READ_GAP_MS` for a client that does not answer pings.
 *   2. For a stateless request on a connection, `sessions/stateless-requests.ts` calls `flushToReader` (`transports/stdio.ts`,
 *      `transports/websocket.ts`); without it, it waits `READ_GAP_MS`. A response ends the notifications: `stateless/pending-request.ts`.
 *   3. Over Streamable HTTP nothing waits: a client reads both from one event stream (`mayMergeReads` is false).
 */
import type { Account } from "./accounts.ts";
import type { Message, Notification, Request, RequestId, Response } from "./jsonrpc/messages.ts";
import type { CancelSignal } from "./util/light-abort.ts";

/** The delay between the last progress and the response, where the server cannot know whether the client has read the progress. */
export const READ_GAP_MS = 10;

/**
 * A connection to one client: a pipe, a socket, an SSE stream with its POSTs, or a session of Streamable HTTP. A stateless request over
 * Streamable HTTP belongs to no connection. A transport creates one for each client that connects. It knows how messages travel, and
 * does not look at what they contain.
 */
export interface ClientConnection {
  /** Sends a message or a batch. `about`: the client's request that it belongs to. A promise delays further notifications. */
  send(message: Message | readonly Message[], about?: RequestId): void | Promise<void>;
  close(): void;
  /** Whether the client may read messages together that were sent one after the other. */
  readonly mayMergeReads: boolean;
  /**
   * Keeps the client from reading the next message together with those that were sent before. A promise: the next message is sent
   * when it resolves. Without this method, the server waits `READ_GAP_MS`, in which a busy client may not have read.
   */
  flushToReader?(): void | Promise<void>;
  /** Whether the transport carries sessions only, no stateless requests. */
  readonly sessionsOnly?: boolean;
  /** The authenticated caller; "" without this. */
  readonly principal?: string;
  /** Whose limits count; those of the principal without this. */
  readonly account?: Account;

  // Of Streamable HTTP alone, where a client can resume the stream of a request.

  /** The stream that carries the response to a request, if its client can resume it in any process. */
  readonly resumableStreamName?: ((about: RequestId) => string | undefined) | undefined;
  /** A request gets no response here: it was cancelled, or its run continues in another process, from where its client can resume it. */
  endWithoutResponse?(about: RequestId, continuesElsewhere: boolean): void;
  /** Ends the HTTP response that carries a request's stream, if the client can resume it. */
  disconnect?(about: RequestId): void;
  /** The session was terminated in another process. */
  onSessionEnded?(): void;
}

/** Receives the messages of one client. */
export interface MessageHandler {
  /** A parsed message or batch. `bytes`: its length on the wire, if that is known. */
  receive(message: unknown, bytes?: number): void;
  /** The client has disconnected. Resolves when its calls have ended, or were detached for another process. */
  close(): Promise<void>;
}

/** Opens a connection for a client. Throws when the server is full. */
export type AcceptConnection = (connection: ClientConnection) => MessageHandler;

/** The caller of a stateless request, and the way back to it. */
export interface RequestContext {
  /** The authenticated caller; "" without authentication. */
  readonly principal: string;
  /** Whose limits count. */
  readonly account: Account;
  /** The memory that the request takes, in bytes. */
  readonly weight: number;
  /** Aborted when the client cancels the request or disconnects. */
  readonly signal: CancelSignal;
  /** Sends a notification that belongs to the request, before its response. */
  notify(notification: Notification): void | Promise<void>;
  /** An HTTP header of the request, over HTTP. */
  header?(name: string): string | undefined;
}

/** The response to a stateless request, and the HTTP status that goes with it. */
export interface StatelessResponse {
  readonly response: Response;
  readonly status: number;
}

/** Answers a request of 2026-07-28, which needs no session. */
export type HandleStateless = (request: Request, caller: RequestContext) => Promise<StatelessResponse>;
