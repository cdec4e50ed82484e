/** The principal of a request; the challenge to a request without one; OAuth metadata. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { rejectUpgrade, sendError } from "./responses.ts";
import { BearerTokens } from "../crypto/bearer-tokens.ts";
import { InvalidDefinition } from "@photon/core";
import type { JsonObject } from "../jsonrpc/messages.ts";

export type Authenticate = (request: IncomingMessage) => string | undefined | Promise<string | undefined>;

interface AuthenticationOptions {
  readonly authenticate?: Authenticate | undefined;
  readonly tokens?: { readonly [principal: string]: string } | undefined;
  readonly oauth?: ProtectedResource | undefined;
}

const UNAUTHENTICATED =
  "Say who you are: send the header Authorization, as `Authorization: Bearer <token>`, with a token that this server knows.";

export class Authenticator {
  readonly #authenticate: Authenticate;
  readonly #oauth: ProtectedResource | undefined;
  readonly #publicUrl: string | undefined;

  constructor(options: AuthenticationOptions, publicUrl: string | undefined) {
    this.#authenticate = authenticateWith(options);
    this.#oauth = options.oauth;
    this.#publicUrl = publicUrl;
  }

  async authenticate(request: IncomingMessage): Promise<string | undefined> {
    return this.#authenticate(request);
  }

  /** Handles a request with its principal, or answers 401. */
  async withPrincipal(
    request: IncomingMessage & { readonly baseUrl?: string },
    response: ServerResponse,
    handle: (principal: string) => void | Promise<void>,
  ): Promise<void> {
    const known = this.#authenticate(request);
    const principal = known === undefined || typeof known === "string" ? known : await known;
    if (principal !== undefined) return handle(principal);
    sendError(response, 401, UNAUTHENTICATED, this.#challengeTo(request, request.baseUrl ?? ""));
  }

  /** The principal of an upgrade; answers 401 without one. */
  async authenticateUpgrade(request: IncomingMessage, socket: Duplex): Promise<string | undefined> {
    const principal = await this.#authenticate(request);
    if (principal !== undefined) return principal;
    // An upgrade does not pass the router, which knows its prefix.
    const mountedAt = pathOf(request).replace(/\/mcp$/, "");
    rejectUpgrade(socket, "401 Unauthorized", UNAUTHENTICATED, this.#challengeTo(request, mountedAt));
    return undefined;
  }

  #challengeTo(request: IncomingMessage, mountedAt: string): { readonly "www-authenticate": string } {
    return { "www-authenticate": challengeOf(this.#oauth, baseOf(request, mountedAt, this.#publicUrl)) };
  }
}

/** Without options, every caller is the principal "". */
function authenticateWith({ authenticate, tokens }: AuthenticationOptions): Authenticate {
  if (tokens === undefined) return authenticate ?? (() => "");
  const known = new BearerTokens(tokens);
  return async (request) => (await authenticate?.(request)) ?? known.bearerOf(request);
}

export const pathOf = ({ url = "" }: Pick<IncomingMessage, "url">): string =>
  new URL(url, "http://localhost").pathname;

/** OAuth protected resource metadata (RFC 9728). */
export const METADATA_PATH = "/.well-known/oauth-protected-resource";

export interface ProtectedResource {
  /** Where clients get tokens: `https://login.example.com`. */
  readonly authorizationServers: readonly string[];
  readonly scopes?: readonly string[];
}

/** Requiring tokens without checking them would admit every caller. */
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

function challengeOf(resource: ProtectedResource | undefined, base: string): string {
  return resource === undefined ? "Bearer" : `Bearer resource_metadata="${base}${METADATA_PATH}"`;
}

/** The URL of the server, from the Host header, which was checked before, and the prefix of the router. */
export function baseOf(
  { headers, socket }: IncomingMessage,
  mountedAt: string,
  publicUrl: string | undefined,
): string {
  const scheme = "encrypted" in socket ? "https" : "http";
  // Quoted in the challenge.
  const path = mountedAt.replaceAll('"', "%22");
  return (publicUrl ?? `${scheme}://${headers.host ?? "localhost"}${path}`).replace(/\/+$/, "");
}
