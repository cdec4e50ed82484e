/** The principal of a request; bearer tokens; the 401 challenge; OAuth protected resource metadata (RFC 9728). */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { rejectUpgrade, sendError } from "./responses.ts";
import { sha256Bytes } from "../crypto/digest.ts";
import { lazyNodeCrypto } from "../crypto/sealed-box.ts";
import { InvalidDefinition } from "@photon/core";
import type { JsonObject } from "../jsonrpc/messages.ts";

export type Authenticate = (request: IncomingMessage) => string | undefined | Promise<string | undefined>;

export interface ProtectedResource {
  /** Where clients get tokens: `https://login.example.com`. */
  readonly authorizationServers: readonly string[];
  readonly scopes?: readonly string[];
}

export interface AuthenticationOptions {
  /** The principal of a request; `undefined` refuses it. Sessions and calls belong to the principal that began them. Without this, all are "". */
  readonly authenticate?: Authenticate | undefined;
  /** The same with bearer tokens, by principal. `authenticate` is called first. */
  readonly tokens?: { readonly [principal: string]: string } | undefined;
  /** The OAuth server that issues tokens; `authenticate` checks them. */
  readonly oauth?: ProtectedResource | undefined;
}

export const METADATA_PATH = "/.well-known/oauth-protected-resource";

const UNAUTHENTICATED =
  "Authenticate with the header `Authorization: Bearer <token>`, and a token that this server knows.";

export class Authenticator {
  readonly #authenticate: Authenticate;
  readonly #oauth: ProtectedResource | undefined;
  readonly #publicUrl: string | undefined;

  constructor({ authenticate, tokens, oauth }: AuthenticationOptions, publicUrl: string | undefined) {
    const bearers = tokens && new BearerTokens(tokens);
    // Without options, every caller is the principal "".
    this.#authenticate =
      bearers === undefined
        ? (authenticate ?? (() => ""))
        : async (request) => (await authenticate?.(request)) ?? bearers.bearerOf(request);
    this.#oauth = oauth;
    this.#publicUrl = publicUrl;
  }

  /** The principal of a request; `undefined` if it is refused. */
  async authenticate(request: IncomingMessage): Promise<string | undefined> {
    return this.#authenticate(request);
  }

  /** Handles a request with its principal, or sends 401. */
  async withPrincipal(
    request: IncomingMessage & { readonly baseUrl?: string },
    response: ServerResponse,
    handle: (principal: string) => void | Promise<void>,
  ): Promise<void> {
    const found = this.#authenticate(request);
    const principal = found === undefined || typeof found === "string" ? found : await found;
    if (principal !== undefined) return handle(principal);
    sendError(response, 401, UNAUTHENTICATED, this.#challenge(request, request.baseUrl ?? ""));
  }

  /** The principal of an upgrade. Without one, refuses the upgrade with 401. */
  async authenticateUpgrade(request: IncomingMessage, socket: Duplex): Promise<string | undefined> {
    const principal = await this.#authenticate(request);
    if (principal !== undefined) return principal;
    // An upgrade does not pass the router, which knows its prefix.
    const prefix = pathOf(request).replace(/\/mcp$/, "");
    rejectUpgrade(socket, "401 Unauthorized", UNAUTHENTICATED, this.#challenge(request, prefix));
    return undefined;
  }

  #challenge(request: IncomingMessage, prefix: string): { readonly "www-authenticate": string } {
    if (this.#oauth === undefined) return { "www-authenticate": "Bearer" };
    const metadata = baseOf(request, prefix, this.#publicUrl) + METADATA_PATH;
    return { "www-authenticate": `Bearer resource_metadata="${metadata}"` };
  }
}

export const pathOf = ({ url = "" }: Pick<IncomingMessage, "url">): string =>
  new URL(url, "http://localhost").pathname;

/** A server that requires tokens and does not check them would admit every caller. */
export function assertTokensChecked({ oauth, authenticate, tokens }: AuthenticationOptions): void {
  if (oauth === undefined || authenticate !== undefined || tokens !== undefined) return;
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

/** The URL of the server, from the Host header, which the guard has checked, and the prefix of the router. */
export function baseOf(
  { headers, socket }: IncomingMessage,
  prefix: string,
  publicUrl: string | undefined,
): string {
  const scheme = "encrypted" in socket ? "https" : "http";
  // The challenge quotes the URL.
  const path = prefix.replaceAll('"', "%22");
  return (publicUrl ?? `${scheme}://${headers.host ?? "localhost"}${path}`).replace(/\/+$/, "");
}

/** Shorter tokens can be guessed. */
const MIN_TOKEN_LENGTH = 16;

/** Access tokens and their principals, compared in constant time. */
export class BearerTokens {
  readonly #digests: readonly (readonly [principal: string, digest: Buffer])[];

  constructor(tokens: { readonly [principal: string]: string }) {
    const given = Object.entries(tokens);
    const isValid = ([principal, token]: readonly [string, string]): boolean =>
      principal !== "" && token.length >= MIN_TOKEN_LENGTH && /^[!-~]+$/.test(token);
    if (!given.every(isValid))
      throw new InvalidDefinition(
        `A token needs a name, and at least ${MIN_TOKEN_LENGTH} printable ASCII characters without blanks; create one with: openssl rand -base64 24`,
      );
    if (new Set(given.map(([, token]) => token)).size < given.length)
      throw new InvalidDefinition("Two names have the same token; give each a token of its own.");
    this.#digests = given.map(([principal, token]) => [principal, sha256Bytes(token)]);
  }

  /** Whether a principal has a token. */
  has(principal: string): boolean {
    return this.#digests.some(([name]) => name === principal);
  }

  ownerOf(token: string): string | undefined {
    const digest = sha256Bytes(token);
    let owner: string | undefined;
    // All are compared, so that the time does not depend on the token.
    for (const [principal, known] of this.#digests)
      if (lazyNodeCrypto().timingSafeEqual(known, digest)) owner = principal;
    return owner;
  }

  /** The principal of a request, by its Authorization header. */
  bearerOf({ headers: { authorization = "" } }: IncomingMessage): string | undefined {
    const [, token] = /^Bearer +([^\s]+)$/i.exec(authorization) ?? [];
    return token === undefined ? undefined : this.ownerOf(token);
  }
}
