/**
 * MCP over WebSocket, for which the SDK has no client: subprotocol `mcp`, one text frame is one message.
 *
 * With `ws`: Node 20 has no WebSocket, and that of later versions sends no headers.
 */
import { parseJSONRPCMessage, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/client";
import { WebSocket } from "ws";
import type { RequestHeaders } from "./server-address.ts";

/** The server refused a WebSocket with this HTTP status. */
class ConnectionRefused extends Error {
  override readonly name = "ConnectionRefused";
  readonly status: number;

  constructor(status: number) {
    super(`The server refused the connection (HTTP ${status}).`);
    this.status = status;
  }
}

export class WebSocketTransport implements Transport {
  onclose?: Transport["onclose"];
  onerror?: Transport["onerror"];
  onmessage?: Transport["onmessage"];
  readonly #url: URL;
  readonly #headers: RequestHeaders;
  /** The open socket. The tests cut it. */
  protected socket: WebSocket | undefined;

  constructor(url: URL, headers: RequestHeaders) {
    this.#url = url;
    this.#headers = headers;
  }

  start(): Promise<void> {
    const socket = new WebSocket(this.#url, "mcp", { headers: this.#headers });
    this.socket = socket;
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
    const socket = this.socket;
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
    const socket = this.socket;
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
