/** MCP over WebSocket: one socket is one connection, one text frame is one message. The caller of `upgrade` checks Host and Origin. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import type { Account, Exceeded } from "../accounts.ts";
import { parseJson, isNotification, type Message } from "../jsonrpc/messages.ts";
import type { MessageHandler, AcceptConnection, ClientConnection } from "../connection.ts";
import type { Settings } from "../settings.ts";
import { WriteBatcher } from "./write-buffer.ts";
import { formatMessage, UNCOUNTED_BYTES, UnreadOutput } from "../http/unread-output.ts";

interface WebSocketTransport {
  /** Accepts an HTTP upgrade. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, principal: string, account: Account): void;
  /** Closes every socket; settles when every session has ended. */
  close(): Promise<void>;
}

const SUBPROTOCOL = "mcp";
const UNSUPPORTED_DATA = 1003;

export function serveWebSocket(
  accept: AcceptConnection,
  settings: Pick<Settings, "limits" | "clock">,
): WebSocketTransport {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: settings.limits.messageBytes,
    maxFragments: maxFragments(settings.limits.messageBytes),
    perMessageDeflate: false,
    // For clients that do not complete the closing handshake. The types of ws lack the option.
    ...({ closeTimeout: CLOSE_TIMEOUT_MS } as object),
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });
  const keepAlive = new WebSocketKeepAlive(server.clients, settings.clock);
  const clients = new Set<WebSocketConnection>();
  const ended = new Set<Promise<void>>();

  server.on("connection", (socket: WebSocket, connection: Duplex, principal: string, account: Account) => {
    const client = new WebSocketConnection(socket, connection, settings, { principal, account });
    const handler = accept(client);
    const unfinished = new UnfinishedFrame(account, maxFragments(settings.limits.messageBytes));
    // Before ws parses it: then a complete message is subtracted after it was added.
    connection.prependListener("data", (chunk: Buffer) => {
      const exceeded = unfinished.add(chunk.length);
      if (exceeded !== undefined) client.closeWith(TRY_AGAIN_LATER, "Too much memory in use");
    });
    for (const event of ["ping", "pong"] as const)
      socket.on(event, (data: Buffer) => unfinished.completeControl(data.length));
    client.handler = handler;
    clients.add(client);
    keepAlive.add(socket);
    socket.on("message", (data: RawData, isBinary) => {
      // With `binaryType` at its default, a message is one Buffer.
      const frame = data as Buffer;
      unfinished.complete(frame.length);
      if (isBinary) return client.closeWith(UNSUPPORTED_DATA, "Text frames only");
      const decoded = parseJson(frame.toString("utf8"), settings.limits);
      if ("refusal" in decoded) void client.send(decoded.refusal);
      else handler.receive(decoded.value, frame.length);
    });
    socket.on("error", ignoreError);
    socket.on("close", () => {
      clients.delete(client);
      unfinished.clear();
      const ending = handler.close();
      ended.add(ending);
      void ending.finally(() => ended.delete(ending));
    });
  });

  /** Closes the handler first: it answers calls that end with it. */
  async function end(client: WebSocketConnection): Promise<void> {
    const { socket, handler } = client;
    await handler?.close();
    if (socket.readyState === socket.CLOSED) return;
    const closed = new Promise((resolve) => {
      socket.once("close", resolve);
    });
    client.close();
    await closed;
  }

  return {
    upgrade(request, socket, head, principal, account) {
      server.handleUpgrade(request, socket, head, (opened) =>
        server.emit("connection", opened, socket, principal, account),
      );
    },
    async close() {
      keepAlive.stop();
      await Promise.all([...clients].map(end));
      await Promise.all(ended);
      server.close();
    },
  };
}

/** Every error is followed by `close`. */
const ignoreError = (): void => {};

/** Enough for the longest message in fragments of 4 KiB. */
const maxFragments = (messageBytes: number): number => 256 + Math.ceil(messageBytes / 4096);

