/**
 * Clients that claim to show questions, and seem not to: three times in a row they reply as no person does.
 *
 *   1. A suspicion belongs to a connection: a session, or one call of 2026-07-28, where requests stand alone and nothing else
 *      tells two clients of the same name apart. `distrust` applies to that connection only.
 *   2. What is reported (to `report` and at `/healthz`) is counted by the name of the client within its principal.
 *   3. Both expire. An accept, however fast, takes both back. A suspicion changes no reply.
 */
import {
  type Capability,
  type Client,
  type OpenQuestion,
  PhotonError,
  type Replies,
  type Reply,
} from "@photon/core";
import { displayName } from "./protocol/client-info.ts";
import type { Settings } from "./settings.ts";

const STREAK_LENGTH = 3;
/** How long a client is suspected after it last did what no person does. */
const SUSPICION_TTL_MS = 3_600_000;
/** Clients that are counted for the reports, of all principals: those that were not heard for the longest are forgotten first. */
const MAX_CLIENTS = 1000;

/** A client answers in the place of a person, or does not ask them. */
export class ClientMisreports extends PhotonError {
  override readonly name = "ClientMisreports";
  readonly code = "CLIENT_MISREPORTS";

  constructor(client: string, does: string) {
    super(
      `The client ${client} ${does} ${STREAK_LENGTH} questions in a row, so it may not show them to a user.`,
    );
  }
}

type SuspicionSettings = Pick<Settings, "clock" | "report" | "distrust" | "minReadingTime">;

/** What a client did last, one after another, and what it is suspected of. */
class ReplyStreak {
  #does: readonly string[] = [];
  #suspicion: { readonly sentence: string; readonly until: number } | undefined;

  /** In a sentence, unless it has expired. */
  suspicion(now: number): string | undefined {
    if (this.#suspicion !== undefined && this.#suspicion.until <= now) {
      this.#suspicion = undefined;
      this.#does = [];
    }
    return this.#suspicion?.sentence;
  }

