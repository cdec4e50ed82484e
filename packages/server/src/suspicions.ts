/**
 * Clients that claim to show questions, and seem not to: what no person can have said, three times in a row.
 *
 * A person takes a while to say no, and comes back at some time. Nothing here changes what was said: a no stays a no, and
 * a yes, however fast, is nobody's business: it takes a suspicion back.
 */
import { PhotonError, type Client, type OpenQuestion, type Replies, type Reply } from "@photon/core";
import type { Settings } from "./settings.ts";

const IN_A_ROW = 3;
/** Clients that are remembered, of all principals: those that were not heard for the longest are forgotten first. */
const MOST_CLIENTS = 1000;

/** A client answers in the place of a person, or does not ask them. */
export class ClientMisreports extends PhotonError {
  override readonly name = "ClientMisreports";
  readonly code = "CLIENT_MISREPORTS";

  constructor(client: string, does: string) {
    super(
      `The client ${client} ${does} ${IN_A_ROW} questions in a row, as no person does: it may not show them to anybody.`,
    );
  }
}

/** What is remembered of a client that did what no person does. */
interface Record {
  readonly principal: string;
  /** What it did last, one after another. */
  readonly row: readonly string[];
  /** In a sentence. */
  readonly suspicion: string | undefined;
}

export class Suspicions {
  readonly #settings: Pick<Settings, "report" | "distrust" | "minReadingTime">;
  readonly #principal: string;
  /** Of all principals. */
  readonly #records: Map<string, Record>;

  constructor(
    settings: Pick<Settings, "report" | "distrust" | "minReadingTime">,
    principal = "",
    records: Map<string, Record> = new Map(),
  ) {
    this.#settings = settings;
    this.#principal = principal;
    this.#records = records;
  }

  /** Those about the clients of one principal. A client says itself what it is called: nobody else answers for it. */
  of(principal: string): Suspicions {
    return new Suspicions(this.#settings, principal, this.#records);
  }

  /** What the clients of this principal are suspected of, in sentences. */
  get all(): readonly string[] {
    const own = [...this.#records.values()].filter(({ principal }) => principal === this.#principal);
    return own.flatMap(({ suspicion }) => suspicion ?? []);
  }

  /** What a client is suspected of, if it is. */
  about(client: Client): string | undefined {
    return this.#records.size === 0 ? undefined : this.#records.get(this.#keyOf(client))?.suspicion;
  }

  /** A client as it is believed: one that is suspected can show nothing, where such clients are distrusted. */
  believed(client: Client): Client {
    if (!this.#settings.distrust || this.about(client) === undefined) return client;
    return { ...client, can: { ...client.can, form: false, url: false } };
  }

  /**
   * Hears what a client replied to questions that were asked together, and how many milliseconds that took it. However
   * many they are, they count once: a person who is away is away for all of them.
   */
  hear(
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
    const isFast = isTooQuick(action, took, this.#settings);
    const isOdd = isFast || action === "timeout";
    // Most clients only ever do what people do: nothing is remembered of them.
    if (!isOdd && this.#records.size === 0) return;
    const key = this.#keyOf(client);
    const record = this.#records.get(key);
    // Behind all others: whoever was heard last is forgotten last.
    this.#records.delete(key);
    if (action === "accept" || (!isOdd && record?.suspicion === undefined)) return;
    const does = isFast ? `${action === "decline" ? "declined" : "cancelled"} at once` : "let expire";
    const row = isOdd ? [...(record?.row ?? []).slice(1 - IN_A_ROW), does] : [];
    const suspicion = record?.suspicion ?? this.#suspect(client, row);
    this.#records.set(key, { principal: this.#principal, row, suspicion });
    const [oldest = key] = this.#records.keys();
    if (this.#records.size > MOST_CLIENTS) this.#records.delete(oldest);
  }

  /** What a client is suspected of that did so much in a row, if it is; that is reported. */
  #suspect(client: Client, row: readonly string[]): string | undefined {
    if (row.length < IN_A_ROW) return undefined;
    const error = new ClientMisreports(nameOf(client), [...new Set(row)].join(" or "));
    this.#settings.report(error);
    return error.message;
  }

  #keyOf(client: Client): string {
    return JSON.stringify([this.#principal, nameOf(client)]);
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
  const note = `The client ${nameOf(client)} sent that within ${Math.ceil(took)} ms, so that no person may have seen the question.`;
  return { action: reply.action, note };
}

const nameOf = ({ name, version }: Client): string =>
  JSON.stringify(`${name} ${version}`.trim().slice(0, 200));
