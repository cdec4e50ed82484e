/** Digests of values, the same for the same content. */
import { canonicalJson } from "@photon/core";
import { lazyNodeCrypto } from "./sealed-box.ts";
import { INVALID_PARAMS, RpcError } from "../jsonrpc/errors.ts";

/** What is not longer than this, in characters, is not worth a digest. */
const SHORT = 100;

/** A digest of what a client sent, the same for the same content. */
export const digestJson = (given: unknown): string => digestText(canonicalOf(given));

/** A digest of a text; a short one is its own. No JSON of more than a word looks like a digest. */
export const digestText = (json: string): string => (json.length <= SHORT ? json : sha256(json));

export function canonicalOf(given: unknown): string {
  try {
    return canonicalJson(given);
  } catch {
    // Deeper than the stack.
    throw new RpcError(INVALID_PARAMS, "That is nested too deeply.");
  }
}

const sha256 = (text: string): string =>
  lazyNodeCrypto().createHash("sha256").update(text).digest("base64url");
