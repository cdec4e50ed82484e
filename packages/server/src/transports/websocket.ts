/** MCP over WebSocket: one socket is one connection, one text frame is one message. The caller of `upgrade` checks Host and Origin. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import { type Account, type Refusal, UNCOUNTED_OUTPUT_BYTES, UnreadOutput } from "../accounts.ts";
import { parseJson, isNotification, type Message } from "../jsonrpc/messages.ts";
import type { AcceptConnection, ClientConnection, MessageHandler } from "../connection.ts";
import type { Settings } from "../settings.ts";
import { every } from "../util/timers.ts";
import { WriteBatcher } from "./write-buffer.ts";
import { formatMessage } from "../http/responses.ts";

interface WebSocketTransport {
  /** Accepts an HTTP upgrade. */
  upgrade(request: IncomingMessage, tcp: Duplex, head: Buffer, principal: string, account: Account): void;
  /** Closes every socket; resolves when every session has ended. */
  close(): Promise<void>;
}

const SUBPROTOCOL = "mcp";
/** How long a client may take to complete the closing handshake. */
const CLOSE_TIMEOUT_MS = 1000;
/** How often clients are pinged. A socket that has not answered the last ping is terminated. */
const KEEP_ALIVE_MS = 30_000;
/** How long `flushToReader` waits for a pong. */
const PONG_TIMEOUT_MS = 1000;
/** With more unread bytes than this, `send` returns a promise. */
const HIGH_WATER_BYTES = 64 * 1024;

/** Codes that say why a socket is closed. */
const GOING_AWAY = 1001;
const UNSUPPORTED_DATA = 1003;
const TRY_AGAIN_LATER = 1013;

export function serveWebSocket(accept: AcceptConnection, settings: Settings): WebSocketTransport {
  const { messageBytes } = settings.limits;
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: messageBytes,
    maxFragments: maxFragments(messageBytes),
    perMessageDeflate: false,
    // The types of ws lack the option.
    ...({ closeTimeout: CLOSE_TIMEOUT_MS } as object),
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });
  /** Until their sessions have ended. */
  const clients = new Set<WebSocketConnection>();
  let stopKeepAlive: (() => void) | undefined;
  const pingClients = (): void => {
    for (const client of clients) client.ping();
  };

  return {
    upgrade(request, tcp, head, principal, account) {
      server.handleUpgrade(request, tcp, head, (socket) => {
        const client = new WebSocketConnection(socket, tcp, settings, { principal, account });
        client.serve(accept, () => {
          clients.delete(client);
          if (clients.size > 0) return;
          stopKeepAlive?.();
          stopKeepAlive = undefined;
        });
        clients.add(client);
        stopKeepAlive ??= every(settings.clock, KEEP_ALIVE_MS, pingClients);
      });
    },
    async close() {
      await Promise.all([...clients].map((client) => client.end()));
      server.close();
    },
  };
}

class WebSocketConnection implements ClientConnection {
  readonly mayMergeReads = true;
  readonly principal: string;
  readonly account: Account;
  readonly #socket: WebSocket;
  readonly #tcp: Duplex;
  readonly #settings: Settings;
  readonly #batcher: WriteBatcher;
  #handler: MessageHandler | undefined;
  /** Whether the client has answered the last ping of the keep-alive. */
  #isAlive = true;
  /** Created with the first output that the client does not read at once. */
  #unreadOutput: UnreadOutput | undefined;
  #flushes = 0;
  /** Calls of `flushToReader` that wait for their pongs, in order. */
  #flushing: { readonly flush: number; readonly done: () => void }[] | undefined;

  /** `tcp`: the TCP or TLS socket below the WebSocket. */
  constructor(
    socket: WebSocket,
    tcp: Duplex,
    settings: Settings,
    { principal, account }: { readonly principal: string; readonly account: Account },
  ) {
    this.principal = principal;
    this.account = account;
    this.#socket = socket;
    this.#tcp = tcp;
    this.#batcher = new WriteBatcher(tcp);
    this.#settings = settings;
  }

