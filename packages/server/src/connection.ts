import type { Account } from "./accounts.ts";
import type { Message, Notification, Request, RequestId, Response } from "./jsonrpc/messages.ts";
import type { Signal } from "./util/light-abort.ts";

/**
 * The other end of a line, as a session sees it.
 *
 * A transport makes one for each connection. It knows how messages travel, and
 * nothing of what is in them.
 */
export interface ClientConnection {
  /** Sends a message, or a batch of them. `about` is the request of the client's that it belongs to. */
  send(message: Message | readonly Message[], about?: RequestId): void | Promise<void>;
  /** A request gets no answer here: it was cancelled, or (`hasMoved`) its client can come back for it to any process. */
  requestCancelled?(about: RequestId, hasMoved: boolean): void;
  /** Ends the connection that a request came in on, where the client can come back for the rest. */
  disconnect?(about: RequestId): void;
  /** Hangs up. */
  close(): void;
  /** Its session has ended, elsewhere. */
  onSessionEnded?(): void;
  /**
   * Whether messages that were sent apart may be read together. Clients built on the SDK lose a progress notification
   * that they read together with the result.
   */
  readonly mayMergeReads: boolean;
  /** Whether only sessions are spoken here: a request that stands alone has another way in. */
  readonly sessionsOnly?: boolean;
  /** Whether clients name the session with each message: another handshake begins another session, and not in this one. */
  readonly hasSessionId?: boolean;
  /** Who it is, where that is known. */
  readonly principal?: string;
  /** What it is counted for, where its transport knows: that of its principal, without this. */
  readonly account?: Account;
  /** The name of what a request is answered on, where its client can come back for the rest: in any process that knows it. */
  readonly resumableStreamName?: ((about: RequestId) => string | undefined) | undefined;
  /** Sends an answer so that it cannot be read together with what was sent before, where there is a way to. */
  sendUnmergeable?(answer: Response): void | Promise<void>;
  /** Settles when the client has read what it was sent so far, where that can be found out without asking it anything. */
  flushToReader?(): Promise<void>;
}

/** What a transport tells about a line. */
export interface MessageHandler {
  /** A parsed message, or a batch of them, as the client sent it. `bytes`: how many it had on the wire, where that is known. */
  receive(message: unknown, bytes?: number): void;
  /** Passes on an answer that is for another process; nothing, where it is for this one. */
  forwardResponse?(message: unknown): Promise<void> | undefined;
  /** The client hung up. Settles when everything it had under way has ended, or was let go of for somebody else to go on with. */
  close(): Promise<void>;
  /** Notes for every process that the client has said that it is over. Throws where that cannot be noted: then it is not. */
  recordTermination?(): Promise<void>;
  /** The same as `close`, once that was noted: nobody goes on with anything. */
  terminate?(): Promise<void>;
  /** What another process can open the same session with, once the handshake was made; nothing, where none can. */
  readonly sharedSessionId?: string | undefined;
  /**
   * Continues a call that was answered on a stream of that name, of which this process has not everything that its client has
   * missed. Resolves with whether there is such a call, and its client still listens.
   */
  resumeStream?(stream: string, returning: Returning): Promise<boolean>;
  /** The client listens again to a stream that this process has; another process may have continued its run meanwhile. */
  resumed?(stream: string): void;
  /** The client has lost the connection on which a request is answered, and may come back for the rest to any process. */
  disconnected?(about: RequestId): void;
}

/** A client that has come back for the rest of a call. */
export interface Returning {
  /** Whether it still listens. */
  readonly isHeard: boolean;
  /** Lets it listen to the stream of the call, where this process has it by now: another request may have come for it at the same time. */
  join(): boolean;
  /** Lets it listen to a new stream, on which that request is answered. */
  listen(request: RequestId): void;
}

/** Opens a session for a client that has connected. */
export type AcceptConnection = (connection: ClientConnection) => MessageHandler;

/** Whoever sent a request that stands alone, until it is answered. */
export interface RequestContext {
  /** Who it is, where that is known; "" otherwise. */
  readonly principal: string;
  /** What the request is counted for. */
  readonly account: Account;
  /** How much memory the request takes, in bytes. */
  readonly weight: number;
  /** Aborted when the answer is no longer wanted. */
  readonly signal: Signal;
  /** Tells something that belongs to the request, before its answer. */
  notify(notification: Notification): void | Promise<void>;
  /** A header of the request, where requests have any. */
  header?(name: string): string | undefined;
}

/** What answers a request that stands alone, and the HTTP status that goes with it. */
export interface StatelessResponse {
  readonly response: Response;
  readonly status: number;
}

/** Answers a request that stands alone. */
export type HandleStateless = (request: Request, caller: RequestContext) => Promise<StatelessResponse>;
