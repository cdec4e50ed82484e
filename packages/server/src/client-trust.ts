/**
 * Clients that declare that they show questions, and seem not to: three times in a row they decline or cancel faster than a person
 * reads, or let the question expire. Such a client is suspected.
 *
 *   1. A suspicion belongs to a connection: a session, or one call of 2026-07-28, where requests stand alone and nothing else
 *      tells two clients of the same name apart. `distrust` applies to that connection only.
 *   2. Reports (to `report` and at `/healthz`) are counted by the name of the client within its principal.
 *   3. Both expire. An accept, however fast, ends both. A suspicion changes no reply.
 */
import { type Client, type OpenQuestion, PhotonError, type Reply } from "@photon/core";
import { displayName } from "./protocol/client-info.ts";
import { type ClientReplies, type ClientReply, isForPage } from "./protocol/elicitation.ts";
import type { Settings } from "./settings.ts";

const STREAK_LENGTH = 3;
/** How long a client stays suspected after its last implausible reply. */
const SUSPICION_TTL_MS = 3_600_000;
/** How many clients are counted for the reports, of all principals. Beyond it, the client that replied the longest ago is forgotten. */
const MAX_CLIENTS = 1000;

/** A client seems to answer in the place of a person, or not to ask them. */
export class ClientMisreports extends PhotonError {
  override readonly name = "ClientMisreports";
  readonly code = "CLIENT_MISREPORTS";

  constructor(client: string, behavior: string) {
    super(
      `The client ${client} ${behavior} ${STREAK_LENGTH} questions in a row, so it may not show them to a user.`,
    );
  }
}

type TrustSettings = Pick<Settings, "clock" | "report" | "distrust" | "minReadingTime">;

/** The last implausible replies of a client in a row, as verbs for a sentence; and the suspicion that follows from them. */
class ReplyStreak {
  #behaviors: readonly string[] = [];
  #suspicion: { readonly sentence: string; readonly until: number } | undefined;

  /** A sentence; undefined if the client is not suspected, or the suspicion has expired. */
  suspicion(now: number): string | undefined {
    if (this.#suspicion !== undefined && this.#suspicion.until <= now) {
      this.#suspicion = undefined;
      this.#behaviors = [];
    }
    return this.#suspicion?.sentence;
  }