  /** Opens the connection, and passes on messages. `onEnd`: the socket is closed, and the session has ended. */
  serve(accept: AcceptConnection, onEnd: () => void): void {
    const socket = this.#socket;
    const { limits } = this.#settings;
    const handler = accept(this);
    this.#handler = handler;
    const unfinished = new UnfinishedMessage(this.account, limits.messageBytes);
    // Before ws parses it: then a complete message is subtracted after it was added.
    this.#tcp.prependListener("data", (chunk: Buffer) => {
      if (unfinished.add(chunk.length) !== undefined) socket.close(TRY_AGAIN_LATER, "Too much memory in use");
    });
    socket.on("message", (data: RawData, isBinary) => {
      // With `binaryType` at its default, a message is one Buffer.
      const frame = data as Buffer;
      unfinished.complete(frame.length);
      if (isBinary) return socket.close(UNSUPPORTED_DATA, "Text frames only");
      const decoded = parseJson(frame.toString("utf8"), limits);
      if ("refusal" in decoded) void this.send(decoded.refusal);
      else handler.receive(decoded.value, frame.length);
    });
    socket.on("ping", (payload: Buffer) => unfinished.completeControl(payload.length));
    socket.on("pong", (payload: Buffer) => {
      unfinished.completeControl(payload.length);
      this.#isAlive = true;
      // Pings of the keep-alive have no payload.
      this.#onFlushed(Number(payload.toString("utf8")));
    });
    // Every error is followed by `close`.
    socket.on("error", () => {});
    socket.on("close", () => {
      unfinished.clear();
      this.#unreadOutput?.set(0);
      this.#onFlushed(Number.POSITIVE_INFINITY);
      void handler.close().finally(onEnd);
    });
  }

  send(message: Message | readonly Message[]): void | Promise<void> {
    const socket = this.#socket;
    // It would be counted as unread forever.
    if (socket.readyState !== socket.OPEN) return;
    const text = formatMessage(message, this.account);
    const { bufferedAmount } = socket;
    const isBehind = bufferedAmount >= HIGH_WATER_BYTES;
    if (bufferedAmount > this.#settings.limits.queueBytes || (isBehind && this.account.isOverLimit)) {
      socket.close(TRY_AGAIN_LATER, "Too slow");
      return void this.#handler?.close();
    }
    this.#batcher.hold();
    if (text.length > UNCOUNTED_OUTPUT_BYTES || isBehind) this.#measureAround(text.length);
    if (isBehind)
      return new Promise((resolve) => {
        socket.send(text, () => resolve());
      });
    socket.send(text);
    return isNotification(message) ? this.#batcher.flushed() : undefined;
  }

  /** The pong to a WebSocket ping shows that the client has read everything before it. Resolves after a timeout without one. */
  flushToReader(): void | Promise<void> {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return;
    this.#flushes += 1;
    const flush = this.#flushes;
    return new Promise((resolve) => {
      const stopWaiting = this.#settings.clock.after(PONG_TIMEOUT_MS, () => this.#onFlushed(flush));
      const done = (): void => {
        stopWaiting();
        resolve();
      };
      (this.#flushing ??= []).push({ flush, done });
      socket.ping(String(flush));
    });
  }

  close(): void {
    this.#socket.close(GOING_AWAY);
  }

  /** Closes the socket after the handler, which answers calls that end with it. */
  async end(): Promise<void> {
    const socket = this.#socket;
    await this.#handler?.close();
    if (socket.readyState === socket.CLOSED) return;
    const closed = new Promise((resolve) => {
      socket.once("close", resolve);
    });
    this.close();
    await closed;
  }

  /** The keep-alive. */
  ping(): void {
    if (!this.#isAlive) return this.#socket.terminate();
    this.#isAlive = false;
    this.#socket.ping();
  }

  /** Counts unread output now, and again on the next tick, when the operating system has taken its part. */
  #measureAround(bytes: number): void {
    const socket = this.#socket;
    const measure = (): void => {
      if (socket.readyState !== socket.CLOSED) this.#unreadOutput?.set(socket.bufferedAmount);
    };
    if (this.#unreadOutput === undefined) {
      this.#unreadOutput = new UnreadOutput(this.account);
      this.#tcp.on("drain", measure);
    }
    this.#unreadOutput.set(socket.bufferedAmount + bytes);
    // After the batched writes of this tick.
    process.nextTick(measure);
  }

  /** The client has read everything that was sent before a flush. */
  #onFlushed(upTo: number): void {
    const flushing = this.#flushing ?? [];
    while (flushing[0] !== undefined && flushing[0].flush <= upTo) flushing.shift()?.done();
  }
}

/** The longest and the shortest header of a client's frame. */
const MAX_HEADER_BYTES = 14;
const MIN_HEADER_BYTES = 6;
/** Shorter messages that came in fewer reads are not counted: most messages come in one read. */
const UNCOUNTED_BYTES = 1024;
const UNCOUNTED_READS = 8;
/** Memory of a fragment or a read, beside its data. */
const PART_BYTES = 128;

/** The most fragments of one message: enough for the longest in fragments of 4 KiB. */
const maxFragments = (messageBytes: number): number => 256 + Math.ceil(messageBytes / 4096);

/** The received part of a message that is not complete. It counts as memory of the principal. */
class UnfinishedMessage {
  readonly #account: Account;
  readonly #maxFragments: number;
  #received = 0;
  #reads = 0;
  #lastRead = 0;
  #counted = 0;

  constructor(account: Account, messageBytes: number) {
    this.#account = account;
    this.#maxFragments = maxFragments(messageBytes);
  }

  /** Counts received bytes, unless they exceed a limit. */
  add(bytes: number): Refusal | undefined {
    this.#received += bytes;
    this.#reads += 1;
    this.#lastRead = bytes;
    if (this.#received <= UNCOUNTED_BYTES && this.#reads <= UNCOUNTED_READS) return undefined;
    const memory = this.#memory();
    if (memory <= this.#counted) return undefined;
    const refusal = this.#account.reserveUnfinished(memory - this.#counted);
    if (refusal === undefined) this.#counted = memory;
    return refusal;
  }

  /** A message of so many bytes is complete. The bytes after it came in the same read. */
  complete(bytes: number): void {
    this.#keep(Math.min(Math.max(0, this.#received - bytes - MAX_HEADER_BYTES), this.#lastRead), 1);
  }

  /** A ping or pong of so many bytes is complete, maybe between the fragments of a message. */
  completeControl(bytes: number): void {
    this.#keep(Math.max(0, this.#received - bytes - MIN_HEADER_BYTES), this.#reads);
  }

  clear(): void {
    this.#keep(0, 0);
  }

  /** An upper bound: ws does not tell how many fragments there are. */
  #memory(): number {
    if (this.#received === 0) return 0;
    const fragments = Math.min(this.#maxFragments, Math.ceil(this.#received / MIN_HEADER_BYTES));
    return this.#received + (fragments + this.#reads) * PART_BYTES;
  }

  #keep(received: number, reads: number): void {
    this.#received = received;
    this.#reads = received === 0 ? 0 : reads;
    const memory = this.#memory();
    if (this.#counted <= memory) return;
    this.#account.release(this.#counted - memory);
    this.#counted = memory;
  }
}
