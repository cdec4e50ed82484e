/**
 * The border: a connection in the shape of the MCP SDK's `Transport`.
 *
 * Written down here, so that nothing of the SDK is needed to take one or to be
 * one; that the two are the same is tested.
 */
import type { Message, RequestId } from "../jsonrpc/messages.ts";

export interface TransportSendOptions {
  /** The request of the other side's that a message belongs to. */
  readonly relatedRequestId?: RequestId | undefined;
  readonly resumptionToken?: string | undefined;
  readonly onresumptiontoken?: ((token: string) => void) | undefined;
}

export interface Transport {
  /** Begins to receive. Called once, when the callbacks are in place. */
  start(): Promise<void>;
  send(message: Message, options?: TransportSendOptions): Promise<void>;
  close(): Promise<void>;
  /** Called once the connection is gone, whoever ended it. */
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: Message, extra?: object) => void) | undefined;
  sessionId?: string | undefined;
  setProtocolVersion?: ((version: string) => void) | undefined;
}
