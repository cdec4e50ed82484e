/**
 * A connection to a Redis, which is made again whenever it is lost.
 *
 *   1. What cannot be sent waits until it can be, for seconds, and is then an error.
 *   2. What was sent, and not answered, is an error. It is never sent twice: the first may have been done.
 */
import { Redis } from "ioredis";
import type { RedisAddress } from "./address.ts";
import { StoreUnavailable } from "../../errors.ts";

/** How long something may take, in milliseconds. */
const PATIENCE = 3000;
/** The longest time between two tries to connect. */
const LONGEST_PAUSE = 500;

export class RedisConnection {
  readonly client: Redis;
  readonly #name: string;
  readonly #waiting = new Set<() => void>();
  #problem: unknown;
  #isClosed = false;

  /** `ready` is called whenever it is connected. */
  constructor({ name, way }: RedisAddress, ready: () => void = () => {}) {
    this.#name = name;
    this.client = new Redis({
      ...way,
      protocol: 2,
      connectTimeout: PATIENCE,
      commandTimeout: PATIENCE,
      // Detects a dead connection.
      socketTimeout: PATIENCE,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      // The pub/sub subscribes again itself, where it can handle a failure.
      autoResubscribe: false,
      retryStrategy: (times) => Math.min(times * 50, LONGEST_PAUSE),
      // After a failover, what was the primary may be at another address of that name.
      reconnectOnError: ({ message }) => message.startsWith("READONLY"),
    });
    this.client.on("error", (error) => {
      this.#problem = error;
    });
    this.client.on("ready", () => {
      this.#problem = undefined;
      ready();
      for (const go of this.#waiting) go();
    });
  }

  /** Does something with the connection, once there is one. */
  async do<What>(work: (client: Redis) => Promise<What>): Promise<What> {
    const deadline = performance.now() + PATIENCE;
    if (this.#isClosed) throw this.#closed();
    if (this.client.status !== "ready") await this.#ready(deadline);
    for (;;) {
      try {
        return await work(this.client);
      } catch (error) {
        if (this.#isClosed) throw this.#closed();
        if (!isUnsent(error)) throw redisProblem(error, this.#name);
      }
      await this.#ready(deadline);
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const go of this.#waiting) go();
    // What is under way is waited for.
    if (this.client.status === "ready") await this.client.quit().catch(() => {});
    this.client.disconnect();
  }

  /** Waits until it is connected, or connected again. */
  #ready(deadline: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = (): void => {
        this.#waiting.delete(go);
        clearTimeout(timer);
        if (this.#isClosed) reject(this.#closed());
        else resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(go);
        const late = new Error("the connection timed out");
        reject(redisProblem(this.#problem ?? late, this.#name));
      }, deadline - performance.now());
      this.#waiting.add(go);
    });
  }

  #closed(): StoreUnavailable {
    return new StoreUnavailable(this.#name, "it was closed");
  }
}

/** Whether a command was never sent, because the connection had just ended. */
function isUnsent(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("Stream isn't writeable");
}

/** Errors of Redis and of the network as sentences. */

const PROBLEMS: readonly (readonly [RegExp, string])[] = [
  [/\bREADONLY\b/, "it is read-only"],
  [/\bOOM\b/, "it is full"],
  [/\bMISCONF\b/, "it cannot write to its disk"],
  [/\bNOREPLICAS\b/, "it has too few replicas to write"],
  [
    /\b(?:WRONGPASS|NOAUTH)\b|invalid password/,
    "it does not accept the name and the password of its address",
  ],
  [/\bNOPERM\b/, "its user may not do that"],
  [/\b(?:LOADING|MASTERDOWN|BUSY)\b/, "it is not ready"],
  [/timed out|ETIMEDOUT|Socket timeout/i, "it did not answer within seconds"],
  [/Connection is closed|MaxRetries|max retries|aborted|ECONNRESET|EPIPE/i, "the connection to it was lost"],
];

function redisProblem(error: unknown, name: string): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error;
  const cause = copyOf(error);
  const known = PROBLEMS.find(([pattern]) => pattern.test(cause.message));
  return new StoreUnavailable(name, known?.[1] ?? `it cannot be reached (${cause.message})`, { cause });
}

/** What an error says; not the command it came of, in which there may be a password. */
function copyOf(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const code = "code" in error ? String(error.code) : undefined;
  // Of several addresses that were tried, the error says nothing itself.
  const copy = new Error(error.message === "" ? (code ?? error.name) : error.message);
  return code === undefined ? copy : Object.assign(copy, { code });
}
