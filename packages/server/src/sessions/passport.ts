/**
 * What a process needs to go on with a session that was begun in another: the id that its client was given, sealed.
 *
 * The handshake is in it, so that no store has to be asked for it. It belongs to whoever began the session.
 */
import type { DeclaredClient } from "../protocol/client-info.ts";
import type { Revision } from "../protocol/revisions.ts";
import type { Sealer } from "../crypto/sealed-box.ts";

export interface Passport {
  /** Tells sessions apart. */
  readonly id: string;
  readonly revision: Revision;
  readonly client: DeclaredClient;
  readonly principal: string;
  /** Until when it is good, in milliseconds since 1970. That it was ended is remembered for as long. */
  readonly until: number;
}

const BOUND = "photon session";

export const issue = (passport: Passport, sealer: Sealer): string =>
  sealer.seal(JSON.stringify(passport), BOUND);

/** The session that a text is the passport of, if it is one, theirs, and still good. */
export function readPassport(
  text: string,
  principal: string,
  sealer: Sealer,
  now: number,
): Passport | undefined {
  const opened = sealer.open(text, BOUND);
  if (opened === undefined) return undefined;
  // What opens was sealed by one of us.
  const passport = JSON.parse(opened) as Passport;
  return passport.principal === principal && passport.until > now ? passport : undefined;
}
