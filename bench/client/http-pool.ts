/** Connections that are used again, as many as are under way at once. */
import { HttpConnection, type Head } from "./http-connection.ts";
import type { TakeEvent } from "./event-reader.ts";
import type { Ears } from "./wire.ts";

/** What is made of an answer: its head, and its messages. */
export interface Answer {
  readonly head?: (head: Head) => void;
  readonly message: TakeEvent;
}

/** Servers hang up on who has been silent for five seconds; a connection that old may be gone when it is used. */
const STALE = 2000;

export class HttpPool {
  readonly #port: number;
  readonly #fail: Ears["fail"];
  readonly #all = new Set<HttpConnection>();
  readonly #idle: { readonly connection: HttpConnection; readonly since: number }[] = [];

  constructor(port: number, fail: Ears["fail"]) {
    this.#port = port;
    this.#fail = fail;
  }

  /** Sends a request; `headers` is lines, each with its end. */
  request(start: string, headers: string, text: string, { message, head = () => {} }: Answer): void {
    const connection = this.#connection();
    const length = text === "" ? "" : `content-length: ${text.length}\r\n`;
    let body = "";
    connection.send(`${start} HTTP/1.1\r\nhost: 127.0.0.1:${this.#port}\r\n${headers}${length}\r\n${text}`, {
      head,
      body: (part) => {
        body += part;
      },
      event: message,
      end: ({ status }) => {
        this.#idle.push({ connection, since: Date.now() });
        if (status >= 300) this.#fail(new Error(`${start} was answered ${status}: ${body}`));
        else if (body.startsWith("{")) message(body, "message");
      },
    });
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  #connection(): HttpConnection {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      const { connection, since } = idle;
      if (connection.isOpen && Date.now() - since < STALE) return connection;
      this.#all.delete(connection);
      connection.close();
    }
    const connection = new HttpConnection(this.#port, this.#fail);
    this.#all.add(connection);
    return connection;
  }
}
