/** HTTP+SSE: one stream of events, and POSTs to the address that it names. */
import { HttpPool } from "./http-pool.ts";
import type { Address, Ears, Wire } from "./wire.ts";

export async function overSse({ port }: Address, ears: Ears): Promise<Wire> {
  const pool = new HttpPool(port, (error) => ears.fail(error));
  const target = await new Promise<string>((resolve) => {
    pool.request("GET /sse", "accept: text/event-stream\r\n", "", {
      message(data, event) {
        if (event === "endpoint") resolve(data);
        else ears.hear(data);
      },
    });
  });
  const start = `POST ${target}`;
  return {
    send: (text) => pool.request(start, "content-type: application/json\r\n", text, { message: () => {} }),
    close: () => pool.close(),
  };
}
