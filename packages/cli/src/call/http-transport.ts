import { isJSONRPCRequest, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

type Send = StreamableHTTPClientTransport["send"];

/**
 * Streamable HTTP, where a stream that is over without its response is one.
 *
 * The SDK's own leaves whoever called waiting until the timeout: the server that sent the stream may be dead.
 */
export class HttpTransport extends StreamableHTTPClientTransport {
  override send(message: Parameters<Send>[0], options: NonNullable<Parameters<Send>[1]> = {}): Promise<void> {
    if (Array.isArray(message) || !isJSONRPCRequest(message)) return super.send(message, options);
    const { id } = message;
    return super.send(message, {
      ...options,
      onRequestStreamEnd: () => {
        options.onRequestStreamEnd?.();
        // To a request that had its response this is an answer too many, which the client leaves alone.
        this.onmessage?.({ jsonrpc: "2.0", id, error: { code: HUNG_UP, message: CUT } });
      },
    });
  }
}

/** What is said of a stream that was cut; no server says it. */
export const CUT = "The stream of the call was cut.";
const HUNG_UP = -32_000;
