import type { Identifying } from "./page.ts";
import { isOnLoopback } from "./visitor.ts";

/** Why a page is no good at an address: anybody could open it, or nobody. */
export function whyNoPage(
  place: URL,
  principal: string,
  { identify, checkToken, hasToken }: Identifying,
): string | undefined {
  if (isOnLoopback(place) || identify !== undefined) return undefined;
  if (checkToken === undefined)
    return `a page at ${place.origin} can be opened by anybody who has its address, and nothing tells who that is (tokens, identify)`;
  if (hasToken === undefined || hasToken(principal)) return undefined;
  const who = principal === "" ? "a caller without a name" : JSON.stringify(principal);
  return `a page at ${place.origin} is opened with an access token, and there is none for ${who}`;
}
