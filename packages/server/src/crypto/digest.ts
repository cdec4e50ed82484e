/** Digests of values, the same for the same content. */
import type { Hash } from "node:crypto";
import { canonicalJson } from "@photon/core";
import { lazyNodeCrypto } from "./sealed-box.ts";
import { INVALID_PARAMS, RpcError } from "../jsonrpc/errors.ts";

/** Texts up to this length are not hashed, to save time. */
const MAX_UNHASHED_LENGTH = 100;

/** A digest of what a client sent, the same for the same content. */
export const digestJson = (given: unknown): string => digestText(canonicalOf(given));

/**
 * A digest of JSON: the JSON itself if it is short, otherwise its hash. The two are never equal: a hash is 43 characters of base64url, and
 * JSON of that length has a quote or a bracket.
 */
export const digestText = (json: string): string =>
  json.length <= MAX_UNHASHED_LENGTH ? json : sha256(json);

export function canonicalOf(given: unknown): string {
  try {
    return canonicalJson(given);
  } catch {
    // The value is deeper than the stack.
    throw new RpcError(INVALID_PARAMS, "The arguments or answers are nested too deeply.");
  }
}

export const sha256 = (text: string): string => hash(text).digest("base64url");

export const sha256Bytes = (text: string): Buffer => hash(text).digest();

const hash = (text: string): Hash => lazyNodeCrypto().createHash("sha256").update(text);
