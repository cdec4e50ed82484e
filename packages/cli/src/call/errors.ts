/** Why a connection or a call failed, as sentences. */
import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  UnsupportedProtocolVersionError,
} from "@modelcontextprotocol/client";
import { PhotonError, type Timeout } from "@photon/core";
import type { Revision } from "@photon/server";
import { UsageError } from "../errors.ts";
import { oneLine } from "../terminal/text.ts";
import { isRecord } from "../unknown.ts";
import { nameOf, type ServerAddress } from "./server-address.ts";
import { STREAM_CUT } from "./transports.ts";

/** The call ended because of the server or the connection. */
class CallError extends PhotonError {
  override readonly name = "CallError";
  readonly code = "CALL_FAILED";
}

/** An operation took longer than its limit. */
export class TimedOut extends Error {
  override readonly name = "TimedOut";
}

export const callError = (address: ServerAddress, failure: unknown): CallError =>
  new CallError(whyCallFailed(nameOf(address), failure), { cause: failure });

/** The server has sent nothing within `--timeout`. */
export const idleError = (address: ServerAddress, timeout: Timeout): CallError =>
  new CallError(`${nameOf(address)} has sent nothing for ${timeout}; --timeout allows more time.`);

/** The most characters of a message of the server that are shown. */
const MAX_MESSAGE = 300;

function whyCallFailed(name: string, failure: unknown): string {
  const message = oneLine(innermostMessage(failure)).slice(0, MAX_MESSAGE);
  if (failure instanceof MissingRequiredClientCapabilityError)
    return missingCapability(Object.keys(failure.requiredCapabilities), message);
  if (message.startsWith("Invalid elicitation request"))
    return `${name} asks a question that no form can show: ${message}`;
  if (failure instanceof ProtocolError)
    return message === STREAM_CUT ? closed(name) : `${name} refused the call: ${message} (${failure.code})`;
  if (failure instanceof SdkError) {
    if (failure.code === SdkErrorCode.ConnectionClosed) return closed(name);
    const method = isRecord(failure.data) ? failure.data["method"] : undefined;
    if (failure.code === SdkErrorCode.CapabilityNotSupported && typeof method === "string")
      return missingCapability([method.split("/", 1)[0] ?? method], message);
  }
  const status = httpStatusOf(failure);
  if (status !== undefined) return `${name} refused the call (${status}): ${message}`;
  return systemCodeOf(failure) === undefined ? `The call failed: ${message}` : closed(name);
}

const closed = (name: string): string => `${name} closed the connection before the call ended.`;

/** A capability that the server needs and a terminal does not have. */
function missingCapability(capabilities: readonly string[], message: string): string {
  if (capabilities.includes("roots"))
    return "The tool asks which folder it may work in; --root sends it the current folder.";
  if (capabilities.includes("sampling"))
    return "The tool asks for a language model, and a terminal has none.";
  return `The tool needs a capability that a terminal does not have: ${message}`;
}

export function connectError(
  address: ServerAddress,
  failure: unknown,
  revision: Revision | undefined,
): UsageError {
  return new UsageError(whyNotConnected(address, failure, revision), { cause: failure });
}

function whyNotConnected(address: ServerAddress, failure: unknown, revision: Revision | undefined): string {
  const name = nameOf(address);
  const status = httpStatusOf(failure);
  if (status !== undefined) return httpProblem(name, status);
  const code = systemCodeOf(failure);
  if (code !== undefined)
    return address.kind === "command"
      ? commandProblem(name, address.command, code)
      : networkProblem(name, code, failure);
  const supported = supportedRevisions(failure);
  if (supported !== undefined)
    return `${name} does not support ${revision ?? "a revision that photon supports"}; it supports ${supported}.`;
  if (isTimeout(failure)) return `${name} has not responded in time; --timeout allows more time.`;
  if (failure instanceof SdkError) {
    if (failure.code === SdkErrorCode.ConnectionClosed || /connection closed/i.test(failure.message))
      return address.kind === "command" ? exited(name) : hungUp(name);
    const isRefused = failure.code === SdkErrorCode.EraNegotiationFailed && failure.data === undefined;
    if (isRefused && revision !== undefined) return `${name} does not support ${revision}.`;
  }
  return `${name} does not respond as an MCP server does: ${oneLine(innermostMessage(failure)).slice(0, MAX_MESSAGE)}`;
}

