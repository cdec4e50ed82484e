/**
 * MCP over WebSocket: one socket is one session, one text frame is one message.
 *
 * Host and Origin are looked at before the handshake, by whoever calls `upgrade`.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import type { Account, Exceeded } from "../accounts.ts";
import { parseJson, isNotification, type Message } from "../jsonrpc/messages.ts";
import type { MessageHandler, AcceptConnection, ClientConnection } from "../connection.ts";
import type { Settings } from "../settings.ts";
import { WriteBatcher } from "./write-buffer.ts";
import { textOf, UNCOUNTED, Unread } from "../http/unread-output.ts";

interface WebSocketTransport {
  /** Takes over a connection that asked to become a socket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, principal: string, account: Account): void;
  /** Closes every socket; settles when every session has ended. */
  close(): Promise<void>;
}

const SUBPROTOCOL = "mcp";
const UNSUPPORTED_DATA = 1003;

export function serveWebSocket(
  open: AcceptConnection,
  settings: Pick<Settings, "limits" | "clock">,
): WebSocketTransport {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: settings.limits.messageBytes,
    maxFragments: mostFragments(settings.limits.messageBytes),
    perMessageDeflate: false,
    // A client that says goodbye and stays is not waited for. The types of ws do not know the option yet.
    ...({ closeTimeout: FAREWELL } as object),
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });
  const heartbeat = new WebSocketKeepAlive(server.clients, settings.clock);
  const clients = new Set<WebSocketConnection>();
  const ended = new Set<Promise<void>>();

  server.on("connection", (socket: WebSocket, connection: Duplex, principal: string, account: Account) => {
    const client = new WebSocketConnection(socket, connection, settings, { principal, account });
    const line = open(client);
    const unfinished = new UnfinishedFrame(account, mostFragments(settings.limits.messageBytes));
    // Before the socket itself takes it: what is then a whole message is no longer unfinished.
    connection.prependListener("data", (chunk: Buffer) => {
      const exceeded = unfinished.add(chunk.length);
      if (exceeded !== undefined) client.hangUp(TRY_AGAIN_LATER, "Too much memory in use");
    });
    for (const event of ["ping", "pong"] as const)
      socket.on(event, (data: Buffer) => unfinished.completeControl(data.length));
    client.line = line;
    clients.add(client);
    heartbeat.add(socket);
    socket.on("message", (data: RawData, isBinary) => {
      // With `binaryType` at its default, a message is one Buffer.
      const frame = data as Buffer;
      unfinished.complete(frame.length);
      if (isBinary) return client.hangUp(UNSUPPORTED_DATA, "Text frames only");
      const decoded = parseJson(frame.toString("utf8"), settings.limits);
      if ("refusal" in decoded) void client.send(decoded.refusal);
      else line.receive(decoded.value, frame.length);
    });
    socket.on("error", toldByClose);
    socket.on("close", () => {
      clients.delete(client);
      unfinished.clear();
      const ending = line.close();
      ended.add(ending);
      void ending.finally(() => ended.delete(ending));
    });
  });

  /** Ends a session, and then its socket: what ends with the session is still told. */
  async function end(client: WebSocketConnection): Promise<void> {
    const { socket, line } = client;
    await line?.close();
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
      heartbeat.stop();
      await Promise.all([...clients].map(end));
      await Promise.all(ended);
      server.close();
    },
  };
}

/** Every error is followed by `close`. */
const toldByClose = (): void => {};

/** How many fragments a message has at most: enough for the longest in pieces of 4 KiB. */
const mostFragments = (messageBytes: number): number => 256 + Math.ceil(messageBytes / 4096);

/** The longest and the shortest head that a frame of a client has, in bytes. */
const FRAME_HEAD = 14;
const SHORT_HEAD = 6;
/** What is shorter, in bytes, and came in fewer reads is not counted: most messages come in one piece. */
const UNCOUNTED_FRAME = 1024;
const UNCOUNTED_READS = 8;
/** What a fragment or a read takes beside its bytes, in bytes. */
const PART_BYTES = 128;

/** What has come of a frame, or of a message in several frames, that is not whole yet: it counts as memory of its principal. */
class UnfinishedFrame {
  readonly #account: Account;
  readonly #mostFragments: number;
  #received = 0;
  #reads = 0;
  #lastChunk = 0;
  #counted = 0;

  constructor(account: Account, fragments: number) {
    this.#account = account;
    this.#mostFragments = fragments;
  }

  /** So many bytes more have come. Gives back the limit that they exceed, if they do. */
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

  /** A message of so many bytes was whole. What has come after it came in the same chunk. */
  complete(bytes: number): void {
    this.#keep(Math.min(Math.max(0, this.#received - bytes - FRAME_HEAD), this.#lastChunk), 1);
  }

  /** A ping or pong of so many bytes was whole, maybe between the fragments of a message. */
  completeControl(bytes: number): void {
    this.#keep(Math.max(0, this.#received - bytes - SHORT_HEAD), this.#reads);
  }

  clear(): void {
    this.#keep(0, 0);
  }

