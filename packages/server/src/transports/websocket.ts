/**
 * MCP over WebSocket: one socket is one session, one text frame is one message.
 *
 * Host and Origin are looked at before the handshake, by whoever calls `upgrade`.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer, type RawData, type WebSocket } from "ws";
import type { Account, Exceeded } from "../accounts.ts";
import { decode } from "../jsonrpc/messages.ts";
import type { Open } from "../rpc/peer.ts";
import type { Settings } from "../settings.ts";
import { Heartbeat } from "./heartbeat.ts";
import { FAREWELL, SocketPeer, TRY_AGAIN_LATER } from "./socket-peer.ts";

export interface WebSocketLines {
  /** Takes over a connection that asked to become a socket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, principal: string, account: Account): void;
  /** Closes every socket; settles when every session has ended. */
  close(): Promise<void>;
}

const SUBPROTOCOL = "mcp";
const UNSUPPORTED_DATA = 1003;

export function serveWebSocket(open: Open, settings: Pick<Settings, "limits" | "clock">): WebSocketLines {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: settings.limits.messageBytes,
    maxFragments: mostFragments(settings.limits.messageBytes),
    perMessageDeflate: false,
    // A client that says goodbye and stays is not waited for. The types of ws do not know the option yet.
    ...({ closeTimeout: FAREWELL } as object),
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });
  const heartbeat = new Heartbeat(server.clients, settings.clock);
  const peers = new Set<SocketPeer>();
  const ended = new Set<Promise<void>>();

  server.on("connection", (socket: WebSocket, connection: Duplex, principal: string, account: Account) => {
    const peer = new SocketPeer(socket, connection, settings, { principal, account });
    const line = open(peer);
    const unfinished = new UnfinishedFrame(account, mostFragments(settings.limits.messageBytes));
    // Before the socket itself takes it: what is then a whole message is no longer unfinished.
    connection.prependListener("data", (chunk: Buffer) => {
      const exceeded = unfinished.add(chunk.length);
      if (exceeded !== undefined) peer.hangUp(TRY_AGAIN_LATER, "Too much memory in use");
    });
    for (const event of ["ping", "pong"] as const)
      socket.on(event, (data: Buffer) => unfinished.completeControl(data.length));
    peer.line = line;
    peers.add(peer);
    heartbeat.add(socket);
    socket.on("message", (data: RawData, isBinary) => {
      // With `binaryType` at its default, a message is one Buffer.
      const frame = data as Buffer;
      unfinished.complete(frame.length);
      if (isBinary) return peer.hangUp(UNSUPPORTED_DATA, "Text frames only");
      const decoded = decode(frame.toString("utf8"), settings.limits);
      if ("refusal" in decoded) void peer.send(decoded.refusal);
      else line.receive(decoded.value, frame.length);
    });
    socket.on("error", toldByClose);
    socket.on("close", () => {
      peers.delete(peer);
      unfinished.clear();
      const ending = line.close();
      ended.add(ending);
      void ending.finally(() => ended.delete(ending));
    });
  });

  /** Ends a session, and then its socket: what ends with the session is still told. */
  async function end(peer: SocketPeer): Promise<void> {
    const { socket, line } = peer;
    await line?.close();
    if (socket.readyState === socket.CLOSED) return;
    const closed = new Promise((resolve) => {
      socket.once("close", resolve);
    });
    peer.close();
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
      await Promise.all([...peers].map(end));
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
