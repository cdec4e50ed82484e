/**
 * One connection that speaks as much HTTP/1.1 as the servers here answer with: a request, its response, the next request.
 *
 * By a bare socket, since the client of `node:http` costs more than most servers that are measured with it.
 */
import { connect, type Socket } from "node:net";
import { EventReader, type TakeEvent } from "./event-reader.ts";

export interface Head {
  readonly status: number;
  readonly session: string | undefined;
}

/** What is made of one response. */
export interface Reading {
  readonly head: (head: Head) => void;
  readonly body: (text: string) => void;
  readonly event: TakeEvent;
  readonly end: (head: Head) => void;
}

interface Body extends Head {
  readonly isChunked: boolean;
  readonly take: (part: string) => void;
  /** Of a body that says how long it is. */
  readonly length: number;
}

const END_OF_HEAD = "\r\n\r\n";

export class HttpConnection {
  readonly #socket: Socket;
  #rest = "";
  #reading: Reading | undefined;
  #body: Body | undefined;

  constructor(port: number, fail: (error: Error) => void) {
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.setEncoding("latin1");
    this.#socket.on("data", (chunk: string) => {
      this.#rest += chunk;
      while (this.#reading !== undefined && this.#read(this.#reading));
    });
    this.#socket.on("error", fail);
    this.#socket.on("close", () => {
      if (this.#reading !== undefined) fail(new Error("The server has hung up in the middle of a response."));
    });
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.writable;
  }

  send(text: string, reading: Reading): void {
    this.#reading = reading;
    this.#socket.write(text, "latin1");
  }

  close(): void {
    this.#reading = undefined;
    this.#socket.destroy();
  }

  /** Reads on as far as possible; says whether there may be more to read. */
  #read(reading: Reading): boolean {
    if (this.#body === undefined) {
      const end = this.#rest.indexOf(END_OF_HEAD);
      if (end < 0) return false;
      this.#body = bodyAfter(this.#rest.slice(0, end), reading);
      reading.head(this.#body);
      this.#rest = this.#rest.slice(end + END_OF_HEAD.length);
    }
    return this.#body.isChunked ? this.#readChunk(this.#body, reading) : this.#readWhole(this.#body, reading);
  }

  #readWhole(body: Body, reading: Reading): boolean {
    if (this.#rest.length < body.length) return false;
    if (body.length > 0) body.take(this.#rest.slice(0, body.length));
    this.#rest = this.#rest.slice(body.length);
    this.#end(body, reading);
    return false;
  }

  #readChunk(body: Body, reading: Reading): boolean {
    const end = this.#rest.indexOf("\r\n");
    if (end < 0) return false;
    const length = Number.parseInt(this.#rest.slice(0, end), 16);
    const next = end + 2 + length + 2;
    if (this.#rest.length < next) return false;
    const part = this.#rest.slice(end + 2, next - 2);
    this.#rest = this.#rest.slice(next);
    if (length > 0) body.take(part);
    else this.#end(body, reading);
    return length > 0;
  }

  #end(body: Body, reading: Reading): void {
    this.#body = undefined;
    this.#reading = undefined;
    reading.end(body);
  }
}

function bodyAfter(head: string, reading: Reading): Body {
  const status = Number(head.slice(9, 12));
  const isStream = /content-type: text\/event-stream/i.test(head);
  const isChunked = /transfer-encoding: chunked/i.test(head);
  const events = isStream ? new EventReader(reading.event) : undefined;
  return {
    status,
    session: /mcp-session-id: (\S+)/i.exec(head)?.[1],
    isChunked,
    length: Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0),
    take: (part) => (events === undefined ? reading.body(part) : events.take(part)),
  };
}
