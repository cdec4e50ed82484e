/** A connection to an MCP server, by the first way that leads there. */
import {
  Client,
  type ClientCapabilities,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { version } from "../package-info.ts";
import { cannotReach } from "./cannot-reach.ts";
import { HttpTransport } from "./http-transport.ts";
import { atMost, inTime } from "./in-time.ts";
import { withDetailsInRequests } from "./question-details.ts";
import type { Target } from "./target.ts";
import { waysTo, type Reaching, type Way } from "./ways.ts";

export interface Connecting extends Reaching {
  readonly capabilities: ClientCapabilities;
  /** Aborted when nobody wants the connection any more. */
  readonly signal: AbortSignal;
  /** Gives a client its handlers, before it is connected. */
  readonly prepare: (client: Client) => void;
  /** Hears that the server has said something, whatever it is. */
  readonly heard: () => void;
}

export interface Connection {
  readonly client: Client;
  /** Ends it, with what is still to be said. Never takes long, and never fails. */
  readonly close: () => Promise<void>;
}

/** Nobody waits longer than this, in milliseconds, for a server to be told goodbye. */
const GOODBYE = 1000;

export async function connect(target: Target, connecting: Connecting): Promise<Connection> {
  let failed: { readonly failure: unknown } | undefined;
  const told = new Set<string>();
  const tell = (line: string): void => {
    // A command that is started a second time says the same again.
    if (failed === undefined || !told.has(line)) connecting.tell(line);
    told.add(line);
  };
  for (const way of waysTo(target, { ...connecting, tell })) {
    if (failed !== undefined && !way.follows(failed.failure)) continue;
    try {
      return await connectBy(way, connecting);
    } catch (failure) {
      if (connecting.signal.aborted) throw connecting.signal.reason;
      failed ??= { failure };
    }
  }
  throw cannotReach(target, failed?.failure, connecting.revision);
}

async function connectBy(way: Way, connecting: Connecting): Promise<Connection> {
  const { capabilities, timeout, signal, prepare, heard } = connecting;
  const client = new Client(
    { name: "photon", version: version() },
    // A tool may ask as often as it likes: somebody answers each time, or nobody does.
    {
      capabilities: { ...capabilities, extensions: { ...capabilities.extensions, "photon/rounds": {} } },
      ...way.speaking,
      inputRequired: { maxRounds: Number.POSITIVE_INFINITY },
    },
  );
  prepare(client);
  const transport = await way.open();
  const start = transport.start.bind(transport);
  // The client keeps the time of its requests, but not of what comes before them.
  transport.start = () => inTime(timeout, start());
  const given = new AbortController();
  const unwanted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), {
      once: true,
      signal: given.signal,
    });
  });
  try {
    signal.throwIfAborted();
    await Promise.race([client.connect(transport, { timeout }), unwanted]);
  } catch (failure) {
    await atMost(GOODBYE, transport.close());
    throw failure;
  } finally {
    given.abort();
  }
  listen(transport, heard);
  const notices = noticesOn(transport);
  return {
    client,
    async close() {
      await atMost(GOODBYE, Promise.allSettled(notices));
      if (transport instanceof HttpTransport) await atMost(GOODBYE, transport.terminateSession());
      await atMost(6 * GOODBYE, client.close());
    },
  };
}

/** Tells of every message that comes, and keeps what the SDK would drop of it. */
function listen(transport: Transport, heard: () => void): void {
  const { onmessage } = transport;
  const listener: typeof onmessage = (message, extra) => {
    heard();
    onmessage?.(withDetailsInRequests(message), extra);
  };
  Object.assign(transport, { onmessage: listener });
}

/** What is told to the server and on its way: that a call is cancelled must reach it before the end. */
function noticesOn(transport: Transport): ReadonlySet<Promise<void>> {
  const notices = new Set<Promise<void>>();
  const send = transport.send.bind(transport);
  transport.send = (message: JSONRPCMessage, options) => {
    const sent = send(message, options);
    if (!("id" in message)) {
      notices.add(sent);
      const gone = (): void => void notices.delete(sent);
      sent.then(gone, gone);
    }
    return sent;
  };
  return notices;
}
