/** Keeps a connection to the server: tries again where it is lost, with growing pauses, and fetches what is offered. */
import { signal, type ReadonlySignal } from "@preact/signals";
import type { Client } from "../client/client.ts";
import type { ClientEar } from "../client/client-ear.ts";
import { connect } from "../client/connect.ts";
import { listOffers } from "../client/list-offers.ts";
import { LISTINGS } from "../client/listings.ts";
import type { Fields } from "../wire/record.ts";
import type { Surroundings } from "../wire/surroundings.ts";
import type { WireLog } from "../wire/wire-log.ts";
import type { Connection, Server, Settings } from "./connection.ts";
import type { Offer } from "./offer.ts";

/** The first pause, and the longest, in milliseconds. */
const SHORTEST = 500;
const LONGEST = 30_000;
/** How long a server may take to say who it is. */
const GREETING = 15_000;

/** Who is told of what belongs to runs. */
export type RunEar = Pick<ClientEar, "told" | "asked" | "withdrawn" | "completed"> & {
  connected(client: Client): void;
};

export class Connector {
  readonly #address: URL;
  readonly #log: WireLog;
  readonly #surroundings: Surroundings;
  readonly #ear: RunEar;
  readonly #connection = signal<Connection>({ state: "connecting" });
  /** What was listed by which method. */
  readonly #byMethod = new Map<string, readonly Offer[]>();
  readonly #offers = signal<readonly Offer[]>([]);
  #client: Client | undefined;
  #isGreeted = false;
  #capabilities: Fields = {};
  #pause = SHORTEST;
  #stopWaiting = (): void => {};
  #isListing = false;
  #isListedAgain = false;

  constructor(address: URL, log: WireLog, surroundings: Surroundings, ear: RunEar) {
    this.#address = address;
    this.#log = log;
    this.#surroundings = surroundings;
    this.#ear = ear;
  }

  get connection(): ReadonlySignal<Connection> {
    return this.#connection;
  }

  get offers(): ReadonlySignal<readonly Offer[]> {
    return this.#offers;
  }

  /** The connection, while there is one. */
  get client(): Client | undefined {
    return this.#isGreeted ? this.#client : undefined;
  }

  /** Connects anew, whatever there was. */
  connect(settings: Settings): void {
    this.close();
    this.#connection.value = { state: "connecting" };
    this.#wait(GREETING, () => this.#lose(settings, "The server does not answer."));
    const isCurrent = (): boolean => this.#client === client;
    const whenCurrent =
      <A extends readonly unknown[]>(act: (...given: A) => void) =>
      (...given: A): void => {
        if (isCurrent()) act(...given);
      };
    const client: Client = connect(this.#address, settings, this.#log, this.#surroundings, {
      told: (runId, news) => this.#ear.told(runId, news),
      asked: (runId, asked) => this.#ear.asked(runId, asked),
      withdrawn: (requestId) => this.#ear.withdrawn(requestId),
      completed: (elicitationId) => this.#ear.completed(elicitationId),
      greeted: whenCurrent((server, capabilities) => this.#greeted(server, capabilities)),
      failed: whenCurrent((problem) => this.#lose(settings, problem)),
      lost: whenCurrent((problem) => this.#lose(settings, problem)),
      refused: whenCurrent((problem) => this.#refuse(problem)),
      changed: whenCurrent(() => void this.#list()),
    });
    this.#client = client;
  }

  close(): void {
    this.#stopWaiting();
    const client = this.#client;
    this.#client = undefined;
    this.#isGreeted = false;
    client?.close();
  }

  /** The page goes. */
  leave(): void {
    this.#stopWaiting();
    this.#client?.leave();
    this.#client = undefined;
    this.#isGreeted = false;
  }

  #greeted(server: Server, capabilities: Fields): void {
    this.#stopWaiting();
    this.#pause = SHORTEST;
    this.#isGreeted = true;
    this.#capabilities = capabilities;
    this.#connection.value = { state: "open", server };
    void this.#list();
    if (this.#client !== undefined) this.#ear.connected(this.#client);
  }

  #lose(settings: Settings, problem: string): void {
    this.close();
    const pause = this.#pause;
    this.#pause = Math.min(LONGEST, pause * 2);
    const retryAt = this.#surroundings.clock.now() + pause;
    this.#connection.value = { state: "lost", problem, retryAt };
    this.#wait(pause, () => this.connect(settings));
  }

  #refuse(problem: string): void {
    this.close();
    this.#connection.value = { state: "refused", problem };
  }

  /** Fetches what is offered; once more, where it has changed meanwhile. */
  async #list(): Promise<void> {
    this.#isListedAgain = this.#isListing;
    if (this.#isListing) return;
    this.#isListing = true;
    const client = this.#client;
    try {
      if (client !== undefined)
        await listOffers(client, this.#capabilities, (method, offers) => {
          if (client === this.#client) this.#shelve(method, offers);
        });
    } finally {
      this.#isListing = false;
    }
    if (this.#isListedAgain || (client !== this.#client && this.#isGreeted)) void this.#list();
  }

  #shelve(method: string, offers: readonly Offer[]): void {
    this.#byMethod.set(method, offers);
    this.#offers.value = LISTINGS.flatMap((listing) => this.#byMethod.get(listing.method) ?? []);
  }

  #wait(milliseconds: number, act: () => void): void {
    this.#stopWaiting();
    this.#stopWaiting = this.#surroundings.clock.after(milliseconds, act);
  }
}