function httpProblem(name: string, status: number): string {
  switch (status) {
    case 401:
      return `${name} requires authentication (401): add --token or --header.`;
    case 403:
      return `${name} refuses this caller (403): check --token and --header.`;
    case 404:
      return `There is nothing at ${name} (404). Most servers are at /mcp, older ones at /sse.`;
    case 200:
    case 405:
      return `${name} is not the address of an MCP server (${status}). Most are at /mcp, older ones at /sse.`;
    case 426:
      return `${name} accepts only WebSocket connections (426): use ${name.replace(/^http/, "ws")}.`;
    default:
      return `${name} refuses the connection (${status}).`;
  }
}

function networkProblem(name: string, code: string, failure: unknown): string {
  switch (code) {
    case "ECONNREFUSED":
      return `No server listens at ${name}: is it running?`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `There is no such host: ${name}.`;
    case "ECONNRESET":
    case "EPIPE":
      return hungUp(name);
    default:
      return `${name} cannot be reached: ${oneLine(innermostMessage(failure))} (${code}).`;
  }
}

function commandProblem(name: string, command: string, code: string): string {
  if (code === "ENOENT") return `There is no command ${JSON.stringify(command)}.`;
  if (code === "EACCES") return `${JSON.stringify(command)} is not executable.`;
  return code === "EPIPE" ? exited(name) : `${name} cannot be run (${code}).`;
}

const hungUp = (name: string): string => `${name} closed the connection.`;

const exited = (name: string): string => `${name} exited before it responded.`;

const isTimeout = (failure: unknown): boolean =>
  failure instanceof TimedOut ||
  (failure instanceof SdkError && failure.code === SdkErrorCode.RequestTimeout);

/** The revisions of the server, if the failure is that none of them was offered. */
function supportedRevisions(failure: unknown): string | undefined {
  if (failure instanceof UnsupportedProtocolVersionError) return failure.supported.join(", ");
  return /^Server's protocol version is not supported: (\S+)$/.exec(innermostMessage(failure))?.[1];
}

/** An error and its causes, from the outside in. */
function* causesOf(failure: unknown, depth = 0): Generator<object> {
  if (typeof failure !== "object" || failure === null || depth > 10) return;
  yield failure;
  if ("cause" in failure) yield* causesOf(failure.cause, depth + 1);
  // Both addresses of "localhost" may have been tried.
  if (failure instanceof AggregateError) for (const one of failure.errors) yield* causesOf(one, depth + 1);
}

/** The HTTP status that a server refused with. */
export function httpStatusOf(failure: unknown): number | undefined {
  for (const error of causesOf(failure)) {
    const { status, data, code } = error as { status?: unknown; data?: { status?: unknown }; code?: unknown };
    // An SSE error has the status as its code; the codes of JSON-RPC are below zero.
    for (const found of [status, data?.status, code]) {
      if (typeof found === "number" && found >= 100 && found < 600) return found;
    }
  }
  return undefined;
}

/** A fixed list: the message of a server may contain other words in capitals. */
const CODE_IN_MESSAGE =
  /\b(?:ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)\b/;

/** The code of a system error: "ECONNREFUSED", "CERT_HAS_EXPIRED". Some errors have it only in their message. */
export function systemCodeOf(failure: unknown): string | undefined {
  for (const error of causesOf(failure)) {
    const code: unknown = "code" in error ? error.code : undefined;
    if (typeof code === "string" && /^E[A-Z]+$|CERT|_(?:SSL|TLS)_|SIGNATURE/.test(code)) return code;
    const [found] = CODE_IN_MESSAGE.exec(error instanceof Error ? error.message : "") ?? [];
    if (found !== undefined) return found;
  }
  return undefined;
}

function innermostMessage(failure: unknown): string {
  const messages = [...causesOf(failure)].flatMap((error) =>
    error instanceof Error && error.message !== "" ? [error.message] : [],
  );
  return messages.at(-1) ?? String(failure);
}
