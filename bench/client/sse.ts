/** HTTP+SSE: one event stream, and POSTs to the address that the stream names. */
import type { Address, Connection, ConnectionHandler } from "./connection.ts";
import { HttpPool } from "./http-pool.ts";

export async function connectSse({ port }: Address, handler: ConnectionHandler): Promise<Connection> {
  const pool = new HttpPool(port, (error) => handler.onError(error));
  const endpoint = await new Promise<string>((resolve) => {
    pool.request("GET /sse", "accept: text/event-stream\r\n", "", {
      onMessage(data, event) {
        if (event === "endpoint") resolve(data);
        else handler.onMessage(data);
      },
    });
  });
  const requestLine = `POST ${endpoint}`;
  const headers = "content-type: application/json\r\n";
  return {
    send: (text) => pool.request(requestLine, headers, text, { onMessage: () => {} }),
    close: () => pool.close(),
  };
}
