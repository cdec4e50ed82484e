/**
 * Whether a client has read the last progress of a call, before it is given the result.
 *
 * Clients built on the SDK lose what they read together with the result; however long a result stayed behind, a busy
 * client would read the two together. The answer to a ping shows that it has read what came before.
 */
import type { RequestId } from "../rpc/message.ts";
import type { Asker } from "../rpc/requests.ts";
import type { Home } from "./home.ts";

/** How long a client may take to show that it has read the last progress. */
const PATIENCE = 1000;
/** How far a result stays behind the last progress where a client shows nothing. */
const GAP = 5;
const NEVER = Number.NEGATIVE_INFINITY;

/** Of all sessions: every ping has a name of its own. */
let pings = 0;

export class ProofOfReading implements Asker {
  readonly isQuestion = false;
  readonly #home: Pick<Home, "isMute" | "requests" | "settings">;
  readonly #request: RequestId;
  /** When the last progress was told that the client has not shown to have read. */
  #lastProgress = NEVER;
  /** Ends the waiting, while somebody waits. */
  #end: (() => void) | undefined;

  /** For the call that a request made. */
  constructor(home: Pick<Home, "isMute" | "requests" | "settings">, request: RequestId) {
    this.#home = home;
    this.#request = request;
  }

  /** The client was told a progress just now. */
  told(): void {
    this.#lastProgress = this.#home.settings.clock.now();
  }

  /** The client has answered: before that, it has read what it was told before. */
  given(): void {
    this.#lastProgress = NEVER;
  }

  /** Settles when the client has read the last progress, or was given the time to. */
  wait(): void | Promise<void> {
    const { isMute, settings } = this.#home;
    const patience = isMute ? GAP : PATIENCE;
    if (settings.clock.now() - this.#lastProgress < patience) return this.#untilRead(isMute, patience);
  }

  /** Nobody waits for the result any more. */
  giveUp(): void {
    this.#end?.();
  }

  answered(): undefined {
    this.given();
    this.#end?.();
  }

  failed(): void {
    // An error is an answer too.
    this.#end?.();
  }

  #untilRead(isMute: boolean, patience: number): Promise<void> {
    const { requests, settings } = this.#home;
    pings += 1;
    const ping = { id: `ping-${pings}`, method: "ping", about: this.#request };
    return new Promise((resolve) => {
      const stopWaiting = settings.clock.after(patience, () => {
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
