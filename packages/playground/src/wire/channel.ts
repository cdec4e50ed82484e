/**
 * What carries messages to a server and back.
 *
 *   1. Nothing is heard of a channel after it was closed, lost or refused.
 *   2. Nothing in here throws for what the other side does.
 */
import type { Outgoing, RequestId } from "./message.ts";

/** What HTTP says beside a message; other channels have no place for it. */
export type Headers = { readonly [name: string]: string };

export interface Channel {
  /** How messages go, for the wire log. */
  readonly by: string;
  send(message: Outgoing, headers?: Headers): void;
  /** Cancels a request by hanging up on it. False where that is not how it is done here, and it must be said. */
  hangUp(id: RequestId): boolean;
  close(): void;
}

/** Who listens to a channel. */
export interface Ear {
  opened(): void;
  /** `about`: the request on whose stream it came, where streams are told apart. */
  heard(text: string, by: string, about?: RequestId): void;
  /** Whether a request has not been answered yet. */
  awaits(id: RequestId): boolean;
  /** A request will not be answered any more. */
  broke(id: RequestId, problem: string): void;
  /** The channel has gone, with everything that it carried. */
  lost(problem: string): void;
  /** The server does not want us like this: trying again would not help. */
  refused(problem: string): void;
}
