/** The load client's connection to a server: it sends and receives messages as text. Messages are ASCII here, so a character is a byte. */
import type { Readable, Writable } from "node:stream";

export type Transport = "stdio" | "websocket" | "http" | "sse";
export type Revision = "2025-11-25" | "2026-07-28";
export const MODERN = "2026-07-28";

/** The pipes and the port of a server. */
export interface Address {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly port: number;
}

export interface Connection {
  /** Sends a message. `name` is the tool that it calls: Streamable HTTP of 2026-07-28 repeats it in a header. */
  send(text: string, name?: string): void;
  /** Opens the stream for messages that belong to no request, on a transport that has one. */
  openGetStream?(): void;
  close(): void;
}

export interface ConnectionHandler {
  onMessage(text: string): void;
  /** The connection was lost, or the server refused a request. No message follows. */
  onError(error: Error): void;
}
