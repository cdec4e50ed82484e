/** The MCP SDK's `Transport`, and serving one. Declared here, so that the SDK need not be installed; a test compares the two. */
import type { Message, RequestId, Response } from "../jsonrpc/messages.ts";
import { errorResponse, isJson, toRpcError } from "../jsonrpc/errors.ts";
import type { AcceptConnection } from "../connection.ts";

export interface TransportSendOptions {
  /** The request of the other side that a message belongs to. */
  readonly relatedRequestId?: RequestId | undefined;
  readonly resumptionToken?: string | undefined;
  readonly onresumptiontoken?: ((token: string) => void) | undefined;
}

export interface Transport {
  /** Starts to receive. Called once, after the callbacks were set. */
  start(): Promise<void>;
  send(message: Message, options?: TransportSendOptions): Promise<void>;
  close(): Promise<void>;
  /** Called when the connection has closed, by either side. */
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: Message, extra?: object) => void) | undefined;
  sessionId?: string | undefined;
  setProtocolVersion?: ((version: string) => void) | undefined;
}

interface ServedTransport {
  /** Resolves when the session has ended. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** Serves the client of a transport. Callbacks that were set before are still called. */
export async function serveTransport(
  accept: AcceptConnection,
  transport: Transport,
  report: (error: unknown) => void,
): Promise<ServedTransport> {
  const { onmessage, onclose, onerror } = transport;
  const handler = accept({
    mayMergeReads: true,
    async send(message, about) {
      // The SDK has no batches.
      for (const one of [message].flat()) {
        try {
          await transport.send(one, { relatedRequestId: about });
        } catch (error) {
          const problem = toRpcError(error, report);
          if (!isResponse(one) || isJson(one)) continue;
          // A tool returned what is not JSON; the client waits for a response.
          await transport.send(errorResponse(one.id, problem), { relatedRequestId: about }).catch(report);
        }
      }
    },
    close: () => void transport.close().catch(report),
  });
  let closeHandler = (): void => {};
  const closed = new Promise<void>((resolve) => {
    closeHandler = () => resolve(handler.close());
  });

  Object.assign(transport, {
    onmessage(message, extra) {
      onmessage?.(message, extra);
      handler.receive(message);
    },
    onclose() {
      onclose?.();
      closeHandler();
    },
    onerror(error) {
      onerror?.(error);
      report(error);
    },
  } satisfies Pick<Transport, "onmessage" | "onclose" | "onerror">);
  try {
    await transport.start();
  } catch (error) {
    closeHandler();
    throw error;
  }
  return {
    closed,
    async close() {
      await transport.close();
      // Not every transport calls `onclose` when this side closes it.
      closeHandler();
      await closed;
    },
  };
}

const isResponse = (message: Message): message is Response => !("method" in message);
