/**
 * One flag for every limit of the server, by one rule: `runsPerSession` is `--limit-runs-per-session`.
 *
 * A limit that the server gets needs a line here, or this does not compile.
 */
import { defaultLimits, type Limits } from "@photon/server";

const SUMMARIES: Readonly<Record<keyof Limits, string>> = {
  runsPerSession: "calls of one session under way at once",
  asksPerSession: "questions of one session open at once",
  messageBytes: "the size of one message, in bytes",
  messageValues: "values in one message, in all its objects and lists",
  messageKeys: "keys in one message, in all its objects",
  batch: "messages in one batch, which 2025-03-26 has",
  connections: "connections to the port at once, WebSockets included",
  connectionsPerAddress: "the same, of one network address, without WebSockets",
  sessions: "sessions at once",
  sessionsPerPrincipal: "the same, of one principal, or of one address without principals",
  bytes: "memory of calls, unfinished messages, unread output and kept events, in bytes",
  bytesPerPrincipal: "the same, of one principal",
  queueBytes: "what may wait for a client that reads slowly, in bytes",
  events: "events of one session kept for a client that comes back",
  subscriptions: "resources that one client is told of when they change",
  statelessRequests: "requests of 2026-07-28 being answered at once",
  statelessRequestsPerPrincipal: "the same, of one principal",
  parked: "calls of 2026-07-28 that wait for answers at once",
  parkedPerPrincipal: "the same, of one principal",
  roundsPerCall: "rounds of questions that a client of 2026-07-28 takes in one call",
  stateBytes: "what a client is made to carry between two requests, in bytes",
  records: "what a store keeps of one run, by count of what it was told and did",
  backgroundRuns: "runs answered in the inbox that continue without their clients at once",
  backgroundRunsPerPrincipal: "the same, of one principal",
  outcomes: "results kept for clients that send the same request again",
  outcomeBytes: "the same, in bytes",
  pages: "pages open at once, each for one question",
  pagesPerPrincipal: "the same, of one principal",
  uploadBytes: "the size of an uploaded file whose question does not say, in bytes",
};

type LimitFlag = `limit-${string}`;
interface LimitFlagOf {
  readonly type: "number";
  readonly value: "n";
  readonly summary: string;
  readonly default: number;
}

// The keys of an object literal of that type.
const limits = Object.keys(SUMMARIES) as readonly (keyof Limits)[];

const flagOf = (limit: keyof Limits): LimitFlag =>
  `limit-${limit.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

export const limitFlags: Readonly<Record<LimitFlag, LimitFlagOf>> = Object.fromEntries(
  limits.map((limit) => [
    flagOf(limit),
    { type: "number", value: "n", summary: SUMMARIES[limit], default: defaultLimits[limit] },
  ]),
);

/** The limits as the flags have them. */
export function limitsIn(values: { readonly [flag: LimitFlag]: number }): Limits {
  const read = limits.map((limit) => [limit, values[flagOf(limit)] ?? defaultLimits[limit]]);
  // One for each limit there is.
  return Object.fromEntries(read) as Limits;
}
