import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { Account } from "../accounts.ts";
import { isNotification, type Message } from "../jsonrpc/messages.ts";
import type { Line, Peer } from "../rpc/peer.ts";
import type { Settings } from "../settings.ts";
import { Corked } from "./corked.ts";
import { textOf, UNCOUNTED, Unread } from "../http/unread-output.ts";

/** How long a client may take to close its end, in milliseconds. */
export const FAREWELL = 1000;
/** How long a client may take to answer a ping, in milliseconds. */
const PATIENCE = 1000;
/** How much may wait to be read before whoever sends is held up, in bytes. */
const HIGH_WATER = 64 * 1024;
const GOING_AWAY = 1001;
export const TRY_AGAIN_LATER = 1013;

/** The client at the other end of a WebSocket: it is told no more than it can take. */
export class SocketPeer implements Peer {
  readonly coalesces = true;
  readonly principal: string;
  readonly account: Account;
  readonly socket: WebSocket;
  readonly #connection: Duplex;
  readonly #settings: Pick<Settings, "limits" | "clock">;
  readonly #corked: Corked;
  /** Made with the first output that the client does not read at once. */
  #unreadOutput: Unread | undefined;
  #pings = 0;
  /** Who waits for which ping to be answered, in order. */
  #unread: { readonly ping: number; readonly done: () => void }[] | undefined;
  /** What is closed when the client reads too slowly to be told anything more. */
  line: Line | undefined;

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
    this.#corked = new Corked(connection);
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
      return isNotification(message) ? this.#corked.written() : undefined;
    }
    return new Promise((resolve) => {
      socket.send(text, () => resolve());
    });
  }

  /** The answer to a ping of the socket's own comes after everything before it was read. One that never comes is not waited for. */
  untilRead(): Promise<void> {
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