/** The longest and the shortest header of a client's frame, in bytes. */
const MAX_HEADER = 14;
const MIN_HEADER = 6;
/** Shorter frames, in bytes, that came in fewer reads are not counted: most messages come in one read. */
const UNCOUNTED_FRAME = 1024;
const UNCOUNTED_READS = 8;
/** The memory of a fragment or a read beside its data, in bytes. */
const PART_BYTES = 128;

/** The received part of an incomplete message. It counts as memory of its principal. */
class UnfinishedFrame {
  readonly #account: Account;
  readonly #maxFragments: number;
  #received = 0;
  #reads = 0;
  #lastChunk = 0;
  #counted = 0;

  constructor(account: Account, fragments: number) {
    this.#account = account;
    this.#maxFragments = fragments;
  }

  /** Counts received bytes. Returns the limit that they exceed, if they do. */
  add(bytes: number): Exceeded | undefined {
    this.#received += bytes;
    this.#reads += 1;
    this.#lastChunk = bytes;
    if (this.#received <= UNCOUNTED_FRAME && this.#reads <= UNCOUNTED_READS) return undefined;
    const memory = this.#memory();
    if (memory <= this.#counted) return undefined;
    const exceeded = this.#account.reserveUnfinished(memory - this.#counted);
    if (exceeded === undefined) this.#counted = memory;
    return exceeded;
  }

  /** A message of so many bytes is complete. Bytes after it came in the same chunk. */
  complete(bytes: number): void {
    this.#keep(Math.min(Math.max(0, this.#received - bytes - MAX_HEADER), this.#lastChunk), 1);
  }

  /** A ping or pong of so many bytes is complete, maybe between the fragments of a message. */
  completeControl(bytes: number): void {
    this.#keep(Math.max(0, this.#received - bytes - MIN_HEADER), this.#reads);
  }

  clear(): void {
    this.#keep(0, 0);
  }

  /** An upper bound: ws does not tell how many fragments there are. */
  #memory(): number {
    if (this.#received === 0) return 0;
    const fragments = Math.min(this.#maxFragments, Math.ceil(this.#received / MIN_HEADER));
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

const CLOSE_TIMEOUT_MS = 1000;
const PING_TIMEOUT_MS = 1000;
/** With more unread bytes than this, `send` returns a promise. */
const HIGH_WATER = 64 * 1024;
const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;

class WebSocketConnection implements ClientConnection {
  readonly mayMergeReads = true;
  readonly principal: string;
  readonly account: Account;
  readonly socket: WebSocket;
  readonly #connection: Duplex;
  readonly #settings: Pick<Settings, "limits" | "clock">;
  readonly #batcher: WriteBatcher;
  /** Created with the first output that the client does not read at once. */
  #unreadOutput: UnreadOutput | undefined;
  #pings = 0;
  /** Calls of `flushToReader` in order of their pings. */
  #unread: { readonly ping: number; readonly done: () => void }[] | undefined;
  /** Closed when the client reads too slowly. */
  handler: MessageHandler | undefined;

  /** `connection`: the TCP or TLS socket below the WebSocket. */
  constructor(
    socket: WebSocket,
    connection: Duplex,
    settings: Pick<Settings, "limits" | "clock">,
    { principal, account }: { readonly principal: string; readonly account: Account },
  ) {
    this.principal = principal;
    this.account = account;
    this.socket = socket;
    this.#connection = connection;
    this.#batcher = new WriteBatcher(connection);
    this.#settings = settings;
  }

  send(message: Message | readonly Message[]): void | Promise<void> {
    const socket = this.socket;
    // It would be counted as unread forever.
    if (socket.readyState !== socket.OPEN) return;
    const text = formatMessage(message, this.account);
    const { bufferedAmount } = socket;
    const isTooMuch = bufferedAmount >= HIGH_WATER && this.account.exhausted !== undefined;
    if (bufferedAmount > this.#settings.limits.queueBytes || isTooMuch) {
      this.closeWith(TRY_AGAIN_LATER, "Too slow");
      return void this.handler?.close();
    }
    this.#batcher.hold();
    if (text.length > UNCOUNTED_BYTES || bufferedAmount >= HIGH_WATER) this.#measureAround(text.length);
    if (bufferedAmount < HIGH_WATER) {
      socket.send(text);
      return isNotification(message) ? this.#batcher.flushed() : undefined;
    }
    return new Promise((resolve) => {
      socket.send(text, () => resolve());
    });
  }

  /** The pong to a WebSocket ping shows that the client has read everything before it. Resolves after a timeout without one. */
  flushToReader(): Promise<void> {
    const socket = this.socket;
    if (socket.readyState !== socket.OPEN) return Promise.resolve();
    this.#listen();
    this.#pings += 1;
    const ping = this.#pings;
    return new Promise((resolve) => {
      const stopWaiting = this.#settings.clock.after(PING_TIMEOUT_MS, () => this.#read(ping));
      const done = (): void => {
        stopWaiting();
        resolve();
      };
      (this.#unread ??= []).push({ ping, done });
      socket.ping(String(ping));
    });
  }

  close(): void {
    this.closeWith(GOING_AWAY);
  }

  /** Counts unread output now, and again on the next tick, when the operating system has taken its part. */
  #measureAround(bytes: number): void {
    const { socket } = this;
    if (this.#unreadOutput === undefined) {
      const unread = new UnreadOutput(this.account);
      this.#unreadOutput = unread;
      this.#connection.on("drain", () => unread.set(socket.bufferedAmount));
      socket.once("close", () => unread.set(0));
    }
    this.#unreadOutput.set(socket.bufferedAmount + bytes);
    // After the batched writes of this tick.
    process.nextTick(measure, this.#unreadOutput, socket);
  }

  /** From the first ping on: most sockets need none. */
  #listen(): void {
    if (this.#pings > 0) return;
    // Pings of the keep-alive have no payload.
    this.socket.on("pong", (payload: Buffer) => this.#read(Number(payload.toString("utf8") || 0)));
    this.socket.once("close", () => this.#read(Number.POSITIVE_INFINITY));
  }

  /** The client has read everything before a ping. */
  #read(upTo: number): void {
    const unread = this.#unread ?? [];
    while (unread[0] !== undefined && unread[0].ping <= upTo) unread.shift()?.done();
  }

  /** Terminates the socket if the client does not complete the closing handshake in time. */
  closeWith(code: number, reason = ""): void {
    const socket = this.socket;
    if (socket.readyState !== socket.OPEN) return;
    const stopWaiting = this.#settings.clock.after(CLOSE_TIMEOUT_MS, () => socket.terminate());
    socket.once("close", stopWaiting);
    socket.close(code, reason);
  }
}

const measure = (unread: UnreadOutput, socket: WebSocket): void => {
  if (socket.readyState !== socket.CLOSED) unread.set(socket.bufferedAmount);
};

const KEEP_ALIVE_MS = 30_000;

/** Pings every client from time to time, and terminates sockets that have not answered the last ping. */
class WebSocketKeepAlive {
  readonly #sockets: ReadonlySet<WebSocket>;
  readonly #clock: Settings["clock"];
  readonly #alive = new WeakSet<WebSocket>();
  #stop: (() => void) | undefined;
  /** One of each for all sockets: there may be thousands. */
  readonly #onPong: (this: WebSocket) => void;
  readonly #onClose: () => void;

  constructor(sockets: ReadonlySet<WebSocket>, clock: Settings["clock"]) {
    this.#sockets = sockets;
    this.#clock = clock;
    const alive = this.#alive;
    this.#onPong = function () {
      alive.add(this);
    };
    this.#onClose = () => {
      if (this.#sockets.size === 0) this.stop();
    };
  }

  add(socket: WebSocket): void {
    this.#alive.add(socket);
    socket.on("pong", this.#onPong);
    socket.on("close", this.#onClose);
    this.#wait();
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #wait(): void {
    this.#stop ??= this.#clock.after(KEEP_ALIVE_MS, () => {
      this.#stop = undefined;
      for (const socket of this.#sockets) {
        if (this.#alive.delete(socket)) socket.ping();
        else socket.terminate();
      }
      if (this.#sockets.size > 0) this.#wait();
    });
  }
}
