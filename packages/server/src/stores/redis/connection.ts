/**
 * The address of a Redis, and a connection to it that reconnects whenever it is lost.
 *
 *   1. A command that cannot be sent waits for a connection, for up to TIMEOUT_MS; then it fails.
 *   2. A command that was sent and not answered fails. It is never sent twice: Redis may have executed it.
 */
import { readFileSync } from "node:fs";
import { InvalidDefinition } from "@photon/core";
import { Redis, type RedisOptions } from "ioredis";
import { StoreUnavailable } from "../../errors.ts";

export interface RedisAddress {
  /** The address without user and password, for errors. */
  readonly name: string;
  /** What every key and channel begins with. */
  readonly prefix: string;
  readonly options: Pick<RedisOptions, "host" | "port" | "username" | "password" | "tls"> & {
    readonly db: number;
  };
}

const PARAMETERS = new Set(["prefix", "ca"]);

/** `redis://user:password@host:6379/0?prefix=photon:`, or `rediss://…?ca=/etc/ssl/redis.pem` over TLS. */
export function parseRedisAddress(address: string): RedisAddress {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isValid =
    url !== undefined &&
    url.hostname !== "" &&
    /^\/?\d*$/.test(url.pathname) &&
    [url.username, url.password].every(canDecode) &&
    [...url.searchParams.keys()].every((key) => PARAMETERS.has(key));
  // The address is not in the message: it may contain a password.
  if (!isValid)
    throw new InvalidDefinition(
      "The address of a Redis must be redis://<user>:<password>@<host>:<port>/<number>, or rediss:// over TLS, optionally with ?prefix= and ?ca=.",
    );
  const { protocol, host, hostname, port, username, password, searchParams } = url;
  const db = Number(url.pathname.slice(1));
  return {
    name: `${protocol}//${host}/${db}`,
    prefix: searchParams.get("prefix") ?? "photon:",
    options: {
      // A URL has an IPv6 address in brackets.
      host: hostname.replaceAll(/^\[|\]$/g, ""),
      port: port === "" ? 6379 : Number(port),
      ...(username !== "" && { username: decodeURIComponent(username) }),
      ...(password !== "" && { password: decodeURIComponent(password) }),
      db,
      ...(protocol === "rediss:" && { tls: tlsOptions(searchParams.get("ca")) }),
    },
  };
}

/** Whether every % begins a percent-encoded character. */
function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function tlsOptions(caFile: string | null): { readonly ca?: string } {
  if (caFile === null) return {};
  try {
    return { ca: readFileSync(caFile, "utf8") };
  } catch (cause) {
    throw new InvalidDefinition(`The CA file ${caFile} of a Redis cannot be read.`, {
      cause,
    });
  }
}

const TIMEOUT_MS = 3000;
const RECONNECT_DELAY_MS = 50;
const MAX_RECONNECT_DELAY_MS = 500;

export class RedisConnection {
  readonly client: Redis;
  readonly #name: string;
  readonly #waiting = new Set<() => void>();
  #lastError: unknown;
  #isClosed = false;

  /** Calls `onReady` after each connect. */
  constructor({ name, options }: RedisAddress, onReady: () => void = () => {}) {
    this.#name = name;
    this.client = new Redis({
      ...options,
      protocol: 2,
      connectTimeout: TIMEOUT_MS,
      commandTimeout: TIMEOUT_MS,
      // Detects a dead connection.
      socketTimeout: TIMEOUT_MS,
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      // `RedisSubscriptions` subscribes again itself, and handles a failure of that.
      autoResubscribe: false,
      retryStrategy: (attempts) => Math.min(attempts * RECONNECT_DELAY_MS, MAX_RECONNECT_DELAY_MS),
      // After a failover, the name may lead to the new primary.
      reconnectOnError: ({ message }) => message.startsWith("READONLY"),
    });
    this.client.on("error", (error) => {
      this.#lastError = error;
    });
    this.client.on("ready", () => {
      this.#lastError = undefined;
      onReady();
      for (const wake of this.#waiting) wake();
    });
  }

  /** Runs commands, once there is a connection. */
  async run<Result>(work: (client: Redis) => Promise<Result>): Promise<Result> {
    const deadline = performance.now() + TIMEOUT_MS;
    if (this.#isClosed) throw this.#closed();
    if (this.client.status !== "ready") await this.#ready(deadline);
    for (;;) {
      try {
        return await work(this.client);
      } catch (error) {
        if (this.#isClosed) throw this.#closed();
        if (!isUnsent(error)) throw toStoreError(error, this.#name);
      }
      await this.#ready(deadline);
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const wake of this.#waiting) wake();
    // Redis answers QUIT after the commands under way.
    if (this.client.status === "ready") await this.client.quit().catch(() => {});
    this.client.disconnect();
  }

  /** Waits for the next connect. */
  #ready(deadline: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        clearTimeout(timer);
        if (this.#isClosed) reject(this.#closed());
        else resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(wake);
        reject(toStoreError(this.#lastError ?? new Error("the connection timed out"), this.#name));
      }, deadline - performance.now());
      this.#waiting.add(wake);
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

/** An error of Redis or of the network as `StoreUnavailable`. */
function toStoreError(error: unknown, name: string): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error;
  const cause = withoutCommand(error);
  const known = PROBLEMS.find(([pattern]) => pattern.test(cause.message));
  return new StoreUnavailable(name, known?.[1] ?? `it cannot be reached (${cause.message})`, { cause });
}

/** A copy with message and code only. ioredis attaches the command, which may contain a password. */
function withoutCommand(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const code = "code" in error ? String(error.code) : undefined;
  // The AggregateError of a host with several addresses has no message.
  const copy = new Error(error.message === "" ? (code ?? error.name) : error.message);
  return code === undefined ? copy : Object.assign(copy, { code });
}
