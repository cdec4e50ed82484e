import type { Reply } from "@photon/core";
import { PageRefused } from "../pages/page.ts";
import { INVALID_PARAMS, METHOD_NOT_FOUND } from "../jsonrpc/errors.ts";
import { ClientError, LineClosed, TakenBack } from "../jsonrpc/outgoing-requests.ts";

/** What a client that answers with an error has said. It never becomes an answer. */
export function replyForFailure(error: unknown, report: (error: unknown) => void): Reply {
  if (error instanceof LineClosed || error instanceof TakenBack) return { action: "cancel" };
  if (error instanceof PageRefused) return { action: "unsupported", reason: error.reason };
  report(error);
  if (!(error instanceof ClientError)) return { action: "cancel" };
  // -1 is what the specification gives for a person who rejected a request for a sample.
  if (error.code === -1) return { action: "decline" };
  return error.code === METHOD_NOT_FOUND || error.code === INVALID_PARAMS
    ? { action: "unsupported", reason: `the client refused it: ${error.message}` }
    : { action: "cancel" };
}
