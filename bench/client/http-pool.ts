/** Keep-alive HTTP connections: a request takes an idle one, or opens another. */
import type { OnEvent } from "./event-reader.ts";
import { HttpConnection, type ResponseHead } from "./http-connection.ts";

interface ResponseHandler {
  readonly onHead?: (head: ResponseHead) => void;
  /** Called for each event of a stream, and once for a JSON body. */
  readonly onMessage: OnEvent;
}

/** Node's HTTP servers close a connection that is idle for five seconds. An older idle connection may be closed while it is used. */
const MAX_IDLE_MS = 2000;

export class HttpPool {
  readonly #port: number;
  readonly #onError: (error: Error) => void;
  readonly #all = new Set<HttpConnection>();
  readonly #idle: { readonly connection: HttpConnection; readonly since: number }[] = [];

  constructor(port: number, onError: (error: Error) => void) {
    this.#port = port;
    this.#onError = onError;
  }

  /** Sends a request. `start` is the method and the path; `headers` are lines, each with its line end. */
  request(start: string, headers: string, text: string, handler: ResponseHandler): void {
    const { onMessage, onHead = () => {} } = handler;
    const connection = this.#takeConnection();
    const length = text === "" ? "" : `content-length: ${text.length}\r\n`;
    let body = "";
    connection.send(`${start} HTTP/1.1\r\nhost: 127.0.0.1:${this.#port}\r\n${headers}${length}\r\n${text}`, {
      onHead,
      onBody: (part) => {
        body += part;
      },
      onEvent: onMessage,
      onEnd: ({ status }) => {
        this.#idle.push({ connection, since: Date.now() });
        if (status >= 300) this.#onError(new Error(`${start} got status ${status}: ${body}`));
        else if (body.startsWith("{")) onMessage(body, "message");
      },
    });
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  #takeConnection(): HttpConnection {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      const { connection, since } = idle;
      if (connection.isOpen && Date.now() - since < MAX_IDLE_MS) return connection;
      this.#all.delete(connection);
      connection.close();
    }
    const connection = new HttpConnection(this.#port, this.#onError);
    this.#all.add(connection);
    return connection;
  }
}
