/**
 * MCP of 2025-11-25 over HTTP: a session, whose requests are answered on streams of their own.
 *
 *   1. A stream that ends before its answer is taken up again where it ended, as long as the server numbers what it says.
 *   2. What belongs to no request comes on a stream of GET.
 *   3. A browser has six connections to a server, and a call that asks holds one. Where all are taken, one is let go for
 *      what is to be sent, and taken up again.
 */
import type { Channel, Ear, Headers } from "./channel.ts";
import { isRequest, type Outgoing, type RequestId } from "./message.ts";
import { bearer, post, refusalIn, sentenceIn, type Address } from "./post.ts";
import { isEventStream, readEvents } from "./read-events.ts";
import type { Surroundings } from "./surroundings.ts";

const SESSION = "mcp-session-id";
/** How long to wait before coming back, where the server does not say. */
const PAUSE = 1000;
/** How often, before it is given up. */
const MOST_TRIES = 4;
/** How many streams leave a connection for what is sent. */
const MOST_STREAMS = 5;

/** How far a stream has been read. */
interface Reading {
  readonly id: RequestId | undefined;
  last: string | undefined;
  pause: number;
  tries: number;
}

/** The server has turned us away: it was told to the ear. */
class TurnedAway extends Error {
  override readonly name = "TurnedAway";
}

class SessionChannel implements Channel {
  readonly by: string;
  readonly #address: Address;
  readonly #revision: string;
  readonly #ear: Ear;
  readonly #surroundings: Pick<Surroundings, "fetch" | "clock">;
  readonly #over = new AbortController();
  /** What is being read, and how to let go of it. */
  readonly #streams = new Map<Reading, AbortController>();
  #sessionId: string | undefined;

