import type { Message, RequestId } from "./message.ts";

/**
 * The other end of a line, as a session sees it.
 *
 * A transport makes one for each connection. It knows how messages travel, and
 * nothing of what is in them.
 */
export interface Peer {
  /** Sends a message, or a batch of them. `about` is the request of the client's that it belongs to. */
  send(message: Message | readonly Message[], about?: RequestId): void | Promise<void>;
  /** A request was cancelled, and gets no answer. */
  unanswered?(about: RequestId): void;
  /** Ends the connection that a request came in on, where the client can come back for the rest. */
  disconnect?(about: RequestId): void;
  /** Hangs up. */
  close(): void;
  /**
   * Whether messages that were sent apart may be read together. Clients built on the SDK lose a progress notification
   * that they read together with the result.
   */
  readonly coalesces: boolean;
}

/** What a transport tells about a line. */
export interface Line {
  /** A parsed message, or a batch of them, as the client sent it. */
  receive(message: unknown): void;
  /** The client hung up. Settles when everything it had under way has ended. */
  close(): Promise<void>;
}

/** Opens a session for a client that has connected. */
export type Open = (peer: Peer) => Line;
