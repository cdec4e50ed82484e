import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Column } from "./column.ts";
import type { Dialled } from "./dialled.ts";
import { dialModernHttp } from "./modern-dial.ts";
import { serveHere } from "./serve-here.ts";

/** A connection to the Streamable HTTP of a server at this address. */
export function dialStreamableHttp(url: string): Dialled<Transport> {
  let listen = (): void => {};
  const listening = new Promise<void>((resolve) => {
    listen = resolve;
  });
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    // The client opens the stream of GET on its own, some time after it has connected.
    async fetch(address, init) {
      const response = await fetch(address, init);
      if (init?.method === "GET") listen();
      return response;
    },
  });
  return {
    transport,
    ready: () => listening,
    leave: () => transport.terminateSession(),
    vanish: () => transport.close(),
  };
}

export const streamableHttp: Column = {
  name: "Streamable HTTP",
  whenGone: { session: "waits", modern: "waits" },
  serve: (revision, told, options) =>
    serveHere({ session: dialStreamableHttp, modern: dialModernHttp }, revision, told, options),
};
