/**
 * What clients leave behind in a server, seen without its help: on the heap, after everything was collected that nobody
 * holds, and in the process.
 */
import { queryObjects } from "node:v8";
import { OutgoingRequests } from "../../src/jsonrpc/outgoing-requests.ts";
import { SessionClient } from "../../src/sessions/session-client.ts";
import { Session } from "../../src/sessions/session.ts";
import { StreamableSession } from "../../src/transports/streamable-session.ts";

const kinds = {
  /** Whoever still listens to the catalog, or has a client to tell something, holds one of these. */
  sessions: Session,
  httpSessions: StreamableSession,
  /** One for each client; what it was asked and has not answered is in there. */
  pendingRequests: OutgoingRequests,
  calls: SessionClient,
  /** A listener for the end of something is with its signal. */
  signals: AbortSignal,
};

type Kind = keyof typeof kinds;

/** How many there are of what a server makes for its clients. Each kind costs a collection. */
export function heldOnHeap(
  wanted: readonly Kind[] = ["sessions", "httpSessions", "pendingRequests", "calls", "signals"],
): { readonly [kind in Kind]?: number } {
  return Object.fromEntries(wanted.map((kind) => [kind, queryObjects(kinds[kind], { format: "count" })]));
}

export interface InProcess {
  readonly sockets: number;
  readonly listeningSockets: number;
  readonly timers: number;
  readonly listeners: number;
}

/** What the process itself knows: handles, timers that keep it alive, and who listens to it. */
export function openInProcess(): InProcess {
  const resources = process.getActiveResourcesInfo();
  const count = (kind: string): number => resources.filter((one) => one === kind).length;
  return {
    sockets: count("TCPSocketWrap"),
    listeningSockets: count("TCPServerWrap"),
    timers: count("Timeout"),
    listeners: process.eventNames().reduce((sum, event) => sum + process.listenerCount(event), 0),
  };
}
