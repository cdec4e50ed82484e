/**
 * Progress notifications, in percent, and log notifications. Pure.
 *
 * Progress must increase. A message without a value, or with one that does not increase, gets the last value plus MIN_INCREMENT.
 */
import { type Emit, type Log, type LogLevel, logLevels, type StepEvent } from "@photon/core";
import type { Notification, RequestId } from "../jsonrpc/messages.ts";
import { aboutCall } from "./question-metadata.ts";
import type { RequestMeta } from "./request-meta.ts";

const MIN_INCREMENT = 0.001;

/** Removes the error of binary fractions: 0.55 * 100 is 55.00000000000001. Truncates, so that 100 is not reached before the end. */
const toThousandths = (percent: number): number => Math.floor(percent * 1000 + 1e-6) / 1000;

type ProgressParams = {
  readonly progressToken: RequestId;
  readonly progress: number;
  total?: number;
  message?: string;
};

export class ProgressCounter {
  /** The last value that was sent. */
  last: number | undefined;
  #message = "";

  /** `last`: for a call that another request continues. */
  constructor(last?: number) {
    this.last = last;
  }

  /** The notification for an emit; `undefined` for an emit without progress. */
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

  /** A keep-alive, with the last message. */
  heartbeat(token: RequestId): Notification {
    return this.#next(token, undefined, this.#message === "" ? "Waiting for an answer" : this.#message);
  }

  #next(token: RequestId, wanted: number | undefined, message: string | undefined): Notification {
    const least = this.last === undefined ? 0 : this.last + MIN_INCREMENT;
    const progress = toThousandths(wanted === undefined ? least : Math.max(wanted, least));
    this.last = progress;
    this.#message = message ?? this.#message;
    const params: ProgressParams = { progressToken: token, progress };
    if (progress <= 100) params.total = 100;
    if (message !== undefined) params.message = message;
    return { jsonrpc: "2.0", method: "notifications/progress", params };
  }
}

/** The logs that the client of one call wants. */
export interface LogTarget {
  /** The name of the logger. */
  readonly logger: string;
  readonly token: RequestId | undefined;
  readonly wantsDetails: boolean;
  isLogged(level: LogLevel): boolean;
}

export function logFor(
  { level, data }: Pick<Log, "level" | "data">,
  target: LogTarget,
): Notification | undefined {
  if (!target.isLogged(level)) return undefined;
  const about = aboutCall(target);
  const params = { level, logger: target.logger, data, ...(about === undefined ? {} : { _meta: about }) };
  return { jsonrpc: "2.0", method: "notifications/message", params };
}

export const stepLogFor = ({ step, state }: StepEvent, target: LogTarget): Notification | undefined =>
  logFor({ level: "debug", data: { step, state } }, { ...target, logger: `${target.logger}/steps` });

export const parseLogLevel = (value: unknown): LogLevel | undefined =>
  logLevels.find((level) => level === value);

export const isLevelAtLeast = (level: LogLevel, least: LogLevel): boolean =>
  logLevels.indexOf(level) >= logLevels.indexOf(least);

/** The log level and progress token of a request. Without them, nothing is sent. */
export function logTargetOf(envelope: RequestMeta | undefined, logger: string): LogTarget {
  const { token, logLevel, wantsDetails = false } = envelope ?? {};
  return {
    logger,
    token,
    wantsDetails,
    isLogged: (level) => logLevel !== undefined && isLevelAtLeast(level, logLevel),
  };
}
