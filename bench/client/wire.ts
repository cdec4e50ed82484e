/** How the load client talks to a server: texts out, texts in. Messages are ASCII here, so a character is a byte. */
import type { Readable, Writable } from "node:stream";

export type Transport = "stdio" | "websocket" | "http" | "sse";
export type Revision = "2025-11-25" | "2026-07-28";
export const MODERN = "2026-07-28";

/** Where a server is: at its pipes, and at its port. */
export interface Address {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly port: number;
}

export interface Wire {
  /** Sends a message. `name` is what it calls, which Streamable HTTP of 2026-07-28 repeats in a header. */
  send(text: string, name?: string): void;
  /** Opens a stream for what belongs to no request, where the transport has one. */
  listen?(): void;
  close(): void;
}

/** Who hears what comes over a wire. */
export interface Ears {
  hear(text: string): void;
  /** Nothing more is heard: the server has gone, or has refused something. */
  fail(error: Error): void;
}
