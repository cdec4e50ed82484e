/**
 * Pub/sub of a Redis, on a connection of its own: a connection that subscribes can send no other commands.
 *
 * It connects with the first subscriber. After it was lost, it subscribes again, and calls `onGap` of the subscribers.
 */
import { ChannelListeners } from "../channel-listeners.ts";
import { type RedisAddress, RedisConnection } from "./connection.ts";

/** Detects a dead connection on which no messages arrive. */
const PING_INTERVAL_MS = 10_000;

export class RedisSubscriptions {
  readonly #address: RedisAddress;
  readonly #listeners = new ChannelListeners();
  #connection: RedisConnection | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(address: RedisAddress) {
    this.#address = address;
  }

  /** The name of a channel in the Redis, where all databases share them. */
  nameOf(channel: string): string {
    const { prefix, options } = this.#address;
    return `${prefix}${options.db}:${channel}`;
  }

  async subscribe(
    channel: string,
    onMessage: (message: string) => void,
    onGap?: () => void,
  ): Promise<() => Promise<void>> {
    const name = this.nameOf(channel);
    const connection = (this.#connection ??= this.#connect());
    const removeListener = this.#listeners.add(name, onMessage, onGap);
    try {
      await connection.run((client) => client.subscribe(name));
    } catch (error) {
      removeListener();
      throw error;
    }
    return async () => {
      removeListener();
      if (this.#listeners.has(name)) return;
      // A lost connection has lost its subscriptions.
      if (connection.client.status === "ready") await connection.client.unsubscribe(name).catch(() => {});
    };
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#listeners.clear();
    await this.#connection?.close();
  }

  #connect(): RedisConnection {
    const connection = new RedisConnection(this.#address, () => this.#resubscribe());
    const { client } = connection;
    client.on("message", (name: string, message: string) => this.#listeners.emit(name, message));
    this.#timer = setInterval(() => {
      if (client.status === "ready") client.ping().catch(() => {});
    }, PING_INTERVAL_MS).unref();
    return connection;
  }

  #resubscribe(): void {
    const client = this.#connection?.client;
    const { names } = this.#listeners;
    if (client === undefined || names.length === 0) return;
    client.subscribe(...names).then(
      () => this.#listeners.emitGap(),
      () => client.disconnect(true),
    );
  }
}
