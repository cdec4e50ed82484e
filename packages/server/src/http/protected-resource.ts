/** What a server behind an OAuth authorization server says of itself (RFC 9728). */
import type { IncomingMessage } from "node:http";
import { InvalidDefinition } from "@photon/core";
import type { Wire } from "../jsonrpc/messages.ts";

export const METADATA_PATH = "/.well-known/oauth-protected-resource";

export interface ProtectedResource {
  /** Where tokens for this server are had: `https://login.example.com`. */
  readonly authorizationServers: readonly string[];
  readonly scopes?: readonly string[];
}

/** To say that tokens are needed, and look at none, would let everybody in. */
export function refuseUnchecked(given: {
  readonly oauth?: ProtectedResource | undefined;
  readonly authenticate?: unknown;
  readonly tokens?: unknown;
}): void {
  if (given.oauth === undefined || given.authenticate !== undefined || given.tokens !== undefined) return;
  throw new InvalidDefinition(
    "oauth tells clients where to get tokens, but checks none: set authenticate or tokens as well.",
  );
}

export function metadataOf({ authorizationServers, scopes }: ProtectedResource, base: string): Wire {
  return {
    resource: `${base}/mcp`,
    authorization_servers: authorizationServers,
    bearer_methods_supported: ["header"],
    ...(scopes === undefined ? {} : { scopes_supported: scopes }),
  };
}

/** What somebody who did not say who they are is told. */
export function challengeOf(resource: ProtectedResource | undefined, base: string): string {
  return resource === undefined ? "Bearer" : `Bearer resource_metadata="${base}${METADATA_PATH}"`;
}

/** Where a server is reached, as far as a request tells, under what it is mounted at. Its Host was looked at before. */
export function baseOf(
  { headers, socket }: IncomingMessage,
  mountedAt: string,
  publicUrl: string | undefined,
): string {
  const scheme = "encrypted" in socket ? "https" : "http";
  // It stands between quotes in the challenge.
  const path = mountedAt.replaceAll('"', "%22");
  return (publicUrl ?? `${scheme}://${headers.host ?? "localhost"}${path}`).replace(/\/+$/, "");
}
