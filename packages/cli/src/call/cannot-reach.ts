/** Why there is no connection to a server, in a sentence with the way out. */
import { SdkError, SdkErrorCode, UnsupportedProtocolVersionError } from "@modelcontextprotocol/client";
import type { Revision } from "@photon/server";
import { oneLine } from "../terminal/clean-text.ts";
import { UsageError } from "../errors.ts";
import { statusIn, systemCodeIn, wordsIn } from "./failure.ts";
import { NotInTime } from "./in-time.ts";
import { nameOf, type Target } from "./target.ts";

export function cannotReach(target: Target, failure: unknown, revision: Revision | undefined): UsageError {
  return new UsageError(whyNot(target, failure, revision), { cause: failure });
}

function whyNot(target: Target, failure: unknown, revision: Revision | undefined): string {
  const name = nameOf(target);
  const status = statusIn(failure);
  if (status !== undefined) return refusal(name, status);
  const code = systemCodeIn(failure);
  if (code !== undefined)
    return target.kind === "command" ? noCommand(name, target.command, code) : noHost(name, code, failure);
  const spoken = revisionIn(failure);
  if (spoken !== undefined)
    return `${name} does not speak ${revision ?? "a revision that photon speaks"}; it speaks ${spoken}.`;
  if (isLate(failure)) return `${name} has not answered in time; --timeout gives it longer.`;
  if (failure instanceof SdkError) {
    if (failure.code === SdkErrorCode.ConnectionClosed || isCut(failure)) return cut(name, target);
    if (
      failure.code === SdkErrorCode.EraNegotiationFailed &&
      revision !== undefined &&
      failure.data === undefined
    )
      return `${name} does not speak ${revision}.`;
  }
  return `${name} does not answer as an MCP server does: ${oneLine(wordsIn(failure)).slice(0, 300)}`;
}

function refusal(name: string, status: number): string {
  switch (status) {
    case 401:
      return `${name} lets in only who is known to it (401): give a --token, or a --header.`;
    case 403:
      return `${name} refuses this caller (403): look at --token and --header.`;
    case 404:
      return `There is nothing at ${name} (404). Most servers are at /mcp, older ones at /sse.`;
    case 200:
    case 405:
    case 426:
      return `${name} is no address of an MCP server (${status}). Most are at /mcp, older ones at /sse.`;
    default:
      return `${name} refuses the connection (${status}).`;
  }
}

function noHost(name: string, code: string, failure: unknown): string {
  switch (code) {
    case "ECONNREFUSED":
      return `Nobody listens at ${name}: is the server running?`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `There is no such host: ${name}.`;
    case "ECONNRESET":
    case "EPIPE":
      return `${name} hung up.`;
    default:
      return `${name} cannot be reached: ${oneLine(wordsIn(failure))} (${code}).`;
  }
}

function noCommand(name: string, command: string, code: string): string {
  if (code === "ENOENT") return `There is no command ${JSON.stringify(command)}.`;
  if (code === "EACCES") return `${JSON.stringify(command)} is nothing that can be run.`;
  return code === "EPIPE" ? ended(name) : `${name} cannot be run (${code}).`;
}

const cut = (name: string, { kind }: Target): string =>
  kind === "command" ? ended(name) : `${name} hung up.`;

const ended = (name: string): string => `${name} ended before it had answered.`;

const isLate = (failure: unknown): boolean =>
  failure instanceof NotInTime ||
  (failure instanceof SdkError && failure.code === SdkErrorCode.RequestTimeout);

const isCut = ({ message }: Error): boolean => /connection closed/i.test(message);

/** What the server speaks, where that is what is wrong. */
function revisionIn(failure: unknown): string | undefined {
  if (failure instanceof UnsupportedProtocolVersionError) return failure.supported.join(", ");
  return /^Server's protocol version is not supported: (\S+)$/.exec(wordsIn(failure))?.[1];
}