  constructor(
    address: Address,
    revision: string,
    ear: Ear,
    surroundings: Pick<Surroundings, "fetch" | "clock">,
  ) {
    this.by = `POST ${address.url.pathname}`;
    this.#address = address;
    this.#revision = revision;
    this.#ear = ear;
    this.#surroundings = surroundings;
    queueMicrotask(() => {
      if (!this.#isOver) ear.opened();
    });
  }

  send(message: Outgoing): void {
    if (this.#isOver) return;
    this.#makeRoom();
    void (isRequest(message) ? this.#request(message, message.id) : this.#tell(message));
  }

  hangUp(): boolean {
    return false;
  }

  close(): void {
    const isOver = this.#isOver;
    this.#over.abort();
    if (isOver || this.#sessionId === undefined) return;
    // Nobody waits for it; a session that is not ended is ended by the server.
    const { url } = this.#address;
    this.#surroundings
      .fetch(url.href, { method: "DELETE", headers: this.#headers, keepalive: true })
      .catch(() => {});
  }

  get #isOver(): boolean {
    return this.#over.signal.aborted;
  }

  get #headers(): Headers {
    return {
      ...bearer(this.#address.token),
      ...(this.#sessionId === undefined
        ? {}
        : { [SESSION]: this.#sessionId, "mcp-protocol-version": this.#revision }),
    };
  }

  async #request(message: Outgoing, id: RequestId): Promise<void> {
    const reading: Reading = { id, last: undefined, pause: PAUSE, tries: 0 };
    try {
      const signal = this.#begin(reading);
      const response = await post(this.#address, message, this.#headers, this.#surroundings, signal);
      this.#sessionId ??= response.headers.get(SESSION) ?? undefined;
      const problem = await this.#read(response, reading).catch(() => "The connection broke.");
      this.#streams.delete(reading);
      if (reading.last !== undefined) await this.#follow(reading);
      if (!this.#isOver) this.#ear.broke(id, problem);
    } catch (error) {
      this.#lose(error);
    }
  }

  /** Sends what is answered with nothing. An answer that a person has given is worth another try. */
  async #tell(message: Outgoing): Promise<void> {
    for (let tries = 1; !this.#isOver; tries += 1) {
      try {
        const { fetch } = this.#surroundings;
        const response = await post(this.#address, message, this.#headers, { fetch }, this.#over.signal);
        await this.#check(response);
        if ("method" in message && message.method === "notifications/initialized") void this.#listen();
        return;
      } catch (error) {
        if (error instanceof TurnedAway || tries >= MOST_TRIES) return this.#lose(error);
        await this.#rest(PAUSE);
      }
    }
  }

  /** Hears what belongs to no request, where the server has something to say at all. */
  async #listen(): Promise<void> {
    const reading: Reading = { id: undefined, last: undefined, pause: PAUSE, tries: 0 };
    try {
      await this.#follow(reading);
    } catch (error) {
      this.#lose(error);
    }
  }

  /** Reads a stream by GET, as often as it ends, until there is nothing to wait for. */
  async #follow(reading: Reading): Promise<void> {
    const isWanted = (): boolean =>
      !this.#isOver && (reading.id === undefined || this.#ear.awaits(reading.id));
    while (isWanted()) {
      if (reading.last !== undefined || reading.tries > 0) await this.#rest(reading.pause);
      if (!isWanted()) return;
      reading.tries += 1;
      try {
        const response = await this.#get(reading);
        if (response.status === 405) return;
        await this.#check(response);
        reading.tries = 0;
        await this.#read(response, reading);
      } catch (error) {
        if (this.#isOver) return;
        if (error instanceof TurnedAway || reading.tries >= MOST_TRIES) throw error;
      } finally {
        this.#streams.delete(reading);
      }
    }
  }

  #get(reading: Reading): Promise<Response> {
    const { last } = reading;
    return this.#surroundings.fetch(this.#address.url.href, {
      headers: {
        ...this.#headers,
        accept: "text/event-stream",
        ...(last === undefined ? {} : { "last-event-id": last }),
      },
      signal: this.#begin(reading),
    });
  }

  /** Gives what ends the reading: that of all, or its own. */
  #begin(reading: Reading): AbortSignal {
    const own = new AbortController();
    this.#streams.set(reading, own);
    return AbortSignal.any([this.#over.signal, own.signal]);
  }

  #makeRoom(): void {
    if (this.#streams.size < MOST_STREAMS) return;
    // Only what can be taken up again.
    const oldest = [...this.#streams].find(([{ last }]) => last !== undefined);
    if (oldest === undefined) return;
    const [reading, own] = oldest;
    this.#streams.delete(reading);
    own.abort();
  }

  /** Reads what came; then, what is wrong where the answer was not in it. */
  async #read(response: Response, reading: Reading): Promise<string> {
    const heard = (text: string, by: string): void => {
      if (!this.#isOver) this.#ear.heard(text, by, reading.id);
    };
    if (isEventStream(response)) {
      await readEvents(response, {
        heard,
        numbered: (last) => (reading.last = last),
        paused: (pause) => (reading.pause = pause),
      });
      return "The server ended the stream without an answer.";
    }
    const text = await response.text();
    if (text !== "") heard(text, `${response.status} ${response.statusText}`.trim());
    await this.#turnedAway(response, text);
    return `The server answered with ${response.status}: ${sentenceIn(text)}`;
  }

  async #check(response: Response): Promise<void> {
    if (!response.ok) await this.#turnedAway(response, await response.text());
  }

  async #turnedAway(response: Response, text: string): Promise<void> {
    const refusal = refusalIn(response, this.#address, text);
    const isGone = response.status === 404 && this.#sessionId !== undefined;
    if ((refusal === undefined && !isGone) || this.#isOver) return;
    this.#over.abort();
    if (refusal === undefined) this.#ear.lost("The server has ended the session.");
    else this.#ear.refused(refusal);
    throw new TurnedAway();
  }

  #lose(error: unknown): void {
    if (this.#isOver || error instanceof TurnedAway) return;
    this.#over.abort();
    this.#ear.lost("The server cannot be reached.");
  }

  /** Waits; no longer than the channel is there. */
  #rest(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#surroundings.clock.after(milliseconds, resolve);
      this.#over.signal.addEventListener(
        "abort",
        () => {
          stop();
          resolve();
        },
        { once: true },
      );
    });
  }
}

export function openSessionChannel(
  address: Address,
  revision: string,
  ear: Ear,
  surroundings: Pick<Surroundings, "fetch" | "clock">,
): Channel {
  return new SessionChannel(address, revision, ear, surroundings);
}
