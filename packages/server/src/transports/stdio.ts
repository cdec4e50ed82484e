/**
 * MCP over stdio: one process is one session, one line is one message.
 *
 * Lines are cut out of the bytes, so that neither a message nor a character
 * needs to come in one read.
 */
import type { Readable, Writable } from "node:stream";
import { decode } from "../rpc/decode.ts";
import { errorResponse, INVALID_REQUEST, RpcError } from "../rpc/errors.ts";
import type { Message } from "../rpc/message.ts";
import type { Open } from "../rpc/peer.ts";
import type { Limits } from "../settings.ts";

export interface StdioLine {
  /** Settles when the session has ended and everything it said was written. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

const NEWLINE = 0x0a;

export function serveStdio(open: Open, input: Readable, output: Writable, limits: Limits): StdioLine {
  const send = (message: Message | readonly Message[]): void | Promise<void> => {
    if (output.destroyed) return undefined;
    if (output.writableLength > limits.queueBytes) return void close();
    const isTaken = output.write(`${JSON.stringify(message)}\n`);
    return isTaken ? undefined : drained(output);
  };
  const line = open({ send, close: () => void close(), coalesces: true });
  const lines = new Lines(limits.messageBytes);

  const read = (chunk: Buffer): void => {
    for (const text of lines.cut(chunk)) {
      if (text === undefined) {
        void send(
          errorResponse(
            undefined,
            new RpcError(INVALID_REQUEST, `A message has at most ${limits.messageBytes} bytes.`),
          ),
        );
      } else if (text.trim() !== "") {
        const decoded = decode(text);
        if ("refusal" in decoded) void send(decoded.refusal);
        else line.receive(decoded.value);
      }
    }
  };

  let closing: Promise<void> | undefined;
  let settle = (): void => {};
  const closed = new Promise<void>((resolve) => {
    settle = resolve;
  });
  function close(): Promise<void> {
    closing ??= (async () => {
      input.off("data", read);
      input.pause();
      await line.close();
      if (output.writableLength > 0 && !output.destroyed) await drained(output);
      settle();
    })();
    return closing;
  }

  input.on("data", read);
  for (const end of ["end", "close", "error"]) input.once(end, () => void close());
  // Whoever read what we write is gone.
  output.on("error", () => void close());
  return { closed, close };
}

function drained(output: Writable): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ["drain", "close", "error"]) output.once(event, () => resolve());
  });
}

/** Cuts bytes into lines. One that is too long comes out as nothing. */
class Lines {
  readonly #most: number;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  *cut(chunk: Buffer): Generator<string | undefined> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, end));
      yield this.#size > this.#most ? undefined : Buffer.concat(this.#parts).toString("utf8");
      this.#parts = [];
      this.#size = 0;
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
  }

  #add(part: Buffer): void {
    this.#size += part.length;
    // What is too long is counted and not kept.
    if (this.#size > this.#most) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }
}
