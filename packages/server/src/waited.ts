import type { Replies } from "@photon/core";
import type { Ask } from "./front.ts";
import type { Performance, Stage } from "./performance.ts";
import type { Wire } from "./jsonrpc/messages.ts";

/** A call that waits inside of itself for what it is replied, as one that is performed stage by stage. */
export class Waited implements Performance {
  readonly #begin: (askThem: Ask) => Promise<Wire>;
  /** Settles when it has ended. */
  #over: Promise<void> | undefined;
  #reach: { to(stage: Stage): void; fail(error: unknown): void } = { to() {}, fail() {} };
  #resume: ((replies: Replies) => void) | undefined;

  /** `begin` is given whom it may ask. */
  constructor(begin: (askThem: Ask) => Promise<Wire>) {
    this.#begin = begin;
  }

  next(replies: Replies = {}): Promise<Stage> {
    return new Promise((to, fail) => {
      this.#reach = { to, fail };
      if (this.#over === undefined) this.#over = this.#perform();
      else this.#goOn(replies);
    });
  }

  /** Whoever waits for replies finds that there are none. */
  async close(): Promise<void> {
    this.#goOn({});
    await this.#over;
  }

  /** What waits inside of it stops by itself: its own run is detached by the client's side of the call. */
  async detach(): Promise<void> {}

  async #perform(): Promise<void> {
    const askThem: Ask = (round) =>
      new Promise((resolve) => {
        this.#resume = resolve;
        this.#reach.to({ round });
      });
    try {
      const result = await this.#begin(askThem);
      this.#reach.to({ result });
    } catch (error) {
      this.#reach.fail(error);
    }
  }

  #goOn(replies: Replies): void {
    this.#resume?.(replies);
    this.#resume = undefined;
  }
}
