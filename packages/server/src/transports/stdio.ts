/**
 * MCP over stdio: one line is one message.
 *
 *   1. Lines are split as bytes: neither a message nor a character has to arrive in one read.
 *   2. While the stdout of this process is served, other writes to it go to stderr.
 */
import type { Readable } from "node:stream";
import { GrowingBuffer } from "../util/growing-buffer.ts";
import { parseJson, isNotification, type Message } from "../jsonrpc/messages.ts";
import { errorResponse, INVALID_REQUEST, RpcError } from "../jsonrpc/errors.ts";
import type { AcceptConnection } from "../connection.ts";
import { StdioInUse } from "../errors.ts";
import type { Settings } from "../settings.ts";
import { deferred, withTimeout } from "../util/timers.ts";
import { WriteBatcher, waitForDrain } from "./write-buffer.ts";

export interface StdioConnection {
  /** Resolves when the connection has closed and its output was written. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** The part of a Writable that is used. */
interface Output {
  readonly destroyed: boolean;
  readonly writableLength: number;
  readonly writableNeedDrain: boolean;
  write(text: string | Uint8Array, done?: () => void): unknown;
  on(event: string, listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
}

const NEWLINE = 0x0a;
/** How long a client may take to read the last output. */
const CLOSE_TIMEOUT_MS = 1000;

export function serveStdio(
  accept: AcceptConnection,
  input: Readable,
  output: Output,
  { limits, clock }: Settings,
): StdioConnection {
  /** The output of this tick. */
  let pending = "";
  let isNextPadded = false;
  const batcher = new WriteBatcher({
    cork() {},
    uncork() {
      const text = pending;
      pending = "";
      output.write(text);
    },
  });
  const send = (message: Message | readonly Message[]): void | Promise<void> => {
    const text = JSON.stringify(message);
    if (output.destroyed) return undefined;
    if (output.writableLength + pending.length > limits.queueBytes) return void close();
    batcher.hold();
    pending += text;
    if (isNextPadded) {
      isNextPadded = false;
      batcher.flush();
      output.write(paddingAfter(Buffer.byteLength(text)));
    } else pending += "\n";
    if (output.writableNeedDrain) return waitForDrain(output);
    return isNotification(message) ? batcher.flushed() : undefined;
  };
  const handler = accept({
    send,
    close: () => void close(),
    mayMergeReads: true,
    flushToReader() {
      isNextPadded = true;
    },
  });
  const splitter = new LineSplitter(limits.messageBytes);

  const onLine = (text: string | undefined): void => {
    if (text === undefined) {
      const sentence = `A message has at most ${limits.messageBytes} bytes.`;
      void send(errorResponse(undefined, new RpcError(INVALID_REQUEST, sentence)));
    } else if (text.trim() !== "") {
      const decoded = parseJson(text, limits);
      if ("refusal" in decoded) void send(decoded.refusal);
      else handler.receive(decoded.value, text.length);
    }
  };
  const read = (chunk: Buffer): void => {
    splitter.split(chunk, onLine);
  };

  let closing: Promise<void> | undefined;
  const closed = deferred();
  function close(): Promise<void> {
    closing ??= (async () => {
      input.off("data", read);
      input.pause();
      await handler.close();
      batcher.flush();
      await untilWritten(output, clock);
      closed.resolve();
    })();
    return closing;
  }

  input.on("data", read);
  for (const end of ["end", "close", "error"]) input.once(end, () => void close());
  // The client has closed its end.
  output.on("error", () => void close());
  return { closed: closed.promise, close };
}

/** The most that a client on Node, as those built on the SDK are, reads at once, in bytes. */
const MAX_READ = 64 * 1024;
let padding: Buffer | undefined;

/**
 * The end of a line of `length` bytes: spaces make it as long as one read, so that the client cannot read its newline together with
 * the line before. Not longer: some clients limit the length of a line to 64 KiB.
 */
function paddingAfter(length: number): Buffer {
  padding ??= Buffer.from("\n".padStart(MAX_READ));
  return padding.subarray(Math.min(length, MAX_READ - 1));
}

/** Resolves when everything was written, or after CLOSE_TIMEOUT_MS. */
async function untilWritten(output: Output, clock: Settings["clock"]): Promise<void> {
  if (output.writableLength === 0 || output.destroyed) return;
  const flushed = deferred();
  output.write("", flushed.resolve);
  await withTimeout(flushed.promise, clock, CLOSE_TIMEOUT_MS);
}

/** Splits bytes into lines. A line that is too long becomes `undefined`. */
class LineSplitter {
  readonly #maxBytes: number;
  #partial = new GrowingBuffer();
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  split(chunk: Buffer, onLine: (line: string | undefined) => void): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      // Most lines arrive in one read.
      if (this.#size === 0 && end - start <= this.#maxBytes) onLine(chunk.toString("utf8", start, end));
      else onLine(this.#end(chunk.subarray(start, end)));
      start = end + 1;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  #end(part: Buffer): string | undefined {
    this.#add(part);
    const line = this.#size > this.#maxBytes ? undefined : this.#partial.toString();
    this.#partial = new GrowingBuffer();
    this.#size = 0;
    return line;
  }

  #add(part: Buffer): void {
    this.#size += part.length;
    // The bytes of a line that is too long are counted, and not stored.
    if (this.#size > this.#maxBytes) this.#partial = new GrowingBuffer();
    else if (part.length > 0) this.#partial.append(part);
  }
}

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

interface ProcessHooks {
  onOpen(connection: StdioConnection): void;
  onSignal(): void;
  /** The connection has closed. The process may exit when this resolves. */
  onEnd(): Promise<void>;
}

/** Serves the stdin and stdout of this process, until its client disconnects or a signal arrives. */
export async function serveOwnStdio(
  accept: AcceptConnection,
  settings: Settings,
  hooks: ProcessHooks,
): Promise<void> {
  const output = captureStdout();
  let raised: NodeJS.Signals | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    raised = signal;
    hooks.onSignal();
  };
  try {
    const connection = serveStdio(accept, process.stdin, output.stream, settings);
    for (const signal of SIGNALS) process.once(signal, stop);
    hooks.onOpen(connection);
    await connection.closed;
    await hooks.onEnd();
    // Unread output would keep the process from exiting.
    if (raised !== undefined && output.stream.writableLength > 0) process.kill(process.pid, raised);
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
    output.restore();
  }
}

let isCaptured = false;

/** Reserves stdout for the protocol: other writes, such as a `console.log` in a tool, go to stderr until it is restored. */
function captureStdout(): { readonly stream: Output; restore(): void } {
  if (isCaptured) throw new StdioInUse();
  isCaptured = true;
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  let hasFailed = false;
  stdout.once("error", () => {
    hasFailed = true;
  });
  stdout.write = stderr.write.bind(stderr);
  return {
    stream: {
      write,
      on: (event, listener) => stdout.on(event, listener),
      off: (event, listener) => stdout.off(event, listener),
      get writableLength() {
        return stdout.writableLength;
      },
      get writableNeedDrain() {
        return stdout.writableNeedDrain;
      },
      // `stdout.destroyed` stays false after EPIPE.
      get destroyed() {
        return hasFailed;
      },
    },
    restore() {
      stdout.write = write;
      isCaptured = false;
    },
  };
}
