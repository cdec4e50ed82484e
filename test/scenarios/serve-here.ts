import { createServer, type Listening, type Revision, type ServerOptions } from "@photon/server";
import type { Dialled, Served } from "./column.ts";
import type { Happenings } from "./happenings.ts";
import { cast } from "./tools.mjs";

/** A server of the scenarios on a free port, in this process. */
export async function serveHere(
  dial: (listening: Listening) => Dialled,
  revision: Revision,
  told: Happenings<string>,
  options: Pick<ServerOptions, "clock"> = {},
): Promise<Served> {
  const server = createServer({
    name: "scenarios",
    maxRevision: revision,
    ...options,
    ...cast({
      tell: (line) => told.add(line),
      replace: (definitions) => server.replace(definitions),
    }),
  });
  const listening = await server.listen();
  return {
    dial: () => dial(listening),
    sessions: () => Promise.resolve(server.sessions),
    stop: () => server.close(),
  };
}
