/**
 * Every limit of what clients may use of the server, with its default. A client over a limit gets an error; runs that continue without
 * their client wait instead.
 *
 * A limit with a `…PerPrincipal` beside it is counted for each principal and in total (accounts.ts). Principals without a name are
 * told apart by their network addresses.
 */
export const defaultLimits = {
  /** Calls of one session under way at once. */
  runsPerSession: 100,
  /** Questions of one session open at once. */
  asksPerSession: 100,
  /** Bytes of one message: 4 MiB. */
  messageBytes: 4_194_304,
  /** Values in one message, in all its objects and lists. */
  messageValues: 60_000,
  /** Keys in one message, in all its objects. */
  messageKeys: 30_000,
  /** Messages in one batch, which 2025-03-26 has. Each may get a response that is longer than itself. */
  batch: 1000,
  /** Connections to the port of a server that listens itself, WebSockets included. Over it, new ones are closed at once. */
  connections: 20_000,
  /** Connections of one network address (of IPv6, one /64), without WebSockets. */
  connectionsPerAddress: 5000,
  /** Sessions at once. */
  sessions: 10_000,
  /** Sessions of one principal. */
  sessionsPerPrincipal: 2000,
  /**
   * Memory of calls under way and parked, unfinished messages, unread output and buffered events, in bytes: 512 MiB. It is
   * estimated from what was read from the wire and written to it.
   */
  bytes: 536_870_912,
  /** Memory for one principal, in bytes: 128 MiB. */
  bytesPerPrincipal: 134_217_728,
  /**
   * Output that may wait for a client that reads slowly, in bytes: 16 MiB. Over it, the connection is closed. The responses to a
   * batch, and the buffered events of a session, take at most as much.
   */
  queueBytes: 16_777_216,
  /** Events of one session that are buffered for a client that reconnects. */
  events: 1000,
  /** Resources that one session, or one `subscriptions/listen`, is notified of. */
  subscriptions: 1000,
  /** Requests of 2026-07-28 being answered at once, `subscriptions/listen` included. */
  statelessRequests: 10_000,
  /** Requests of 2026-07-28 of one principal being answered at once. */
  statelessRequestsPerPrincipal: 2000,
  /** Calls of 2026-07-28 that wait for answers at once. Over it, new calls are refused. */
  parked: 50_000,
  /** Calls of one principal that wait for answers. */
  parkedPerPrincipal: 10_000,
  /**
   * Rounds of questions that a client of 2026-07-28 accepts in one call: 10, as all known clients do. Before the next one the call
   * ends, and `photon_continue` continues it with as many again. At least 1; `Infinity` if your clients accept any number.
   */
  roundsPerCall: 10,
  /** Bytes of a `requestState`, which a client carries between two requests: 256 KiB. */
  stateBytes: 262_144,
  /** Records that a store keeps of one run. */
  records: 100_000,
  /**
   * Runs that this process continues at once without their clients, because they were answered in the inbox or have expired. More
   * of them wait. A run counts while its tool works, and not while it waits for an answer.
   */
  backgroundRuns: 1000,
  /** Such runs of one principal. Keep it below `backgroundRuns`: then no principal can delay the runs of another. */
  backgroundRunsPerPrincipal: 100,
  /** Outcomes of requests with a `requestState`, kept for clients that send the same request again. */
  outcomes: 10_000,
  /** Memory of those outcomes as JSON, in bytes: 64 MiB. */
  outcomeBytes: 67_108_864,
  /** Pages open at once, each for one question. */
  pages: 10_000,
  /** Pages of one principal. */
  pagesPerPrincipal: 2000,
  /** Bytes of a file that is uploaded to a page, unless its question says otherwise: 100 MB. */
  uploadBytes: 100_000_000,
} as const;

/** What clients may use of the server. `defaultLimits` describes each limit. */
export type Limits = { readonly [Name in keyof typeof defaultLimits]: number };
