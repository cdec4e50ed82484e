/** The `_meta` of a request of 2026-07-28: revision, client, log level. Every request has all of it. Pure. */
import { type Client, type LogLevel, logLevels, type Trace } from "@photon/core";
import { INVALID_PARAMS, RpcError, UNSUPPORTED_VERSION } from "../jsonrpc/errors.ts";
import { isRecord, isRequestId, type Params, type RequestId } from "../jsonrpc/messages.ts";
import { clientFrom } from "./client-info.ts";
import { parseLogLevel } from "./notifications.ts";
import { declaresAnyRounds, declaresDetails } from "./question-metadata.ts";
import { STATELESS_REVISION, type Revision } from "./revisions.ts";

const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
const LOG_LEVEL = "io.modelcontextprotocol/logLevel";
export const SERVER_INFO = "io.modelcontextprotocol/serverInfo";
export const SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";

export interface RequestMeta {
  readonly revision: Revision;
  readonly client: Client;
  /** The client declares `photon/questions`. */
  readonly wantsDetails: boolean;
  /** The client declares `photon/rounds`. */
  readonly takesAnyRounds: boolean;
  readonly token: RequestId | undefined;
  /** The lowest level that is logged to the client; nothing is logged without one. */
  readonly logLevel: LogLevel | undefined;
  readonly trace: Trace | undefined;
}

/** The client of a request, which takes a limited number of rounds of questions in one call. */
export const limitedClient = ({ client, takesAnyRounds }: RequestMeta): Client | undefined =>
  takesAnyRounds ? undefined : client;

/** The revision in the `_meta` of a message; with one, the message belongs to no session. */
export function declaredRevision(message: unknown): unknown {
  const params = isRecord(message) ? message["params"] : undefined;
  const meta = isRecord(params) ? params["_meta"] : undefined;
  return isRecord(meta) ? meta[VERSION] : undefined;
}

/** Parses the `_meta` of a request. Throws where it is invalid. */
export function parseRequestMeta(params: Params): RequestMeta {
  const meta: { readonly [name: string]: unknown } = isRecord(params["_meta"]) ? params["_meta"] : {};
  const version = meta[VERSION];
  const capabilities = meta[CAPABILITIES];
  if (typeof version !== "string") throw invalid(`${VERSION} must be a text`);
  if (version !== STATELESS_REVISION) {
    throw new RpcError(
      UNSUPPORTED_VERSION,
      `This server does not support requests of the revision ${version}.`,
      {
        supported: [STATELESS_REVISION],
        requested: version,
      },
    );
  }
  if (!isRecord(capabilities)) throw invalid(`${CAPABILITIES} must be an object`);
  const level = meta[LOG_LEVEL];
  const logLevel = level === undefined ? undefined : parseLogLevel(level);
  if (level !== undefined && logLevel === undefined)
    throw invalid(`${LOG_LEVEL} must be one of ${logLevels.join(", ")}`);
  const token = meta["progressToken"];
  if (token !== undefined && !isRequestId(token))
    throw invalid("progressToken must be a text or a whole number");
  return {
    revision: STATELESS_REVISION,
    client: clientFrom(meta[CLIENT_INFO], capabilities),
    wantsDetails: declaresDetails(capabilities),
    takesAnyRounds: declaresAnyRounds(capabilities),
    token,
    logLevel,
    trace: traceIn(meta),
  };
}

function traceIn(meta: { readonly [name: string]: unknown }): Trace | undefined {
  const { traceparent, tracestate, baggage } = meta;
  if (typeof traceparent !== "string") return undefined;
  return {
    traceparent,
    ...(typeof tracestate === "string" ? { tracestate } : {}),
    ...(typeof baggage === "string" ? { baggage } : {}),
  };
}

const invalid = (sentence: string): RpcError =>
  new RpcError(INVALID_PARAMS, `The _meta of the request is invalid: ${sentence}.`);
