import type { Account } from "./accounts.ts";
import type { Message, Notification, Request, RequestId, Response } from "./jsonrpc/messages.ts";
import type { CancelSignal } from "./util/light-abort.ts";

/**
 * A connection to one client. A transport creates one for each client that connects. It knows how messages travel, and does not
 * look at what they contain.
 */
export interface ClientConnection {
  /** Sends a message or a batch. `about`: the client's request that it belongs to. A promise delays further notifications. */
  send(message: Message | readonly Message[], about?: RequestId): void | Promise<void>;
  close(): void;
  /**
   * Whether the client may read messages that were sent apart in one read. Clients built on the SDK lose a progress notification
   * that they read together with the result.
   */
  readonly mayMergeReads: boolean;
  /** Resolves when the client has read what was sent so far, where the transport can find out by itself. */
  flushToReader?(): Promise<void>;
  /** Sends a response so that the client cannot read it together with earlier messages, where the transport can do that. */
  sendUnmergeable?(response: Response): void | Promise<void>;
  /** Whether the transport carries sessions only, no stateless requests. */
  readonly sessionsOnly?: boolean;
  /** The authenticated caller; "" without this. */
  readonly principal?: string;
  /** Whose limits count; those of the principal without this. */
  readonly account?: Account;
  /** The stream that carries the response to a request, where its client can resume it in any process. */
  readonly resumableStreamName?: ((about: RequestId) => string | undefined) | undefined;
  /** A request gets no response here: it was cancelled, or (`hasMoved`) its client can resume it in any process. */
  requestCancelled?(about: RequestId, hasMoved: boolean): void;
  /** Ends the HTTP response that carries a request's stream, where the client can resume it. */
  disconnect?(about: RequestId): void;
  /** The session was terminated in another process. */
  onSessionEnded?(): void;
}

/** Receives what a client sends. */
export interface MessageHandler {
  /** A parsed message or batch. `bytes`: its length on the wire, where that is known. */
  receive(message: unknown, bytes?: number): void;
  /** The client has disconnected. Resolves when its calls have ended, or were detached for another process. */
  close(): Promise<void>;
}

/** Opens a connection for a client. Throws when the server is full. */
export type AcceptConnection = (connection: ClientConnection) => MessageHandler;

/** Where a stateless request comes from. */
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
