/** What an address says: `#tool/<name>?input=<json>`. Pure. */
import { nameOf, type Offer } from "../desk/offer.ts";
import type { Given } from "../desk/run.ts";
import { isRecord } from "../is-record.ts";

export interface Place {
  readonly offerName: string;
  readonly given?: Given;
}

export function placeIn(hash: string): Place | undefined {
  const [, kind, name, input] =
    /^#(tool|prompt|resource|template)\/([^?]+)(?:\?input=(.*))?$/su.exec(hash) ?? [];
  if (kind === undefined || name === undefined) return undefined;
  try {
    const given: unknown = input === undefined ? undefined : JSON.parse(decodeURIComponent(input));
    return {
      offerName: `${kind}/${decodeURIComponent(name)}`,
      ...(isRecord(given) ? { given } : {}),
    };
  } catch {
    return undefined;
  }
}

export function hashOf(offer: Offer, given?: Given): string {
  const input = given === undefined ? "" : `?input=${encodeURIComponent(JSON.stringify(given))}`;
  const [kind, ...rest] = nameOf(offer).split("/");
  // Half a character is none that an address can have.
  const name = rest.join("/").replaceAll(/\p{Surrogate}/gu, "\uFFFD");
  return `#${kind}/${encodeURIComponent(name)}${input}`;
}
