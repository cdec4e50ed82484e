// oxlint-disable typescript/no-deprecated -- SSE is the transport of servers that have no other
/** The transports of `photon call`, as transports of the SDK's client. */
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import {
  isJSONRPCRequest,
  parseJSONRPCMessage,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { WebSocket } from "ws";
import type { Headers } from "./server-address.ts";

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

/** The server refused a WebSocket with this HTTP status. */
class ConnectionRefused extends Error {
  override readonly name = "ConnectionRefused";
  readonly status: number;

  constructor(status: number) {
    super(`The server refused the connection (HTTP ${status}).`);
    this.status = status;
  }
}

/**
 * WebSocket, for which the SDK has no client: subprotocol `mcp`, one text frame is one message.
 *
 * With `ws`: Node 20 has no WebSocket, and that of later versions sends no headers.
 */
export class WebSocketTransport implements Transport {
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];
  onmessage?: Transport["onmessage"];
  readonly #url: URL;
  readonly #headers: Headers;
  #socket: WebSocket | undefined;

  constructor(url: URL, headers: Headers) {
    this.#url = url;
    this.#headers = headers;
  }

  start(): Promise<void> {
    const socket = new WebSocket(this.#url, "mcp", { headers: this.#headers });
    this.#socket = socket;
    socket.on("message", (frame: Buffer, isBinary) => this.#receive(frame, isBinary));
    socket.on("close", () => this.onclose?.());
    return new Promise((resolve, reject) => {
      socket.on("open", resolve);
      socket.on("unexpected-response", (request, { statusCode = 0 }) => {
        reject(new ConnectionRefused(statusCode));
        request.destroy();
      });
      socket.on("error", (error) => {
        reject(error);
        this.onerror?.(error);
      });
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined) return Promise.reject(new Error("The socket is not open."));
    return new Promise((resolve, reject) => {
      socket.send(JSON.stringify(message), (error) => {
        // Without a failure, the argument is null or undefined.
        if (error instanceof Error) reject(error);
        else resolve();
      });
    });
  }

  /** Resolves when the server has closed the socket too. */
  close(): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined || socket.readyState === WebSocket.CLOSED) return Promise.resolve();
    return new Promise((resolve) => {
      socket.once("close", () => resolve());
      socket.close();
    });
  }

  #receive(frame: Buffer, isBinary: boolean): void {
    try {
      if (isBinary) throw new Error("The server sent a message in a binary frame.");
      this.onmessage?.(parseJSONRPCMessage(JSON.parse(frame.toString("utf8"))));
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
