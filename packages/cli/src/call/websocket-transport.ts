/**
 * MCP over WebSocket for the SDK's client, which brings none: subprotocol `mcp`, one text frame is one message.
 *
 * Node 20 has no WebSocket of its own, and none that sends headers.
 */
import { parseJSONRPCMessage, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/client";
import { WebSocket } from "ws";
import type { Headers } from "./headers.ts";
import { Refused } from "./refused.ts";

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
        reject(new Refused(statusCode));
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
        // Without a failure it is called with null or with nothing.
        if (error instanceof Error) reject(error);
        else resolve();
      });
    });
  }

  /** Settles when the other side has said goodbye too. */
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
      if (isBinary) throw new Error("A message came in a binary frame.");
      this.onmessage?.(parseJSONRPCMessage(JSON.parse(frame.toString("utf8"))));
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
