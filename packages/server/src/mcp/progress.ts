/**
 * What a tool tells, as progress notifications: strictly increasing, in percent.
 *
 * Where a message has no figure of its own, or one that does not increase, the
 * last figure is nudged on by as little as can be seen to be more.
 */
import type { Emit } from "@photon/core";
import type { Notification, RequestId } from "../jsonrpc/messages.ts";

const NUDGE = 0.001;

/**
 * A figure without what binary fractions add to it: 0.55 * 100 is 55.00000000000001. Cut off and not rounded, so that 100 is
 * not reached before the end.
 */
const toThousandths = (figure: number): number => Math.floor(figure * 1000 + 1e-6) / 1000;

/** The parameters of a notification, while it is made. */
type Told = {
  readonly progressToken: RequestId;
  readonly progress: number;
  total?: number;
  message?: string;
};

export class ProgressCounter {
  #last: number | undefined;
  #message = "";

  /** `last` was told before, where a call goes on. */
  constructor(last?: number) {
    this.#last = last;
  }

  /** The last figure that was told. */
  get last(): number | undefined {
    return this.#last;
  }

  /** The notification for an emit, to whoever gave the token; nothing for what is no progress. */
  of(effect: Emit, token: RequestId): Notification | undefined {
    switch (effect.emit) {
      case "status":
        return this.#next(token, undefined, effect.message);
      case "stream":
        return this.#next(token, undefined, effect.text);
      case "progress":
        return this.#next(token, effect.value * 100, effect.message);
      case "log":
      case "artifact":
        return undefined;
      default:
        return effect satisfies never;
    }
  }

  /** A sign of life, with the last message. */
  heartbeat(token: RequestId): Notification {
    return this.#next(token, undefined, this.#message === "" ? "Waiting for an answer" : this.#message);
  }

  #next(token: RequestId, wanted: number | undefined, message: string | undefined): Notification {
    const least = this.#last === undefined ? 0 : this.#last + NUDGE;
    const progress = toThousandths(wanted === undefined ? least : Math.max(wanted, least));
    this.#last = progress;
    this.#message = message ?? this.#message;
    const params: Told = { progressToken: token, progress };
    if (progress <= 100) params.total = 100;
    if (message !== undefined) params.message = message;
    return { jsonrpc: "2.0", method: "notifications/progress", params };
  }
}
