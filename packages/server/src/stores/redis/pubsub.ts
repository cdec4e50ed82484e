/**
 * Pub/sub of a Redis, on a connection of its own: a connection that subscribes can send no other commands.
 *
 * The connection is open while there are listeners. After it was lost, it subscribes again, and calls `onGap` of the listeners.
 */
import { ChannelListeners } from "../listeners.ts";
import type { RedisAddress } from "./address.ts";
import { RedisConnection } from "./connection.ts";

/** How often the connection is pinged: it may carry no messages for long. */
const LOOK = 10_000;

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
    const { prefix, way } = this.#address;
    return `${prefix}${way.db}:${channel}`;
  }

  async listen(
    channel: string,
    onMessage: (message: string) => void,
    onGap?: () => void,
  ): Promise<() => Promise<void>> {
    const name = this.nameOf(channel);
    const connection = (this.#connection ??= this.#connect());
    const end = this.#listeners.add(name, onMessage, onGap);
    try {
      await connection.do((client) => client.subscribe(name));
    } catch (error) {
      end();
      throw error;
    }
    return async () => {
      end();
      if (this.#listeners.has(name)) return;
      // Where it is lost, so is the subscription.
      if (connection.client.status === "ready") await connection.client.unsubscribe(name).catch(() => {});
    };
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#listeners.clear();
    await this.#connection?.close();
  }

  #connect(): RedisConnection {
    const connection = new RedisConnection(this.#address, () => this.#listenAgain());
    connection.client.on("message", (name: string, message: string) => this.#listeners.emit(name, message));
    this.#timer = setInterval(() => {
      if (connection.client.status === "ready") connection.client.ping().catch(() => {});
    }, LOOK).unref();
    return connection;
  }

  #listenAgain(): void {
    const client = this.#connection?.client;
    const names = this.#listeners.names();
    if (client === undefined || names.length === 0) return;
    client.subscribe(...names).then(
      () => this.#listeners.emitGap(),
      () => client.disconnect(true),
    );
  }
}
