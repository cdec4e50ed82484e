/**
 * What a tool tells, as progress notifications: strictly increasing, in percent.
 *
 * Where a message has no figure of its own, or one that does not increase, the
 * last figure is nudged on by as little as can be seen to be more.
 */
import { type Emit, type Log, type LogLevel, logLevels, type StepEvent } from "@photon/core";
import type { Notification, RequestId } from "../jsonrpc/messages.ts";
import { aboutCall } from "./question-metadata.ts";
import type { RequestMeta } from "./request-meta.ts";

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

/** What a tool logs, and what becomes of its steps, as log messages to a client that wants to hear of them. Pure. */

/** Steps are for whoever looks closely. */
const STEP_LEVEL: LogLevel = "debug";

/** The client of one call, as far as it wants to hear of it. */
export interface Hearer {
  /** Whose logs they are. */
  readonly logger: string;
  readonly token: RequestId | undefined;
  readonly wantsDetails: boolean;
  isLogged(level: LogLevel): boolean;
}

export function logFor(
  { level, data }: Pick<Log, "level" | "data">,
  hearer: Hearer,
): Notification | undefined {
  if (!hearer.isLogged(level)) return undefined;
  const about = aboutCall(hearer);
  const params = { level, logger: hearer.logger, data, ...(about === undefined ? {} : { _meta: about }) };
  return { jsonrpc: "2.0", method: "notifications/message", params };
}

export const stepLogFor = ({ step, state }: StepEvent, hearer: Hearer): Notification | undefined =>
  logFor({ level: STEP_LEVEL, data: { step, state } }, { ...hearer, logger: `${hearer.logger}/steps` });

/** What the client of a request wants to hear: each says for itself. Nobody hears anything where there is none. */
export function hearerOf(envelope: RequestMeta | undefined, logger: string): Hearer {
  const { token, logLevel, wantsDetails = false } = envelope ?? {};
  const least = logLevel === undefined ? Number.POSITIVE_INFINITY : logLevels.indexOf(logLevel);
  return {
    logger,
    token,
    wantsDetails,
    isLogged: (level) => logLevels.indexOf(level) >= least,
  };
}
