import type { House } from "../house.ts";

/** What a caller is told of a server's health, beside that it is well. */
export function healthOf(
  { suspicions, runs }: Pick<House, "suspicions" | "runs">,
  principal: string,
): { readonly suspicions?: readonly string[]; readonly inbox?: true } {
  const own = suspicions.reportedTo(principal);
  return {
    ...(own.length === 0 ? {} : { suspicions: own }),
    // A page that asked for one where there is none would be told of an error by its browser.
    ...(runs === undefined ? {} : { inbox: true }),
  };
}
