/**
 * Whether a client has read the last progress of a call, before it is given the result.
 *
 * Clients built on the SDK lose what they read together with the result; however long a result stayed behind, a busy
 * client would read the two together. The answer to a ping shows that it has read what came before.
 */
import type { RequestId } from "../rpc/message.ts";
import type { Home } from "./home.ts";

/** How long a client may take to show that it has read the last progress. */
const PATIENCE = 1000;
/** How far a result stays behind the last progress where a client shows nothing. */
const GAP = 5;
const NEVER = Number.NEGATIVE_INFINITY;

export class ProofOfReading {
  readonly #home: Pick<Home, "isMute" | "requests" | "settings">;
  readonly #request: RequestId;
  readonly #closed: AbortSignal;
  /** When the last progress was told that the client has not shown to have read. */
  #lastProgress = NEVER;

  /** For the call that a request made, until that is closed. */
  constructor(home: Pick<Home, "isMute" | "requests" | "settings">, request: RequestId, closed: AbortSignal) {
    this.#home = home;
    this.#request = request;
    this.#closed = closed;
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
  async wait(): Promise<void> {
    const { clock } = this.#home.settings;
    const { isMute } = this.#home;
    const patience = isMute ? GAP : PATIENCE;
    if (this.#closed.aborted || clock.now() - this.#lastProgress >= patience) return;
    const over = new AbortController();
    const stop = (): void => over.abort();
    this.#closed.addEventListener("abort", stop, { once: true });
    const stopWaiting = clock.after(patience, () => {
      this.#home.isMute = true;
      stop();
    });
    try {
      await (isMute ? aborted(over.signal) : this.#ping(over.signal));
    } finally {
      stopWaiting();
      this.#closed.removeEventListener("abort", stop);
    }
  }

  async #ping(signal: AbortSignal): Promise<void> {
    const asking = { id: crypto.randomUUID(), method: "ping", about: this.#request, signal };
    try {
      await this.#home.requests.ask(asking, () => ({ value: undefined }));
      this.given();
    } catch {
      // An error is an answer too.
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
