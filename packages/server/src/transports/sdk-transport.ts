/**
 * The border: a connection in the shape of the MCP SDK's `Transport`.
 *
 * Written down here, so that nothing of the SDK is needed to take one or to be
 * one; that the two are the same is tested.
 */
import type { Message, RequestId, Response } from "../jsonrpc/messages.ts";
import { errorResponse, isJson, toRpcError } from "../jsonrpc/errors.ts";
import type { AcceptConnection } from "../connection.ts";

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

/** MCP over whatever has the shape of the SDK's `Transport`: one transport is one session. */

interface ServedTransport {
  /** Settles when the session has ended. */
  readonly closed: Promise<void>;
  /** Hangs up. */
  close(): Promise<void>;
}

/** Serves the client at the other end. Whoever listened to the transport before goes on listening. */
export async function serveTransport(
  open: AcceptConnection,
  transport: Transport,
  report: (error: unknown) => void,
): Promise<ServedTransport> {
  const { onmessage, onclose, onerror } = transport;
  const line = open({
    mayMergeReads: true,
    async send(message, about) {
      // There are no batches at this border: what answers one goes out one by one.
      for (const one of [message].flat()) {
        try {
          await transport.send(one, { relatedRequestId: about });
        } catch (error) {
          const problem = toRpcError(error, report);
          if (!isResponse(one) || isJson(one)) continue;
          // An author made it so, and whoever asked still waits.
          await transport.send(errorResponse(one.id, problem), { relatedRequestId: about }).catch(report);
        }
      }
    },
    close: () => void transport.close().catch(report),
  });
  let hangUp = (): void => {};
  const closed = new Promise<void>((resolve) => {
    hangUp = () => resolve(line.close());
  });

  Object.assign(transport, {
    onmessage(message, extra) {
      onmessage?.(message, extra);
      line.receive(message);
    },
    onclose() {
      onclose?.();
      hangUp();
    },
    onerror(error) {
      onerror?.(error);
      report(error);
    },
  } satisfies Pick<Transport, "onmessage" | "onclose" | "onerror">);
  try {
    await transport.start();
  } catch (error) {
    hangUp();
    throw error;
  }
  return {
    closed,
    async close() {
      await transport.close();
      // Not every transport tells that it was closed by this side.
      hangUp();
      await closed;
    },
  };
}

const isResponse = (message: Message): message is Response => !("method" in message);