  /** How much memory it takes, at most: how many fragments there are is not known. */
  #memory(): number {
    if (this.#received === 0) return 0;
    const fragments = Math.min(this.#mostFragments, Math.ceil(this.#received / SHORT_HEAD));
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

/** How long a client may take to close its end, in milliseconds. */
const FAREWELL = 1000;
/** How long a client may take to answer a ping, in milliseconds. */
const PATIENCE = 1000;
/** How much may wait to be read before whoever sends is held up, in bytes. */
const HIGH_WATER = 64 * 1024;
const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;

/** The client at the other end of a WebSocket: it is told no more than it can take. */
class WebSocketConnection implements ClientConnection {
  readonly mayMergeReads = true;
  readonly principal: string;
  readonly account: Account;
  readonly socket: WebSocket;
  readonly #connection: Duplex;
  readonly #settings: Pick<Settings, "limits" | "clock">;
  readonly #corked: WriteBatcher;
  /** Made with the first output that the client does not read at once. */
  #unreadOutput: Unread | undefined;
  #pings = 0;
  /** Who waits for which ping to be answered, in order. */
  #unread: { readonly ping: number; readonly done: () => void }[] | undefined;
  /** What is closed when the client reads too slowly to be told anything more. */
  line: MessageHandler | undefined;

  /** `connection` is what the socket writes to. */
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
    this.#corked = new WriteBatcher(connection);
    this.#settings = settings;
  }

  send(message: Message | readonly Message[]): void | Promise<void> {
    const socket = this.socket;
    // What is sent after the end is not read, and would be counted for good.
    if (socket.readyState !== socket.OPEN) return;
    const text = textOf(message, this.account);
    const { bufferedAmount } = socket;
    const isTooMuch = bufferedAmount >= HIGH_WATER && this.account.exhausted !== undefined;
    if (bufferedAmount > this.#settings.limits.queueBytes || isTooMuch) {
      this.hangUp(TRY_AGAIN_LATER, "Too slow");
      return void this.line?.close();
    }
    this.#corked.hold();
    if (text.length > UNCOUNTED || bufferedAmount >= HIGH_WATER) this.#measureAround(text.length);
    if (bufferedAmount < HIGH_WATER) {
      socket.send(text);
      return isNotification(message) ? this.#corked.flushed() : undefined;
    }
    return new Promise((resolve) => {
      socket.send(text, () => resolve());
    });
  }

  /** The answer to a ping of the socket's own comes after everything before it was read. One that never comes is not waited for. */
  flushToReader(): Promise<void> {
    const socket = this.socket;
    if (socket.readyState !== socket.OPEN) return Promise.resolve();
    this.#listen();
    this.#pings += 1;
    const ping = this.#pings;
    return new Promise((resolve) => {
      const stopWaiting = this.#settings.clock.after(PATIENCE, () => this.#read(ping));
      const done = (): void => {
        stopWaiting();
        resolve();
      };
      (this.#unread ??= []).push({ ping, done });
      socket.ping(String(ping));
    });
  }

  close(): void {
    this.hangUp(GOING_AWAY);
  }

  /** Counts what waits, with what is about to be sent; and again once it is known what the operating system has taken. */
  #measureAround(bytes: number): void {
    const { socket } = this;
    if (this.#unreadOutput === undefined) {
      const unread = new Unread(this.account);
      this.#unreadOutput = unread;
      this.#connection.on("drain", () => unread.set(socket.bufferedAmount));
      socket.once("close", () => unread.set(0));
    }
    this.#unreadOutput.set(socket.bufferedAmount + bytes);
    // After what is held back for this turn was written.
    process.nextTick(measure, this.#unreadOutput, socket);
  }

  /** From the first ping on: most sockets are never asked. */
  #listen(): void {
    if (this.#pings > 0) return;
    // A ping that is none of these has other words, or none.
    this.socket.on("pong", (words: Buffer) => this.#read(Number(words.toString("utf8") || 0)));
    this.socket.once("close", () => this.#read(Number.POSITIVE_INFINITY));
  }

  /** Everything was read that was sent before a ping. An earlier one that was not answered never will be. */
  #read(upTo: number): void {
    const unread = this.#unread ?? [];
    while (unread[0] !== undefined && unread[0].ping <= upTo) unread.shift()?.done();
  }

  /** Says why, and does not wait for long to be heard. */
  hangUp(code: number, reason = ""): void {
    const socket = this.socket;
    if (socket.readyState !== socket.OPEN) return;
    const stopWaiting = this.#settings.clock.after(FAREWELL, () => socket.terminate());
    socket.once("close", stopWaiting);
    socket.close(code, reason);
  }
}

const measure = (unread: Unread, socket: WebSocket): void => {
  if (socket.readyState !== socket.CLOSED) unread.set(socket.bufferedAmount);
};

/** How often a client is asked for a sign of life; one that gave none since the last time is gone. */
const KEEP_ALIVE = 30_000;

/** Asks every client for a sign of life again and again, as long as there are any; who gave none is hung up on. */
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
    this.#stop ??= this.#clock.after(KEEP_ALIVE, () => {
      this.#stop = undefined;
      for (const socket of this.#sockets) {
        if (this.#alive.delete(socket)) socket.ping();
        else socket.terminate();
      }
      if (this.#sockets.size > 0) this.#wait();
    });
  }
}
