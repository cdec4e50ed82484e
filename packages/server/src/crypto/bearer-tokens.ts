/** Bearer tokens: who has which, compared so that the time it takes tells nothing. */
import type { IncomingMessage } from "node:http";
import { InvalidDefinition } from "@photon/core";
import { lazyNodeCrypto } from "./sealed-box.ts";

/** The shortest token that cannot be tried out. */
const LEAST_CHARACTERS = 16;

export class Tokens {
  readonly #digests: readonly (readonly [principal: string, digest: Buffer])[];

  constructor(tokens: { readonly [principal: string]: string }) {
    const given = Object.entries(tokens);
    const isTold = ([principal, token]: readonly [string, string]): boolean =>
      principal !== "" && token.length >= LEAST_CHARACTERS && /^[!-~]+$/.test(token);
    if (!given.every(isTold))
      throw new InvalidDefinition(
        `A token has a name and at least ${LEAST_CHARACTERS} letters, digits or signs, as a header can hold them; make one with: openssl rand -base64 24`,
      );
    if (new Set(given.map(([, token]) => token)).size < given.length)
      throw new InvalidDefinition("Two have the same token: nobody could tell them apart.");
    this.#digests = given.map(([principal, token]) => [principal, digestOf(token)]);
  }

  /** Whether somebody has one. */
  has(principal: string): boolean {
    return this.#digests.some(([name]) => name === principal);
  }

  /** Whose token it is. */
  ownerOf(token: string): string | undefined {
    const digest = digestOf(token);
    let owner: string | undefined;
    // Every one is looked at, whichever it is.
    for (const [principal, known] of this.#digests)
      if (lazyNodeCrypto().timingSafeEqual(known, digest)) owner = principal;
    return owner;
  }

  /** Who sent a request, by the token it bears. */
  bearerOf({ headers: { authorization = "" } }: IncomingMessage): string | undefined {
    const [, token] = /^Bearer +([^\s]+)$/i.exec(authorization) ?? [];
    return token === undefined ? undefined : this.ownerOf(token);
  }
}

const digestOf = (token: string): Buffer => lazyNodeCrypto().createHash("sha256").update(token).digest();
