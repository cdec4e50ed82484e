/** Limits of what clients may use of the server, with their defaults. */
/** What one client may use of the server. Over a limit is an error to that client; runs that continue without it wait instead. */
export interface Limits {
  /** Calls of one session under way at once: 100. */
  readonly runsPerSession: number;
  /** Questions of one session open at once: 100. */
  readonly asksPerSession: number;
  /** The size of one message, in bytes: 4 MiB. */
  readonly messageBytes: number;
  /** Values in one message, in all its objects and lists: 60,000. */
  readonly messageValues: number;
  /** Keys in one message, in all its objects: 30,000. */
  readonly messageKeys: number;
  /** Messages in one batch, which 2025-03-26 has: 1,000. Each may cost an answer that is longer than itself. */
  readonly batch: number;
  /** Connections to the port of a server that listens itself, WebSockets included: 20,000. Over it, new ones are closed at once. */
  readonly connections: number;
  /** The same, of one network address (of IPv6, one /64), without WebSockets: 5,000. */
  readonly connectionsPerAddress: number;
  /** Sessions at once: 10,000. */
  readonly sessions: number;
  /** The same, of one principal: 2,000. Principals without a name are told apart by their network addresses. */
  readonly sessionsPerPrincipal: number;
  /**
   * The memory of calls under way and parked, unfinished messages, unread output and kept events, in bytes: 512 MiB. It is
   * estimated from what was read from the wire and written to it.
   */
  readonly bytes: number;
  /** The same, of one principal: 128 MiB. */
  readonly bytesPerPrincipal: number;
  /** What may wait for a client that reads slowly, in bytes: 16 MiB. Over it, the connection is closed. The answers to a batch are no more together. */
  readonly queueBytes: number;
  /** Events of one session kept for a client that comes back, by count: 1,000. They are no more than `queueBytes` together. */
  readonly events: number;
  /** Resources that one session, or one request that listens, is told of when they change: 1,000. */
  readonly subscriptions: number;
  /** Requests of 2026-07-28 being answered at once, those that listen included: 10,000. */
  readonly statelessRequests: number;
  /** The same, of one principal: 2,000. */
  readonly statelessRequestsPerPrincipal: number;
  /** Calls of 2026-07-28 that wait for answers at once: 50,000. Over it, new calls are refused. */
  readonly parked: number;
  /** The same, of one principal: 10,000. */
  readonly parkedPerPrincipal: number;
  /**
   * Rounds of questions that a client of 2026-07-28 takes in one call: 10, as all known clients do. Before the next one the call
   * ends, and `photon_continue` continues it with as many again. At least 1; `Infinity` where your clients take any number.
   */
  readonly roundsPerCall: number;
  /** What a client is made to carry for a call between two requests, in bytes: 256 KiB. */
  readonly stateBytes: number;
  /** What a store keeps of one run, by count of what it was told and what it did: 100,000. */
  readonly records: number;
  /**
   * Runs that this process continues at once without their clients, because they were answered in the inbox or have expired: 1,000.
   * More of them wait. A run counts while its tool works, and not while it waits for an answer.
   */
  readonly backgroundRuns: number;
  /** The same, of one principal (of one network address, without a name): 100. Keep it below `backgroundRuns`: then no principal can delay the runs of another. */
  readonly backgroundRunsPerPrincipal: number;
  /** What came of requests with a state, kept for clients that send the same again: 10,000. */
  readonly outcomes: number;
  /** The same in bytes of memory, as JSON: 64 MiB. */
  readonly outcomeBytes: number;
  /** Pages open at once, each for one question: 10,000. */
  readonly pages: number;
  /** The same, of one principal: 2,000. */
  readonly pagesPerPrincipal: number;
  /** The size of a file that is uploaded to a page, where its question does not say, in bytes: 100 MB. */
  readonly uploadBytes: number;
}

export const defaultLimits: Limits = {
  runsPerSession: 100,
  asksPerSession: 100,
  messageBytes: 4 * 1024 * 1024,
  messageValues: 60_000,
  messageKeys: 30_000,
  batch: 1000,
  connections: 20_000,
  connectionsPerAddress: 5000,
  sessions: 10_000,
  sessionsPerPrincipal: 2000,
  bytes: 512 * 1024 * 1024,
  bytesPerPrincipal: 128 * 1024 * 1024,
  queueBytes: 16 * 1024 * 1024,
  events: 1000,
  subscriptions: 1000,
  statelessRequests: 10_000,
  statelessRequestsPerPrincipal: 2000,
  parked: 50_000,
  parkedPerPrincipal: 10_000,
  roundsPerCall: 10,
  stateBytes: 256 * 1024,
  records: 100_000,
  backgroundRuns: 1000,
  backgroundRunsPerPrincipal: 100,
  outcomes: 10_000,
  outcomeBytes: 64 * 1024 * 1024,
  pages: 10_000,
  pagesPerPrincipal: 2000,
  uploadBytes: 100_000_000,
};
