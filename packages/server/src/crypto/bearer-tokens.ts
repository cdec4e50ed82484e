/** Bearer tokens and their principals, compared in constant time. */
import type { IncomingMessage } from "node:http";
import { InvalidDefinition } from "@photon/core";
import { lazyNodeCrypto } from "./sealed-box.ts";

/** Shorter tokens can be guessed. */
const MIN_TOKEN_LENGTH = 16;

export class BearerTokens {
  readonly #digests: readonly (readonly [principal: string, digest: Buffer])[];

  constructor(tokens: { readonly [principal: string]: string }) {
    const given = Object.entries(tokens);
    const isValid = ([principal, token]: readonly [string, string]): boolean =>
      principal !== "" && token.length >= MIN_TOKEN_LENGTH && /^[!-~]+$/.test(token);
    if (!given.every(isValid))
      throw new InvalidDefinition(
        `A token has a name and at least ${MIN_TOKEN_LENGTH} letters, digits or signs, as a header can hold them; make one with: openssl rand -base64 24`,
      );
    if (new Set(given.map(([, token]) => token)).size < given.length)
      throw new InvalidDefinition("Two names have the same token; give each a token of its own.");
    this.#digests = given.map(([principal, token]) => [principal, digestOf(token)]);
  }

  /** Whether a principal has a token. */
  has(principal: string): boolean {
    return this.#digests.some(([name]) => name === principal);
  }

  ownerOf(token: string): string | undefined {
    const digest = digestOf(token);
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

const digestOf = (token: string): Buffer => lazyNodeCrypto().createHash("sha256").update(token).digest();
