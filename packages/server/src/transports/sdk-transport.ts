/**
 * Serves the client of an MCP SDK transport. The SDK's `Transport` is declared here, so that the SDK need not be installed; a test
 * compares the two.
 */
import { isResponse, type Message, type RequestId } from "../jsonrpc/messages.ts";
import { errorResponse, isJson, toRpcError } from "../jsonrpc/errors.ts";
import type { AcceptConnection } from "../connection.ts";
import { deferred } from "../util/timers.ts";

/** What the SDK passes to a transport beside a message. */
export interface TransportSendOptions {
  /** The request of the other side that a message belongs to. */
  readonly relatedRequestId?: RequestId | undefined;
  readonly resumptionToken?: string | undefined;
  readonly onresumptiontoken?: ((token: string) => void) | undefined;
}

/** A transport of the official SDK, which `connect` accepts. */
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
      const options = { relatedRequestId: about };
      // The SDK has no batches.
      for (const one of [message].flat()) {
        try {
          await transport.send(one, options);
        } catch (error) {
          const problem = toRpcError(error, report);
          // If a tool returned a value that is not JSON, the client still waits for a response.
          if (isResponse(one) && !isJson(one))
            await transport.send(errorResponse(one.id, problem), options).catch(report);
        }
      }
    },
    close: () => void transport.close().catch(report),
  });
  const closed = deferred();
  const closeHandler = (): void => closed.resolve(handler.close());

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
    closed: closed.promise,
    async close() {
      await transport.close();
      // Not every transport calls `onclose` when this side closes it.
      closeHandler();
      await closed.promise;
    },
  };
}
