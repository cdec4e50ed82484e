/**
 * The ways to reach a server, in the order in which they are tried.
 *
 *   1. The newest revision is asked for first, in place; the client falls back to a session by itself where the
 *      server answers that it does not know it.
 *   2. A server that ends or hangs up instead is tried once more, from the start, with a session.
 *   3. An address that refuses to be posted to may be one of the old kind, HTTP+SSE.
 */
import { SdkError, SdkErrorCode, type Client, type Transport } from "@modelcontextprotocol/client";
import type { Revision } from "@photon/server";
import type { CommandIO } from "../io.ts";
import { statusIn } from "./failure.ts";
import type { Headers } from "./headers.ts";
import { HttpTransport } from "./http-transport.ts";
import { SseTransport } from "./sse-transport.ts";
import type { Target } from "./target.ts";

export interface Reaching {
  readonly io: Pick<CommandIO, "env" | "cwd">;
  readonly headers: Headers;
  /** The only revision that will do. */
  readonly revision?: Revision;
  /** How long the server may take for an answer, in milliseconds. */
  readonly timeout: number;
  /** Hears what a command writes to stderr. */
  readonly tell: (line: string) => void;
}

type Options = NonNullable<ConstructorParameters<typeof Client>[1]>;

/** One way: a transport that was not used before, and what the client is to speak on it. */
export interface Way {
  readonly open: () => Promise<Transport>;
  readonly speaking: Pick<Options, "versionNegotiation" | "supportedProtocolVersions">;
  /** Whether it is tried, now that the first has failed like this. */
  readonly follows: (failure: unknown) => boolean;
}

/** How long a server may take to say what it speaks before it is taken for an old one. */
const PATIENCE = 10_000;

export function waysTo(target: Target, reaching: Reaching): readonly Way[] {
  const { revision } = reaching;
  const open = openerFor(target, reaching);
  const first = { open, speaking: speaking(target, reaching), follows: () => true };
  if (target.kind === "sse" || revision === "2026-07-28") return [first];
  if (target.kind === "http") {
    const sse = { ...target, kind: "sse" as const };
    return [first, { open: openerFor(sse, reaching), speaking: speaking(sse, reaching), follows: isNoPost }];
  }
  return revision === undefined ? [first, { open, speaking: {}, follows: isSilent }] : [first];
}

/** What opens a transport of a kind; what only one kind needs is loaded with it. */
const openerFor =
  (target: Target, { io, headers, tell }: Reaching): Way["open"] =>
  async () => {
    switch (target.kind) {
      case "command": {
        const { CommandTransport } = await import("./command-transport.ts");
        return new CommandTransport(target, io, tell);
      }
      case "websocket": {
        const { WebSocketTransport } = await import("./websocket-transport.ts");
        return new WebSocketTransport(target.url, headers);
      }
      case "http":
        return new HttpTransport(target.url, { requestInit: { headers } });
      case "sse":
        return new SseTransport(target.url, { requestInit: { headers } });
      default:
        return target satisfies never;
    }
  };

function speaking({ kind }: Target, { revision, timeout }: Reaching): Way["speaking"] {
  if (revision === "2026-07-28") return { versionNegotiation: { mode: { pin: revision } } };
  if (revision !== undefined) return { supportedProtocolVersions: [revision] };
  if (kind === "sse") return {};
  const probe = kind === "http" ? {} : { probe: { timeoutMs: Math.min(timeout, PATIENCE) } };
  return { versionNegotiation: { mode: "auto", ...probe } };
}

/** The server ended, hung up or said nothing when it was asked what it speaks. */
function isSilent(failure: unknown): boolean {
  if (!(failure instanceof SdkError)) return false;
  return failure.code === SdkErrorCode.EraNegotiationFailed || failure.code === SdkErrorCode.RequestTimeout;
}

const isNoPost = (failure: unknown): boolean => [400, 404, 405, 406].includes(statusIn(failure) ?? 0);
