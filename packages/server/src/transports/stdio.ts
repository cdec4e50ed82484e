/**
 * MCP over stdio: one process is one session, one line is one message.
 *
 * Lines are cut out of the bytes, so that neither a message nor a character
 * needs to come in one read.
 */
import type { Readable } from "node:stream";
import { GrowingBuffer } from "../util/growing-buffer.ts";
import { parseJson, isNotification, type Message } from "../jsonrpc/messages.ts";
import { errorResponse, INVALID_REQUEST, RpcError } from "../jsonrpc/errors.ts";
import type { AcceptConnection } from "../connection.ts";
import type { Settings } from "../settings.ts";
import { WriteBatcher, waitForDrain } from "./write-buffer.ts";

export interface StdioConnection {
  /** Settles when the session has ended and everything it said was written. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** What is written to: a stream, as far as it is needed. */
export interface Output {
  readonly destroyed: boolean;
  /** How much waits to be read, in bytes. */
  readonly writableLength: number;
  /** Whether it is full, for now. */
  readonly writableNeedDrain: boolean;
  write(text: string | Uint8Array, done?: () => void): unknown;
  on(event: string, listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
}

const NEWLINE = 0x0a;
/** The most that a client reads at once, in bytes. It is that of Node, which clients built on the SDK run on. */
const ONE_READ = 64 * 1024;
/** How long the last that was said may take to be read, in milliseconds. */
const CLOSE_TIMEOUT_MS = 1000;

export function serveStdio(
  open: AcceptConnection,
  input: Readable,
  output: Output,
  { limits, clock }: Pick<Settings, "limits" | "clock">,
): StdioConnection {
  /** What is said in this turn. */
  let said = "";
  const corked = new WriteBatcher({
    cork() {},
    uncork() {
      const text = said;
      said = "";
      output.write(text);
    },
  });
  const send = (message: Message | readonly Message[], isApart = false): void | Promise<void> => {
    const text = JSON.stringify(message);
    if (output.destroyed) return undefined;
    if (output.writableLength + said.length > limits.queueBytes) return void close();
    corked.hold();
    if (isApart) {
      said += text;
      corked.flush();
      output.write(readPadding(Buffer.byteLength(text)));
    } else said += `${text}\n`;
    if (output.writableNeedDrain) return waitForDrain(output);
    return isNotification(message) ? corked.flushed() : undefined;
  };
  const line = open({
    send: (message) => send(message),
    sendUnmergeable: (answer) => send(answer, true),
    close: () => void close(),
    mayMergeReads: true,
  });
  const lines = new LineSplitter(limits.messageBytes);

  const take = (text: string | undefined): void => {
    if (text === undefined) {
      const sentence = `A message has at most ${limits.messageBytes} bytes.`;
      void send(errorResponse(undefined, new RpcError(INVALID_REQUEST, sentence)));
    } else if (text.trim() !== "") {
      const decoded = parseJson(text, limits);
      if ("refusal" in decoded) void send(decoded.refusal);
      else line.receive(decoded.value, text.length);
    }
  };
  const read = (chunk: Buffer): void => {
    lines.cut(chunk, take);
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
      corked.flush();
      await written(output, clock);
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

let padding: Buffer | undefined;

/**
 * The end of a line that has so many bytes: blanks, which are none of its meaning, let it end in another read than the line
 * before it, however late it is read. It is as long as one read and no longer: some clients take no line that is.
 */
function readPadding(length: number): Buffer {
  padding ??= Buffer.from("\n".padStart(ONE_READ));
  return padding.subarray(Math.min(length, ONE_READ - 1));
}

/** Settles when everything was written, nobody reads any more, or whoever does takes too long. */
async function written(output: Output, clock: Settings["clock"]): Promise<void> {
  if (output.writableLength === 0 || output.destroyed) return;
  await new Promise<void>((resolve) => {
    const stop = clock.after(CLOSE_TIMEOUT_MS, resolve);
    output.write("", () => {
      stop();
      resolve();
    });
  });
}

/** Cuts bytes into lines. One that is too long comes out as nothing. */
class LineSplitter {
  readonly #most: number;
  #kept = new GrowingBuffer();
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  cut(chunk: Buffer, take: (line: string | undefined) => void): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      // Most lines come in one read.
      if (this.#size === 0 && end - start <= this.#most) take(chunk.toString("utf8", start, end));
      else take(this.#end(chunk.subarray(start, end)));
      start = end + 1;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  /** The line that ends with this. */
  #end(part: Buffer): string | undefined {
    this.#add(part);
    const line = this.#size > this.#most ? undefined : this.#kept.toString();
    this.#kept = new GrowingBuffer();
    this.#size = 0;
    return line;
  }

  #add(part: Buffer): void {
    this.#size += part.length;
    // What is too long is counted and not kept.
    if (this.#size > this.#most) this.#kept = new GrowingBuffer();
    else if (part.length > 0) this.#kept.append(part);
  }
}
