// oxlint-disable typescript/no-deprecated -- the transport of servers that have no other
import { SSEClientTransport, SseError } from "@modelcontextprotocol/client";

/** HTTP+SSE, where a session that lost its stream is over: a new stream would be another session. */
export class SseTransport extends SSEClientTransport {
  override async start(): Promise<void> {
    await super.start();
    const { onerror } = this;
    const listener = (error: Error): void => {
      onerror?.(error);
      if (error instanceof SseError) void this.close();
    };
    Object.assign(this, { onerror: listener });
  }
}
