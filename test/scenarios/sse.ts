import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Column } from "./column.ts";
import type { Dialled } from "./dialled.ts";
import { serveHere } from "./serve-here.ts";

/** A connection to the event stream of a server at this address. */
export function dialSse(url: string): Dialled<Transport> {
  // oxlint-disable-next-line typescript/no-deprecated -- the client of the transport that is tested here
  const transport = new SSEClientTransport(new URL(`${url}/sse`));
  const hangUp = (): Promise<void> => transport.close();
  return { transport, leave: hangUp, vanish: hangUp };
}

export const sse: Column = {
  name: "SSE and POST",
  whenGone: { session: "ends" },
  serve: (revision, told, options) => serveHere({ session: dialSse }, revision, told, options),
};
