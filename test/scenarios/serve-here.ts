import type { Transport as ModernTransport } from "@modelcontextprotocol/client";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { createServer, type Revision } from "@photon/server";
import type { Served, ServeOptions } from "./column.ts";
import type { Dialled } from "./dialled.ts";
import type { Happenings } from "./happenings.ts";
import { ModernGuest } from "./modern-guest.ts";
import { SessionGuest } from "./session-guest.ts";
import { cast } from "./tools.mjs";

/** How clients of either era reach a server at an address. */
export interface Dials {
  readonly session: (url: string) => Dialled<Transport>;
  readonly modern?: (url: string) => Dialled<ModernTransport>;
}

/** A server of the scenarios on a free port, in this process. */
export async function serveHere(
  { session, modern }: Dials,
  revision: Revision,
  told: Happenings<string>,
  options: ServeOptions = {},
): Promise<Served> {
  const server = createServer({
    name: "scenarios",
    maxRevision: revision,
    report: (error) => told.add(String(error)),
    ...options,
    ...cast({
      tell: (line) => told.add(line),
      replace: (definitions) => server.replace(definitions),
    }),
  });
  const { url } = await server.listen();
  return {
    invite: (can) =>
      revision === "2026-07-28" && modern !== undefined
        ? new ModernGuest(modern(url), can)
        : new SessionGuest(session(url), can),
    sessions: () => Promise.resolve(server.sessions),
    stop: () => server.close(),
  };
}