  /** Adds what the client did that no person does, or `undefined` for what a person does. Gives back what a full row shows. */
  add(client: string, does: string | undefined, now: number): ClientMisreports | undefined {
    // What has expired does not count.
    this.suspicion(now);
    this.#does = does === undefined ? [] : [...this.#does.slice(1 - STREAK_LENGTH), does];
    if (this.#does.length < STREAK_LENGTH) return undefined;
    return new ClientMisreports(client, [...new Set(this.#does)].join(" or "));
  }

  /** Suspects the client of that from now on; of what it is suspected of already, for longer. Says whether it was not before. */
  suspect({ message }: ClientMisreports, now: number): boolean {
    const before = this.suspicion(now);
    this.#suspicion = { sentence: before ?? message, until: now + SUSPICION_TTL_MS };
    return before === undefined;
  }

  /** Whether there is nothing to remember. */
  isEmpty(now: number): boolean {
    return this.#does.length === 0 && this.suspicion(now) === undefined;
  }
}

/** What is reported of the clients of a server. */
export class ClientTrust {
  readonly settings: SuspicionSettings;
  readonly #rows = new Map<string, { readonly principal: string; readonly row: ReplyStreak }>();

  constructor(settings: SuspicionSettings) {
    this.settings = settings;
  }

  /** What the clients of a principal are suspected of, in sentences. A client says itself what it is called: no other principal answers for it. */
  reportedTo(principal: string): readonly string[] {
    const now = this.settings.clock.now();
    return [...this.#rows.values()].flatMap((one) =>
      one.principal === principal ? (one.row.suspicion(now) ?? []) : [],
    );
  }

  /** What a client of a principal is suspected of, if it is. */
  reportOn(principal: string, client: string): string | undefined {
    return this.#rows.get(keyOf(principal, client))?.row.suspicion(this.settings.clock.now());
  }

  /** Counts what a client did that no person does. `found`: what it did three times in a row on one connection. */
  count(
    principal: string,
    client: string,
    does: string | undefined,
    found: ClientMisreports | undefined,
  ): void {
    const { clock, report } = this.settings;
    const now = clock.now();
    const key = keyOf(principal, client);
    const { row } = this.#rows.get(key) ?? { row: new ReplyStreak() };
    // Behind all others: the client that was heard last is forgotten last.
    this.#rows.delete(key);
    const error = row.add(client, does, now) ?? found;
    if (error !== undefined && row.suspect(error, now)) report(error);
    if (row.isEmpty(now)) return;
    this.#rows.set(key, { principal, row });
    const [oldest = key] = this.#rows.keys();
    if (this.#rows.size > MAX_CLIENTS) this.#rows.delete(oldest);
  }

  /** A person has answered. */
  clear(principal: string, client: string): void {
    this.#rows.delete(keyOf(principal, client));
  }

  /** Whether nothing is counted of any client. */
  get isEmpty(): boolean {
    return this.#rows.size === 0;
  }
}

/** What is known of the client at one connection: a session, or one call of 2026-07-28. */
export class ClientAtConnection {
  readonly #suspicions: ClientTrust;
  readonly #principal: string;
  /** Made with the first reply that no person gives: most clients send none. */
  #streak: ReplyStreak | undefined;
  /** What the client declared, and then refused: it does not know the method. */
  #refused: Set<Capability> | undefined;

  constructor(suspicions: ClientTrust, principal: string) {
    this.#suspicions = suspicions;
    this.#principal = principal;
  }

  /** What the client is suspected of here, if it is. */
  get suspicion(): string | undefined {
    return this.#streak?.suspicion(this.#suspicions.settings.clock.now());
  }

  /** What there is to say of a client to a person or model that reads an error: what is reported of it, wherever it was. */
  remarkOn(client: Client): string | undefined {
    if (this.#suspicions.isEmpty) return this.suspicion;
    return this.suspicion ?? this.#suspicions.reportOn(this.#principal, displayName(client));
  }

  /** The client does not know the method by which such a question is asked. It is not asked so again. */
  refuse({ emit }: OpenQuestion): void {
    this.#refused ??= new Set();
    for (const ability of emit === "ask" ? (["form", "url"] as const) : ([emit] as const))
      this.#refused.add(ability);
  }

  /**
   * The client as it is believed: without what it has refused. One that is suspected can show nothing, where such clients are
   * distrusted.
   */
  effectiveCapabilities(client: Client): Client {
    const isDistrusted = this.#suspicions.settings.distrust && this.suspicion !== undefined;
    if (this.#refused === undefined && !isDistrusted) return client;
    const can = { ...client.can };
    for (const ability of this.#refused ?? []) can[ability] = false;
    return { ...client, can: isDistrusted ? { ...can, form: false, url: false } : can };
  }

  /**
   * Hears what the client replied to questions that were asked together, and how many milliseconds that took it. However
   * many they are, they count once: a person who is away is away for all of them.
   */
  recordReplies(
    client: Client,
    questions: { readonly [key: string]: OpenQuestion },
    replies: Replies,
    took: number,
  ): void {
    let said: Reply["action"] | undefined;
    for (const key of Object.keys(replies)) {
      const action = replies[key]?.action;
      // A model or a list of folders is no person.
      if (questions[key]?.emit === "ask" && (said === undefined || action === "accept")) said = action;
    }
    if (said !== undefined) this.#note(client, said, took);
  }

  #note(client: Client, action: Reply["action"], took: number): void {
    const { settings } = this.#suspicions;
    if (action === "accept") this.#streak = undefined;
    const isFast = isTooQuick(action, took, settings);
    const expired = action === "timeout" ? "let expire" : undefined;
    const suspicious = isFast ? `${action === "decline" ? "declined" : "cancelled"} at once` : expired;
    if (suspicious !== undefined) this.#streak ??= new ReplyStreak();
    // Most clients only ever do what people do: nothing is remembered of them.
    else if (this.#streak === undefined && this.#suspicions.isEmpty) return;
    const name = displayName(client);
    if (action === "accept") return this.#suspicions.clear(this.#principal, name);
    const now = settings.clock.now();
    const found = this.#streak?.add(name, suspicious, now);
    if (found !== undefined) this.#streak?.suspect(found, now);
    this.#suspicions.count(this.#principal, name, suspicious, found);
  }
}

/**
 * Whether a question was declined or cancelled sooner than a person can read it. `took` is measured by this server, in
 * milliseconds; it is negative where the clocks of two processes differ, and then it is not known how long it took.
 */
export function isTooQuick(
  action: Reply["action"],
  took: number,
  { minReadingTime }: Pick<Settings, "minReadingTime">,
): boolean {
  return (action === "decline" || action === "cancel") && took >= 0 && took < minReadingTime;
}

/** The same reply, which says how quickly the client sent it. */
export function notedAsQuick(reply: Reply, client: Client, took: number): Reply {
  if (reply.action !== "decline" && reply.action !== "cancel") return reply;
  const note = `The client ${displayName(client)} sent that within ${Math.ceil(took)} ms, so that no person may have seen the question.`;
  return { action: reply.action, note };
}

const keyOf = (principal: string, client: string): string => JSON.stringify([principal, client]);
