/**
 * Whether a client has read the last progress of a call, before it is given the result.
 *
 * Clients built on the SDK lose what they read together with the result; however long a result stayed behind, a busy
 * client would read the two together. The answer to a ping shows that it has read what came before.
 */
import type { RequestId } from "../jsonrpc/messages.ts";
import type { Asker } from "../jsonrpc/outgoing-requests.ts";
import type { Home } from "./home.ts";

/** How long a client may take to show that it has read the last progress. */
const PATIENCE = 1000;
/** How far a result stays behind the last progress where a client shows nothing. */
const GAP = 5;

/** Of all sessions: every ping has a name of its own. */
let pings = 0;

export class ProofOfReading implements Asker {
  readonly isQuestion = false;
  readonly #home: Pick<Home, "isMute" | "requests" | "settings">;
  readonly #request: RequestId;
  /** Whether a progress was told that the client has not shown to have read. */
  #isUnread = false;
  /** Ends the waiting, while somebody waits. */
  #end: (() => void) | undefined;

  /** For the call that a request made. */
  constructor(home: Pick<Home, "isMute" | "requests" | "settings">, request: RequestId) {
    this.#home = home;
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

  /** Nobody waits for the result any more. */
  giveUp(): void {
    this.#end?.();
  }

  answered(): void {
    this.given();
    this.#end?.();
  }

  failed(): void {
    // An error is an answer too.
    this.#end?.();
  }

  #untilRead(): Promise<void> {
    const { isMute, requests, settings } = this.#home;
    pings += 1;
    const ping = { id: `ping-${pings}`, method: "ping", about: this.#request };
    return new Promise((resolve) => {
      const stopWaiting = settings.clock.after(isMute ? GAP : PATIENCE, () => {
        this.#home.isMute = true;
        this.#end?.();
      });
      this.#end = () => {
        this.#end = undefined;
        stopWaiting();
        // Nothing is taken back that was answered.
        requests.takeBack(ping);
        resolve();
      };
      if (!isMute) requests.ask(ping, this);
    });
  }
}
