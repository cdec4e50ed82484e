/**
 * Connects to an MCP server, with up to two attempts.
 *
 *   1. The newest revision is tried first. The client itself falls back to a session when the server answers that it
 *      does not know the revision.
 *   2. If the server ends or hangs up instead, a second attempt opens a session from the start.
 *   3. If a URL refuses POST requests, the second attempt is HTTP+SSE.
 */
import {
  Client,
  SdkError,
  SdkErrorCode,
  type ClientCapabilities,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import type { Revision } from "@photon/server";
import { type CommandIO, version } from "../io.ts";
import { rejectOnAbort } from "../signals.ts";
import { withDetailsInRequests } from "./elicitation.ts";
import { connectError, httpStatusOf, TimedOut } from "./errors.ts";
import type { RequestHeaders, ServerAddress } from "./server-address.ts";
import { CommandTransport, HttpTransport, SseTransport } from "./transports.ts";
import { WebSocketTransport } from "./websocket-transport.ts";

interface ConnectOptions {
  readonly io: Pick<CommandIO, "env" | "cwd">;
  readonly headers: RequestHeaders;
  /** The only revision that is accepted. */
  readonly revision?: Revision;
  readonly capabilities: ClientCapabilities;
  /** How long the server may take for a response, in milliseconds. */
  readonly timeout: number;
  /** Aborted when the connection is no longer needed. */
  readonly signal: AbortSignal;
  /** Receives what a command writes to stderr. */
  readonly onStderrLine: (line: string) => void;
  /** Called for every message of the server. */
  readonly onMessage: () => void;
  /** Changes a message before it is sent. */
  readonly toSend: (message: JSONRPCMessage) => JSONRPCMessage;
  /** Sets the handlers of a client before it connects. */
  readonly prepare: (client: Client) => void;
}

interface Connection {
  readonly client: Client;
  /** Takes a few seconds at most, and never fails. */
  readonly close: () => Promise<void>;
}

/** The longest delay of a timer, in milliseconds: about 24 days. */
export const MAX_TIMEOUT_MS: number = 2 ** 31 - 1;

/** How long closing waits for the server, per step. */
const CLOSE_TIMEOUT_MS = 1000;

/** How long the server may take to name its revision. After that, it is assumed to be an old one. */
const PROBE_TIMEOUT_MS = 10_000;

export async function connect(address: ServerAddress, options: ConnectOptions): Promise<Connection> {
  let failed: { readonly failure: unknown } | undefined;
  const shown = new Set<string>();
  const onStderrLine = (line: string): void => {
    // A command that is started a second time writes the same lines again.
    if (failed === undefined || !shown.has(line)) options.onStderrLine(line);
    shown.add(line);
  };
  for (const attempt of attemptsFor(address, { ...options, onStderrLine })) {
    if (failed !== undefined && !attempt.shouldRetryAfter(failed.failure)) continue;
    try {
      return await tryToConnect(attempt, options);
    } catch (failure) {
      if (options.signal.aborted) throw options.signal.reason;
      failed ??= { failure };
    }
  }
  throw connectError(address, failed?.failure, options.revision);
}

type ClientOptions = NonNullable<ConstructorParameters<typeof Client>[1]>;

/** One attempt: a new transport, and the revisions that the client offers on it. */
interface Attempt {
  readonly open: () => Transport;
  readonly versions: Pick<ClientOptions, "versionNegotiation" | "supportedProtocolVersions">;
  /** Whether this attempt is made after the first has failed like this. */
  readonly shouldRetryAfter: (failure: unknown) => boolean;
}

function attemptsFor(address: ServerAddress, options: ConnectOptions): readonly Attempt[] {
  const { revision } = options;
  const open = (): Transport => openTransport(address, options);
  const first = { open, versions: versionsFor(address, options), shouldRetryAfter: () => true };
  if (address.kind === "sse" || revision === "2026-07-28") return [first];
  if (address.kind === "http") {
    const sse = { ...address, kind: "sse" as const };
    const versions = versionsFor(sse, options);
    return [first, { open: () => openTransport(sse, options), versions, shouldRetryAfter: isPostRefused }];
  }
  return revision === undefined ? [first, { open, versions: {}, shouldRetryAfter: isUnanswered }] : [first];
}

function openTransport(address: ServerAddress, { io, headers, onStderrLine }: ConnectOptions): Transport {
  switch (address.kind) {
    case "command":
      return new CommandTransport(address, io, onStderrLine);
    case "websocket":
      return new WebSocketTransport(address.url, headers);
    case "http":
      return new HttpTransport(address.url, { requestInit: { headers } });
    case "sse":
      return new SseTransport(address.url, { requestInit: { headers } });
    default:
      return address satisfies never;
  }
}

function versionsFor({ kind }: ServerAddress, { revision, timeout }: ConnectOptions): Attempt["versions"] {
  if (revision === "2026-07-28") return { versionNegotiation: { mode: { pin: revision } } };
  if (revision !== undefined) return { supportedProtocolVersions: [revision] };
  if (kind === "sse") return {};
  const probe = kind === "http" ? {} : { probe: { timeoutMs: Math.min(timeout, PROBE_TIMEOUT_MS) } };
  return { versionNegotiation: { mode: "auto", ...probe } };
}

/** Whether the server ended, hung up or did not respond when the client asked for its revision. */
function isUnanswered(failure: unknown): boolean {
  if (!(failure instanceof SdkError)) return false;
  return failure.code === SdkErrorCode.EraNegotiationFailed || failure.code === SdkErrorCode.RequestTimeout;
}

const isPostRefused = (failure: unknown): boolean =>
  [400, 404, 405, 406].includes(httpStatusOf(failure) ?? 0);

async function tryToConnect(attempt: Attempt, options: ConnectOptions): Promise<Connection> {
  const { capabilities, timeout, signal, prepare, onMessage, toSend } = options;
  const client = new Client(
    { name: "photon", version: version() },
    {
      capabilities: { ...capabilities, extensions: { ...capabilities.extensions, "photon/rounds": {} } },
      ...attempt.versions,
      // A tool may ask any number of questions.
      inputRequired: { maxRounds: Number.POSITIVE_INFINITY },
    },
  );
  prepare(client);
  const transport = attempt.open();
  const start = transport.start.bind(transport);
  // The client limits the time of its requests, but not the time before them.
  transport.start = () => withTimeout(timeout, start());
  try {
    signal.throwIfAborted();
    await rejectOnAbort(client.connect(transport, { timeout }), signal);
  } catch (failure) {
    await settledWithin(CLOSE_TIMEOUT_MS, transport.close());
    throw failure;
  }
  observeMessages(transport, onMessage);
  const notifications = trackNotifications(transport, toSend);
  return {
    client,
    async close() {
      await settledWithin(CLOSE_TIMEOUT_MS, Promise.allSettled(notifications));
      if (transport instanceof HttpTransport)
        await settledWithin(CLOSE_TIMEOUT_MS, transport.terminateSession());
      await settledWithin(6 * CLOSE_TIMEOUT_MS, client.close());
    },
  };
}

/** Calls `onMessage` for every message, and keeps the details of questions, which the SDK would drop. */
function observeMessages(transport: Transport, onMessage: () => void): void {
  const { onmessage } = transport;
  const listener: typeof onmessage = (message, extra) => {
    onMessage();
    onmessage?.(withDetailsInRequests(message), extra);
  };
  Object.assign(transport, { onmessage: listener });
}

/** The notifications that are being sent: that a call is cancelled must reach the server before the connection closes. */
function trackNotifications(
  transport: Transport,
  toSend: ConnectOptions["toSend"],
): ReadonlySet<Promise<void>> {
  const notifications = new Set<Promise<void>>();
  const send = transport.send.bind(transport);
  transport.send = (message: JSONRPCMessage, options) => {
    const sent = send(toSend(message), options);
    if (!("id" in message)) {
      notifications.add(sent);
      const remove = (): void => void notifications.delete(sent);
      sent.then(remove, remove);
    }
    return sent;
  };
  return notifications;
}

/** Rejects with `TimedOut` if the promise does not settle within `limit` milliseconds. */
async function withTimeout<T>(limit: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimedOut(`It took longer than ${limit} ms.`)), limit);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits until the promise has settled, `limit` milliseconds at most. */
async function settledWithin(limit: number, promise: Promise<unknown>): Promise<void> {
  await withTimeout(limit, promise).catch(() => {});
}
