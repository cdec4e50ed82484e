import { UrlRequired, type Client } from "@photon/core";
import type { Features } from "../protocol/revisions.ts";
import { RpcError, URL_ELICITATION_REQUIRED } from "../jsonrpc/errors.ts";

/** The error that sends a person somewhere first, where the client knows it: whoever was there calls again. */
export function urlRequired(error: unknown, features: Features, can: Client["can"]): RpcError | undefined {
  if (!(error instanceof UrlRequired) || !features.elicitation2511 || !can.url) return undefined;
  const elicitations = error.urls.map(({ message, url }) => ({
    mode: "url",
    elicitationId: crypto.randomUUID(),
    url,
    message,
  }));
  return new RpcError(URL_ELICITATION_REQUIRED, error.message, { elicitations });
}