  /** Adds a reply: its behavior, or `undefined` for a plausible one, which ends the streak. Returns an error when the streak is full. */
  add(client: string, behavior: string | undefined, now: number): ClientMisreports | undefined {
    // Clears an expired streak.
    this.suspicion(now);
    this.#behaviors = behavior === undefined ? [] : [...this.#behaviors.slice(1 - STREAK_LENGTH), behavior];
    if (this.#behaviors.length < STREAK_LENGTH) return undefined;
    return new ClientMisreports(client, [...new Set(this.#behaviors)].join(" or "));
  }

  /** Suspects the client, or extends its suspicion. Returns whether it was not suspected before. */
  suspect({ message }: ClientMisreports, now: number): boolean {
    const before = this.suspicion(now);
    this.#suspicion = { sentence: before ?? message, until: now + SUSPICION_TTL_MS };
    return before === undefined;
  }

  isEmpty(now: number): boolean {
    return this.#behaviors.length === 0 && this.suspicion(now) === undefined;
  }
}

/** The reports of a server about its clients. */
export class ClientTrust {
  readonly settings: TrustSettings;
  /** The client that replied last is the last entry. */
  readonly #clients = new Map<string, { readonly principal: string; readonly streak: ReplyStreak }>();

  constructor(settings: TrustSettings) {
    this.settings = settings;
  }

  /** The suspicions about the clients of one principal. A client chooses its own name, so other principals are not told. */
  reportedTo(principal: string): readonly string[] {
    const now = this.settings.clock.now();
    return [...this.#clients.values()].flatMap((one) =>
      one.principal === principal ? (one.streak.suspicion(now) ?? []) : [],
    );
  }

  /** The suspicion about a client of a principal, on any connection. */
  reportOn(principal: string, client: string): string | undefined {
    return this.#clients.get(keyOf(principal, client))?.streak.suspicion(this.settings.clock.now());
  }

  /** Counts a reply of a client: its behavior, if it is implausible. `onConnection`: the streak of one connection is full. */
  count(
    principal: string,
    client: string,
    behavior: string | undefined,
    onConnection: ClientMisreports | undefined,
  ): void {
    const { clock, report } = this.settings;
    const now = clock.now();
    const key = keyOf(principal, client);
    const { streak } = this.#clients.get(key) ?? { streak: new ReplyStreak() };
    this.#clients.delete(key);
    const error = streak.add(client, behavior, now) ?? onConnection;
    if (error !== undefined && streak.suspect(error, now)) report(error);
    if (streak.isEmpty(now)) return;
    this.#clients.set(key, { principal, streak });
    const [oldest = key] = this.#clients.keys();
    if (this.#clients.size > MAX_CLIENTS) this.#clients.delete(oldest);
  }

  /** A user has answered. */
  clear(principal: string, client: string): void {
    this.#clients.delete(keyOf(principal, client));
  }

  get isEmpty(): boolean {
    return this.#clients.size === 0;
  }
}

/** The capabilities of a client that shows no questions. */
const NO_QUESTIONS = { form: false, url: false };

/** How far the client of one connection is trusted: of a session, or of one call of 2026-07-28. */
export class ClientAtConnection {
  readonly #reports: ClientTrust;
  readonly #principal: string;
  /** Created with the first implausible reply: most clients send none. */
  #streak: ReplyStreak | undefined;
  /** The capabilities that the client declared, although it does not know their methods: each is false. */
  #refused: Partial<Client["can"]> | undefined;

  constructor(reports: ClientTrust, principal: string) {
    this.#reports = reports;
    this.#principal = principal;
  }

  /** Why the client of this connection is suspected, as a sentence. */
  get suspicion(): string | undefined {
    return this.#streak?.suspicion(this.#reports.settings.clock.now());
  }

  /** A note about the client for the error of a call, for a person or model: its suspicion, also from other connections. */
  remarkOn(client: Client): string | undefined {
    return this.suspicion ?? this.#reports.reportOn(this.#principal, displayName(client));
  }

  /** The client does not know the method for such a question: it is not asked in this way again. */
  refuse({ emit }: OpenQuestion): void {
    this.#refused = { ...this.#refused, ...(emit === "ask" ? NO_QUESTIONS : { [emit]: false }) };
  }

  /** The client without the capabilities that it refused. With `distrust`, a suspected client cannot show questions either. */
  effectiveCapabilities(client: Client): Client {
    const isDistrusted = this.#reports.settings.distrust && this.suspicion !== undefined;
    if (this.#refused === undefined && !isDistrusted) return client;
    const can = { ...client.can, ...this.#refused, ...(isDistrusted ? NO_QUESTIONS : {}) };
    return { ...client, can };
  }

  /** Records the replies to a round. They count once, because a person who is away is away for all of them; an accept takes precedence. */
  recordReplies(
    client: Client,
    questions: { readonly [key: string]: OpenQuestion },
    replies: ClientReplies,
    tookMs: number,
  ): void {
    let counted: ClientReply | undefined;
    for (const [key, reply] of Object.entries(replies)) {
      // Sampling and roots are not answered by a person.
      if (questions[key]?.emit === "ask" && (counted === undefined || reply.action === "accept"))
        counted = reply;
    }
    if (counted !== undefined) this.recordReply(client, counted, tookMs);
  }

  /** Records the reply to an ask, and how long the client took to send it. */
  recordReply(client: Client, reply: ClientReply, tookMs: number): void {
    const { action } = reply;
    const reports = this.#reports;
    const { clock } = reports.settings;
    if (action === "accept") this.#streak = undefined;
    const behavior = implausibleBehavior(reply, tookMs, reports.settings);
    // Most clients send plausible replies only: they need no entry.
    if (behavior === undefined && this.#streak === undefined && reports.isEmpty) return;
    const name = displayName(client);
    if (action === "accept") return reports.clear(this.#principal, name);
    if (behavior !== undefined) this.#streak ??= new ReplyStreak();
    const now = clock.now();
    const error = this.#streak?.add(name, behavior, now);
    if (error !== undefined) this.#streak?.suspect(error, now);
    reports.count(this.#principal, name, behavior, error);
  }
}

/** A verb for a reply that a person is unlikely to have given; undefined for a plausible reply. */
function implausibleBehavior(
  reply: ClientReply,
  tookMs: number,
  settings: Pick<Settings, "minReadingTime">,
): string | undefined {
  if (reply.action === "timeout") return "let expire";
  if (!isTooQuick(reply, tookMs, settings)) return undefined;
  return reply.action === "decline" ? "declined at once" : "cancelled at once";
}

/**
 * Whether a question was declined or cancelled sooner than a person can read it. This server measures `tookMs`; it is negative where
 * the clocks of two processes differ, and then the time is unknown. A user who declined before the question need not read it.
 */
export function isTooQuick(
  reply: ClientReply,
  tookMs: number,
  { minReadingTime }: Pick<Settings, "minReadingTime">,
): reply is Extract<ClientReply, { action: "decline" | "cancel" }> {
  const isNonAnswer = reply.action === "decline" || reply.action === "cancel";
  return isNonAnswer && reply.isBeforehand !== true && tookMs >= 0 && tookMs < minReadingTime;
}

/** A reply, and what happens to its question. */
export interface JudgedReply {
  /** With a note if it came sooner than a person can read the question. */
  readonly reply: Reply;
  /** The reply counts; or it does not, and the question is asked by a handover, or stays open in the inbox. */
  readonly decision: "counts" | "askElsewhere" | "leaveOpen";
}

/** A decline or cancel that came sooner than a person can read the question counts only if the question cannot be asked elsewhere. */
export function judgeReply(
  question: OpenQuestion,
  reply: ClientReply,
  tookMs: number,
  context: {
    readonly client: Client;
    readonly settings: Pick<Settings, "minReadingTime">;
    /** Whether the run is in a log, whose questions are in the inbox. */
    readonly isInLog: boolean;
    readonly canAskElsewhere: ((question: OpenQuestion) => boolean) | undefined;
  },
): JudgedReply {
  if (question.emit !== "ask" || !isTooQuick(reply, tookMs, context.settings))
    return { reply, decision: "counts" };
  const note = `The client ${displayName(context.client)} sent that within ${Math.ceil(tookMs)} ms, so that no person may have seen the question.`;
  const noted: Reply = { action: reply.action, note };
  if (context.canAskElsewhere?.(question) === true) return { reply: noted, decision: "askElsewhere" };
  // The inbox cannot answer a question that needs a page.
  return { reply: noted, decision: context.isInLog && !isForPage(question) ? "leaveOpen" : "counts" };
}

const keyOf = (principal: string, client: string): string => JSON.stringify([principal, client]);
