/** Connects to a server as a client of a revision, and shakes hands where it wants that. */
import { Caller } from "./caller.ts";
import { capabilities, clientInfo } from "./call-text.ts";
import { overHttp } from "./http-wire.ts";
import { overSse } from "./sse-wire.ts";
import { overStdio } from "./stdio-wire.ts";
import { overWebSocket } from "./websocket-wire.ts";
import { MODERN, type Address, type Ears, type Revision, type Transport, type Wire } from "./wire.ts";

export interface Manner {
  readonly transport: Transport;
  readonly revision: Revision;
  /** Whether it leaves questions without an answer. */
  readonly isPatient?: boolean;
  /** Whether the server only sends back what it is sent. */
  readonly isEcho?: boolean;
  /** Whether the server asks on another stream than that of the call. */
  readonly asksAside?: boolean;
}

export async function connectTo(address: Address, manner: Manner): Promise<Caller> {
  const { transport, revision, isPatient = false, isEcho = false, asksAside = false } = manner;
  const caller = new Caller(revision, isPatient);
  const wire = await wireOf(transport, address, caller, revision);
  caller.use(wire);
  if (revision === MODERN || isEcho) return caller;
  await caller.request("initialize", { protocolVersion: revision, capabilities, clientInfo });
  caller.notify("notifications/initialized");
  if (asksAside) wire.listen?.();
  return caller;
}

async function wireOf(transport: Transport, address: Address, ears: Ears, revision: Revision): Promise<Wire> {
  switch (transport) {
    case "stdio":
      return overStdio(address, ears);
    case "websocket":
      return overWebSocket(address, ears);
    case "http":
      return overHttp(address, ears, revision);
    case "sse":
      return overSse(address, ears);
    default:
      return transport satisfies never;
  }
}
