// oxlint-disable typescript/no-deprecated -- SSE is the transport of servers that have no other
/** The transports of `photon call` that the SDK's client has, with what they lack. */
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import {
  isJSONRPCRequest,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/** How long a command may take to end after its stdin was closed. The SDK gives it two seconds. */
const COMMAND_EXIT_MS = 500;

/**
 * Starts a command and connects to its stdin and stdout.
 *
 * A subclass, because the client would start a second process of the SDK's own class to find out which revision the
 * server speaks, and a command may do anything.
 */
export class CommandTransport extends StdioClientTransport {
  /** `onStderrLine` receives what the command writes to stderr. */
  constructor(
    command: { readonly command: string; readonly args: readonly string[] },
    { env, cwd }: { readonly env: Readonly<Record<string, string | undefined>>; readonly cwd: string },
    onStderrLine: (line: string) => void,
  ) {
    const variables = Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    super({
      command: command.command,
      args: [...command.args],
      cwd,
      // The whole environment: the user started the command, as in a shell.
      env: Object.fromEntries(variables),
      stderr: "pipe",
    });
    if (this.stderr instanceof Readable) createInterface({ input: this.stderr }).on("line", onStderrLine);
  }

  /** Many servers do not exit when their stdin ends. */
  override async close(): Promise<void> {
    const { pid } = this;
    const terminate = (): void => {
      try {
        if (pid !== null) process.kill(pid, "SIGTERM");
      } catch {
        // It has exited, and a process that it started holds its pipes.
      }
    };
    const timer = setTimeout(terminate, COMMAND_EXIT_MS);
    await super.close();
    clearTimeout(timer);
  }
}

type Send = StreamableHTTPClientTransport["send"];

/** The message of the error response that `HttpTransport` creates. No server sends it. */
export const STREAM_CUT = "The stream of the call was cut.";
const CONNECTION_CLOSED = -32_000;

/**
 * Streamable HTTP. A stream that ends without its response fails the request.
 *
 * The SDK's class leaves the request pending until the timeout, although the server may be dead.
 */
export class HttpTransport extends StreamableHTTPClientTransport {
  override send(message: Parameters<Send>[0], options: NonNullable<Parameters<Send>[1]> = {}): Promise<void> {
    if (Array.isArray(message) || !isJSONRPCRequest(message)) return super.send(message, options);
    const { id } = message;
    return super.send(message, {
      ...options,
      onRequestStreamEnd: () => {
        options.onRequestStreamEnd?.();
        // If the response has arrived, the client ignores this one.
        this.onmessage?.({ jsonrpc: "2.0", id, error: { code: CONNECTION_CLOSED, message: STREAM_CUT } });
      },
    });
  }
}

/** HTTP+SSE. A lost stream closes the connection: a new stream would be a new session. */
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
