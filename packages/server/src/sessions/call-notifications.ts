/**
 * The notifications of one call: progress, logs and completed elicitations, sent on the stream of the call, in order, before its
 * response.
 *
 * Clients built on the SDK drop a progress notification that they read together with the response. So the server sends a ping after
 * the last progress, and the response when the ping is answered. A delay alone does not help with a busy client.
 */
import type { Emit, StepEvent } from "@photon/core";
import { READ_GAP_MS } from "../connection.ts";
import type { ResponseHandler } from "../jsonrpc/outgoing-requests.ts";
import type { Notification, RequestId } from "../jsonrpc/messages.ts";
import {
  isLevelAtLeast,
  type LogTarget,
  logFor,
  ProgressCounter,
  stepLogFor,
} from "../protocol/notifications.ts";
import { every } from "../util/timers.ts";
import type { SessionContext } from "./session-client.ts";

const HEARTBEAT_MS = 15_000;
const PING_TIMEOUT_MS = 1000;

/** Numbers the pings of all sessions, so that their ids differ. */
let pings = 0;

export class CallNotifications implements ResponseHandler {
  /** The client's request that started the call. */
  readonly about: RequestId;
  readonly #session: SessionContext;
  /** The client's progress token, if it wants progress. */
  readonly #token: RequestId | undefined;
  readonly #logger: string;
  readonly #progress = new ProgressCounter();
  /** The ids of accepted url elicitations that the client was not yet told to be complete. */
  readonly #acceptedUrls: string[] = [];
  /** Whether the client may not have read the last progress. */
  #hasUnreadProgress = false;
  #hasEnded = false;
  /** Ends the wait for the ping. */
  #stopWaiting: (() => void) | undefined;

  constructor(session: SessionContext, request: RequestId, token: RequestId | undefined, logger: string) {
    this.#session = session;
    this.about = request;
    this.#token = token;
    this.#logger = logger;
  }

  get logTarget(): LogTarget {
    return {
      logger: this.#logger,
      token: this.#token,
      wantsDetails: this.#session.handshake.wantsDetails,
      isLogged: (level) => isLevelAtLeast(level, this.#session.logLevel),
    };
  }

  emit(effect: Emit): void | Promise<void> {
    if (effect.emit === "log") return this.#send(logFor(effect, this.logTarget));
    if (this.#token !== undefined) return this.#sendProgress(this.#progress.of(effect, this.#token));
  }

  step(event: StepEvent): void | Promise<void> {
    return this.#send(stepLogFor(event, this.logTarget));
  }

  /** Sends progress from time to time while a question is open. Returns a function that stops it. */
  startHeartbeat(token: RequestId): () => void {
    const { clock } = this.#session.server.settings;
    return every(clock, HEARTBEAT_MS, () => void this.#sendProgress(this.#progress.heartbeat(token)));
  }

  /** The client has accepted a url elicitation. That is only consent: a result without an error shows that the user completed it. */
  onUrlAccepted(elicitationId: string): void {
    this.#acceptedUrls.push(elicitationId);
  }

  /** The user has completed a url elicitation. */
  completeElicitation(elicitationId: string): void | Promise<void> {
    const params = { elicitationId };
    return this.#send({ jsonrpc: "2.0", method: "notifications/elicitation/complete", params });
  }

  /** The client has read all notifications so far: it has answered a question that was sent after them. */
  onProgressRead(): void {
    this.#hasUnreadProgress = false;
  }

  /** Resolves when the result or the error of the call may be sent. */
  beforeResponse(isError: boolean): void | Promise<void> {
    if (isError || this.#acceptedUrls.length === 0) return this.#untilProgressIsRead();
    return this.#completeAll();
  }

  /** Sends no more notifications of this call. */
  end(): void {
    this.#hasEnded = true;
    this.#stopWaiting?.();
  }

  get countsAsQuestion(): boolean {
    return false;
  }

  /** The client has answered the ping. */
  onResult(): void {
    this.#stopWaiting?.();
  }

  /** An error is an answer, too. */
  onError(): void {
    this.#stopWaiting?.();
  }

  async #completeAll(): Promise<void> {
    for (const elicitationId of this.#acceptedUrls.splice(0)) await this.completeElicitation(elicitationId);
    await this.#untilProgressIsRead();
  }

  #untilProgressIsRead(): void | Promise<void> {
    const session = this.#session;
    if (!this.#hasUnreadProgress || this.#hasEnded || !session.connection.mayMergeReads) return undefined;
    const { ignoresPings, requests } = session;
    pings += 1;
    const ping = { id: `ping-${pings}`, method: "ping" };
    return new Promise((resolve) => {
      const delay = ignoresPings ? READ_GAP_MS : PING_TIMEOUT_MS;
      const stopTimer = session.server.settings.clock.after(delay, () => {
        session.ignoresPings = true;
        this.#stopWaiting?.();
      });
      this.#stopWaiting = () => {
        this.#stopWaiting = undefined;
        stopTimer();
        // Sends no cancellation if the ping was answered.
        requests.cancel(ping);
        resolve();
      };
      if (!ignoresPings) requests.send(ping, this);
    });
  }

  #sendProgress(notification: Notification | undefined): void | Promise<void> {
    if (notification === undefined) return undefined;
    this.#hasUnreadProgress = true;
    return this.#send(notification);
  }

  #send(notification: Notification | undefined): void | Promise<void> {
    if (notification !== undefined && !this.#hasEnded) return this.#session.send(notification, this.about);
  }
}
