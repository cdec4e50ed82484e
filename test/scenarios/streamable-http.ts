import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Column, Dialled } from "./column.ts";
import { serveHere } from "./serve-here.ts";

/** A connection to the Streamable HTTP of a server at this address. */
export function dialStreamableHttp(url: string): Dialled {
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
  whenGone: "waits",
  serve: (revision, told, options) =>
    serveHere(({ url }) => dialStreamableHttp(url), revision, told, options),
};
