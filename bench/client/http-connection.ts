/**
 * One HTTP/1.1 connection: one request at a time, with only those features of HTTP that the servers of the bench use.
 *
 * It uses a bare socket, because the client of `node:http` takes more CPU than most of the measured servers.
 */
import { connect, type Socket } from "node:net";
import { EventReader, type OnEvent } from "./event-reader.ts";

export interface ResponseHead {
  readonly status: number;
  readonly session: string | undefined;
}

export interface ResponseCallbacks {
  readonly onHead: (head: ResponseHead) => void;
  readonly onBody: (text: string) => void;
  readonly onEvent: OnEvent;
  readonly onEnd: (head: ResponseHead) => void;
}

interface Body extends ResponseHead {
  readonly isChunked: boolean;
  readonly push: (part: string) => void;
  /** The content-length; 0 for a chunked body. */
  readonly length: number;
}

const END_OF_HEAD = "\r\n\r\n";

export class HttpConnection {
  readonly #socket: Socket;
  #rest = "";
  #callbacks: ResponseCallbacks | undefined;
  #body: Body | undefined;

  constructor(port: number, onError: (error: Error) => void) {
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.setEncoding("latin1");
    this.#socket.on("data", (chunk: string) => {
      this.#rest += chunk;
      while (this.#callbacks !== undefined && this.#parse(this.#callbacks));
    });
    this.#socket.on("error", onError);
    this.#socket.on("close", () => {
      if (this.#callbacks !== undefined)
        onError(new Error("The server closed the connection in the middle of a response."));
    });
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.writable;
  }

  send(text: string, callbacks: ResponseCallbacks): void {
    this.#callbacks = callbacks;
    this.#socket.write(text, "latin1");
  }

  close(): void {
    this.#callbacks = undefined;
    this.#socket.destroy();
  }

  /** Parses what has arrived. Returns whether there may be more to parse. */
  #parse(callbacks: ResponseCallbacks): boolean {
    if (this.#body === undefined) {
      const end = this.#rest.indexOf(END_OF_HEAD);
      if (end < 0) return false;
      this.#body = parseHead(this.#rest.slice(0, end), callbacks);
      callbacks.onHead(this.#body);
      this.#rest = this.#rest.slice(end + END_OF_HEAD.length);
    }
    return this.#body.isChunked
      ? this.#parseChunk(this.#body, callbacks)
      : this.#parseWholeBody(this.#body, callbacks);
  }

  #parseWholeBody(body: Body, callbacks: ResponseCallbacks): boolean {
    if (this.#rest.length < body.length) return false;
    if (body.length > 0) body.push(this.#rest.slice(0, body.length));
    this.#rest = this.#rest.slice(body.length);
    this.#end(body, callbacks);
    return false;
  }

  #parseChunk(body: Body, callbacks: ResponseCallbacks): boolean {
    const end = this.#rest.indexOf("\r\n");
    if (end < 0) return false;
    const length = Number.parseInt(this.#rest.slice(0, end), 16);
    const next = end + 2 + length + 2;
    if (this.#rest.length < next) return false;
    const part = this.#rest.slice(end + 2, next - 2);
    this.#rest = this.#rest.slice(next);
    if (length > 0) body.push(part);
    else this.#end(body, callbacks);
    return length > 0;
  }

  #end(body: Body, callbacks: ResponseCallbacks): void {
    this.#body = undefined;
    this.#callbacks = undefined;
    callbacks.onEnd(body);
  }
}

function parseHead(head: string, callbacks: ResponseCallbacks): Body {
  const status = Number(head.slice(9, 12));
  const isStream = /content-type: text\/event-stream/i.test(head);
  const isChunked = /transfer-encoding: chunked/i.test(head);
  const events = isStream ? new EventReader(callbacks.onEvent) : undefined;
  return {
    status,
    session: /mcp-session-id: (\S+)/i.exec(head)?.[1],
    isChunked,
    length: Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0),
    push: (part) => (events === undefined ? callbacks.onBody(part) : events.push(part)),
  };
}
