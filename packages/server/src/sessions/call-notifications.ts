/** What the client of a call is told on the stream of the call, in order, before its result. */
import type { Emit, StepEvent } from "@photon/core";
import { type LogTarget, logFor, ProgressCounter, stepLogFor } from "../protocol/notifications.ts";
import type { Notification, RequestId } from "../jsonrpc/messages.ts";
import { every } from "../util/timers.ts";
import type { SessionContext } from "./session-client.ts";
import type { ResponseHandler } from "../jsonrpc/outgoing-requests.ts";

const HEARTBEAT_MS = 15_000;

export class CallNotifications {
  readonly #logger: string;
  /** What the client wants to be told of progress by, if it does. */
  readonly #token: RequestId | undefined;
  readonly #session: SessionContext;
  readonly #request: RequestId;
  readonly #progress = new ProgressCounter();
  readonly #reading: ReadReceipt;
  #isOver = false;

  constructor(session: SessionContext, request: RequestId, token: RequestId | undefined, logger: string) {
    this.#logger = logger;
    this.#token = token;
    this.#session = session;
    this.#request = request;
    this.#reading = new ReadReceipt(session, request);
  }

  /** The client, as far as it wants to hear of the call. */
  get logTarget(): LogTarget {
    return {
      logger: this.#logger,
      token: this.#token,
      wantsDetails: this.#session.client.wantsDetails,
      isLogged: (level) => this.#session.isLogged(level),
    };
  }

  emit(effect: Emit): void | Promise<void> {
    if (effect.emit === "log") return this.#tell(logFor(effect, this.logTarget));
    if (this.#token !== undefined) return this.#tellProgress(this.#progress.of(effect, this.#token));
  }

  step(news: StepEvent): void | Promise<void> {
    return this.#tell(stepLogFor(news, this.logTarget));
  }

  /** The user has completed an elicitation in URL mode. */
  completeElicitation(elicitationId: string): void | Promise<void> {
    const params = { elicitationId };
    return this.#tell({ jsonrpc: "2.0", method: "notifications/elicitation/complete", params });
  }

  /** Signs of life while a person thinks, if the client wants any; gives back what stops them. */
  startHeartbeat(): () => void {
    const token = this.#token;
    if (token === undefined) return () => {};
    const { clock } = this.#session.settings;
    return every(clock, HEARTBEAT_MS, () => void this.#tellProgress(this.#progress.heartbeat(token)));
  }

  /** The client has answered a question: before that, it has read what it was told before. */
  answered(): void {
    this.#reading.given();
  }

  /** Settles when a result may be sent: after everything that was told before it. */
  untilRead(): void | Promise<void> {
    if (this.#session.mayMergeReads && !this.#isOver) return this.#reading.wait();
  }

  /** No notification of this call is sent any more. */
  end(): void {
    this.#isOver = true;
    this.#reading.giveUp();
  }

  #tell(notification: Notification | undefined): void | Promise<void> {
    if (notification === undefined || this.#isOver) return;
    return this.#session.send(notification, this.#request);
  }

  #tellProgress(notification: Notification | undefined): void | Promise<void> {
    if (notification === undefined) return;
    this.#reading.told();
    return this.#tell(notification);
  }
}

// Clients built on the SDK drop a progress notification that they read together with the result. So the server sends a ping after
// the last progress, and the result when the ping is answered. A delay alone does not help with a busy client.

/** How long the server waits for the answer to that ping. */
const PING_TIMEOUT_MS = 1000;
/** The delay of the result after the last progress, for clients that answer no pings. */
const RESULT_GAP_MS = 5;

/** Numbers the pings of all sessions, so that their ids differ. */
let pings = 0;

class ReadReceipt implements ResponseHandler {
  readonly countsAsQuestion = false;
  readonly #session: Pick<SessionContext, "ignoresPings" | "requests" | "settings">;
  readonly #request: RequestId;
  /** Whether a progress was told that the client has not shown to have read. */
  #isUnread = false;
  /** Ends the wait, while there is one. */
  #end: (() => void) | undefined;

  /** For the call that a request made. */
  constructor(session: Pick<SessionContext, "ignoresPings" | "requests" | "settings">, request: RequestId) {
    this.#session = session;
    this.#request = request;
  }

  /** The client is told a progress. */
  told(): void {
    this.#isUnread = true;
  }

  /** The client has answered: before that, it has read what it was told before. */
  given(): void {
    this.#isUnread = false;
  }

  /** Settles when the client has read the last progress, or was given the time to. */
  wait(): void | Promise<void> {
    if (this.#isUnread) return this.#untilRead();
  }

  /** The result is not sent any more. */
  giveUp(): void {
    this.#end?.();
  }

  onResult(): void {
    this.given();
    this.#end?.();
  }

  onError(): void {
    // An error is an answer too.
    this.#end?.();
  }

  #untilRead(): Promise<void> {
    const { ignoresPings, requests, settings } = this.#session;
    pings += 1;
    const ping = { id: `ping-${pings}`, method: "ping", about: this.#request };
    return new Promise((resolve) => {
      const stopWaiting = settings.clock.after(ignoresPings ? RESULT_GAP_MS : PING_TIMEOUT_MS, () => {
        this.#session.ignoresPings = true;
        this.#end?.();
      });
      this.#end = () => {
        this.#end = undefined;
        stopWaiting();
        // Nothing is taken back that was answered.
        requests.cancel(ping);
        resolve();
      };
      if (!ignoresPings) requests.send(ping, this);
    });
  }
}
