/** Who sends a request, and what somebody is told who does not say. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { rejectUpgrade, sendError } from "./responses.ts";
import { Tokens } from "../crypto/bearer-tokens.ts";
import { InvalidDefinition } from "@photon/core";
import type { JsonObject } from "../jsonrpc/messages.ts";

export type Authenticate = (request: IncomingMessage) => string | undefined | Promise<string | undefined>;

interface AuthenticationOptions {
  readonly authenticate?: Authenticate | undefined;
  readonly tokens?: { readonly [principal: string]: string } | undefined;
  readonly oauth?: ProtectedResource | undefined;
}

const WHO =
  "Say who you are: send the header Authorization, as `Authorization: Bearer <token>`, with a token that this server knows.";

export class Authenticator {
  readonly #authenticate: Authenticate;
  readonly #oauth: ProtectedResource | undefined;
  readonly #publicUrl: string | undefined;

  constructor(withPrincipal: AuthenticationOptions, publicUrl: string | undefined) {
    this.#authenticate = authenticatorFor(withPrincipal);
    this.#oauth = withPrincipal.oauth;
    this.#publicUrl = publicUrl;
  }

  async authenticate(request: IncomingMessage): Promise<string | undefined> {
    return this.#authenticate(request);
  }

  /** Goes on once it is known who sent a request. */
  async withPrincipal(
    request: IncomingMessage & { readonly baseUrl?: string },
    response: ServerResponse,
    goOn: (principal: string) => void | Promise<void>,
  ): Promise<void> {
    const known = this.#authenticate(request);
    const principal = known === undefined || typeof known === "string" ? known : await known;
    if (principal !== undefined) return goOn(principal);
    sendError(response, 401, WHO, this.#challengeTo(request, request.baseUrl ?? ""));
  }

  /** Who wants a WebSocket; hangs up on whoever does not say. */
  async authenticateUpgrade(request: IncomingMessage, socket: Duplex): Promise<string | undefined> {
    const principal = await this.#authenticate(request);
    if (principal !== undefined) return principal;
    // Not in a router, which would know: sockets are taken where `/mcp` is.
    const mountedAt = pathOf(request).replace(/\/mcp$/, "");
    rejectUpgrade(socket, "401 Unauthorized", WHO, this.#challengeTo(request, mountedAt));
    return undefined;
  }

  /** How somebody can say who they are. */
  #challengeTo(request: IncomingMessage, mountedAt: string): { readonly "www-authenticate": string } {
    return { "www-authenticate": challengeOf(this.#oauth, baseOf(request, mountedAt, this.#publicUrl)) };
  }
}

/** As it was said how to know that; everybody is the same somebody where nothing was. */
function authenticatorFor({ authenticate, tokens }: AuthenticationOptions): Authenticate {
  if (tokens === undefined) return authenticate ?? (() => "");
  const known = new Tokens(tokens);
  return async (request) => (await authenticate?.(request)) ?? known.bearerOf(request);
}

export const pathOf = ({ url = "" }: Pick<IncomingMessage, "url">): string =>
  new URL(url, "http://localhost").pathname;

/** What a server behind an OAuth authorization server says of itself (RFC 9728). */

export const METADATA_PATH = "/.well-known/oauth-protected-resource";

export interface ProtectedResource {
  /** Where tokens for this server are had: `https://login.example.com`. */
  readonly authorizationServers: readonly string[];
  readonly scopes?: readonly string[];
}

/** To say that tokens are needed, and look at none, would let everybody in. */
export function assertTokensChecked(given: {
  readonly oauth?: ProtectedResource | undefined;
  readonly authenticate?: unknown;
  readonly tokens?: unknown;
}): void {
  if (given.oauth === undefined || given.authenticate !== undefined || given.tokens !== undefined) return;
  throw new InvalidDefinition(
    "oauth tells clients where to get tokens, but checks none: set authenticate or tokens as well.",
  );
}

export function metadataOf({ authorizationServers, scopes }: ProtectedResource, base: string): JsonObject {
  return {
    resource: `${base}/mcp`,
    authorization_servers: authorizationServers,
    bearer_methods_supported: ["header"],
    ...(scopes === undefined ? {} : { scopes_supported: scopes }),
  };
}

/** What somebody who did not say who they are is told. */
function challengeOf(resource: ProtectedResource | undefined, base: string): string {
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
