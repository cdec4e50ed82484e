import type { IncomingMessage, ServerResponse } from "node:http";
import type { Account, Accounts } from "./accounts.ts";
import type { Inbox } from "./durable/inbox.ts";
import type { Message, Notification, Request, RequestId, Response, Wire } from "./jsonrpc/messages.ts";

/**
 * The other end of a line, as a session sees it.
 *
 * A transport makes one for each connection. It knows how messages travel, and
 * nothing of what is in them.
 */
export interface Peer {
  /** Sends a message, or a batch of them. `about` is the request of the client's that it belongs to. */
  send(message: Message | readonly Message[], about?: RequestId): void | Promise<void>;
  /** A request gets no answer here: it was cancelled, or (`hasMoved`) its client can come back for it to any process. */
  unanswered?(about: RequestId, hasMoved: boolean): void;
  /** Ends the connection that a request came in on, where the client can come back for the rest. */
  disconnect?(about: RequestId): void;
  /** Hangs up. */
  close(): void;
  /** Its session has ended, elsewhere. */
  over?(): void;
  /**
   * Whether messages that were sent apart may be read together. Clients built on the SDK lose a progress notification
   * that they read together with the result.
   */
  readonly coalesces: boolean;
  /** Whether only sessions are spoken here: a request that stands alone has another way in. */
  readonly isForSessions?: boolean;
  /** Whether clients name the session with each message: another handshake begins another session, and not in this one. */
  readonly hasSessionId?: boolean;
  /** Who it is, where that is known. */
  readonly principal?: string;
  /** What it is counted for, where its transport knows: that of its principal, without this. */
  readonly account?: Account;
  /** The name of what a request is answered on, where its client can come back for the rest: in any process that knows it. */
  readonly streamOf?: ((about: RequestId) => string | undefined) | undefined;
  /** Sends an answer so that it cannot be read together with what was sent before, where there is a way to. */
  sendApart?(answer: Response): void | Promise<void>;
  /** Settles when the client has read what it was sent so far, where that can be found out without asking it anything. */
  untilRead?(): Promise<void>;
}

/** What a transport tells about a line. */
export interface Line {
  /** A parsed message, or a batch of them, as the client sent it. `bytes`: how many it had on the wire, where that is known. */
  receive(message: unknown, bytes?: number): void;
  /** Passes on an answer that is for another process; nothing, where it is for this one. */
  passOn?(message: unknown): Promise<void> | undefined;
  /** The client hung up. Settles when everything it had under way has ended, or was let go of for somebody else to go on with. */
  close(): Promise<void>;
  /** Notes for every process that the client has said that it is over. Throws where that cannot be noted: then it is not. */
  noteEnd?(): Promise<void>;
  /** The same as `close`, once that was noted: nobody goes on with anything. */
  end?(): Promise<void>;
  /** What another process can open the same session with, once the handshake was made; nothing, where none can. */
  readonly passport?: string | undefined;
  /**
   * Continues a call that was answered on a stream of that name, of which this process has not everything that its client has
   * missed. Resolves with whether there is such a call, and its client still listens.
   */
  comeBack?(stream: string, returning: Returning): Promise<boolean>;
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
export type Open = (peer: Peer) => Line;

/** As much of an `AbortSignal` as tells that something is no longer wanted. */
export interface Signal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Whoever sent a request that stands alone, until it is answered. */
export interface Caller {
  /** Who it is, where that is known; "" otherwise. */
  readonly principal: string;
  /** What the request is counted for. */
  readonly account: Account;
  /** How much memory the request takes, in bytes. */
  readonly weight: number;
  /** Aborted when the answer is no longer wanted. */
  readonly signal: Signal;
  /** Tells something that belongs to the request, before its answer. */
  tell(notification: Notification): void | Promise<void>;
  /** A header of the request, where requests have any. */
  header?(name: string): string | undefined;
}

/** What answers a request that stands alone, and the HTTP status that goes with it. */
export interface Answer {
  readonly response: Response;
  readonly status: number;
}

/** Answers a request that stands alone. */
export type Exchange = (request: Request, caller: Caller) => Promise<Answer>;

/** What transports lead to. */
export interface Inside {
  readonly open: Open;
  /** What opens a session that was begun in another process, by its passport; nothing, where there is none, or it is not theirs. */
  readonly reopen?: ((passport: string, principal: string) => Promise<Open | undefined>) | undefined;
  /** Nothing, where only sessions are spoken. */
  readonly exchange?: Exchange;
  /** What there is to say of how the server is. */
  readonly health?: (principal: string) => Wire;
  /** Why no requests should be sent here right now, if that is so; in words that anybody may read. */
  readonly unready?: () => Promise<string | undefined>;
  /** Answers a request for a page, where there are any. */
  readonly page?: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** What durable runs wait for, where a store keeps them. */
  readonly inbox?: Inbox | undefined;
  /** What each principal uses: whether there is room for one more session, for example. */
  readonly accounts: Accounts;
}
