/** A store in a Redis, or a Valkey: for processes on many machines. */
import { parseRedisAddress, type RedisAddress, RedisConnection } from "./connection.ts";
import { APPEND, LEASE, LIST, NEVER, PUT_IF_ABSENT, RELEASE, type Script } from "./scripts.ts";
import { RedisSubscriptions } from "./pubsub.ts";
import {
  type AppendMeta,
  type ListedEntry,
  type ListPage,
  type ListQuery,
  parseCursor,
  type Store,
  toPage,
} from "../store.ts";

export async function openRedis(address: string): Promise<Store> {
  const store = new RedisStore(parseRedisAddress(address));
  try {
    await store.connect();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** What `LIST` returns: run, group, time and value of each entry, and the last member if there may be more. */
type Listed = readonly [
  entries: readonly (readonly [run: string, group: string, since: string, value: string])[],
  last: string | null,
];

class RedisStore implements Store {
  readonly #prefix: string;
  readonly #connection: RedisConnection;
  readonly #subscriptions: RedisSubscriptions;

  constructor(address: RedisAddress) {
    this.#prefix = address.prefix;
    this.#connection = new RedisConnection(address);
    this.#subscriptions = new RedisSubscriptions(address);
  }

  async append(
    run: string,
    position: number,
    records: readonly string[],
    meta: AppendMeta,
  ): Promise<boolean> {
    const { group = "", since = 0, due, value = "" } = meta.open ?? {};
    const change = meta.open === undefined ? "same" : meta.open === null ? "none" : "open";
    const open = [change, group, since, toDigits(since), due === undefined ? NEVER : toDigits(due), value];
    const keys = [this.#log(run), this.#meta(run), ...["open", "members", "expiry", "due"].map(this.#key)];
    const values = [run, this.#prefix, position, toExpiry(meta.until), ...open, ...records];
    return (await this.#run(APPEND, keys, values)) === 1;
  }

  read(run: string, from = 0): Promise<readonly string[]> {
    return this.#connection.run((client) => client.lrange(this.#log(run), from, -1));
  }

  async getOpen(run: string): Promise<ListedEntry | undefined> {
    const [group, since, value] = await this.#connection.run((client) =>
      client.hmget(this.#meta(run), "group", "since", "value"),
    );
    if (typeof group !== "string" || typeof since !== "string" || typeof value !== "string") return undefined;
    return { run, group, since: Number(since), value };
  }

  list({ group, ...page }: ListQuery): Promise<ListPage> {
    return this.#page(`open${group === undefined ? "" : `:${group}`}`, page);
  }

  listDue(by: number, page: Omit<ListQuery, "group">): Promise<ListPage> {
    return this.#page("due", page, `(${toDigits(by + 1)}`);
  }

  async lease(name: string, holder: string, milliseconds: number): Promise<boolean> {
    const values = [holder, Math.max(1, Math.ceil(milliseconds))];
    return (await this.#run(LEASE, [this.#key(`lease:${name}`)], values)) === 1;
  }

  async release(name: string, holder: string): Promise<void> {
    await this.#run(RELEASE, [this.#key(`lease:${name}`)], [holder]);
  }

  async putIfAbsent(name: string, value: string, until: number): Promise<string> {
    return String(await this.#run(PUT_IF_ABSENT, [this.#key(`value:${name}`)], [value, toExpiry(until)]));
  }

  async get(name: string): Promise<string | undefined> {
    return (await this.#connection.run((client) => client.get(this.#key(`value:${name}`)))) ?? undefined;
  }

  async publish(channel: string, message: string): Promise<void> {
    await this.#connection.run((client) => client.publish(this.#subscriptions.nameOf(channel), message));
  }

  subscribe(...subscription: Parameters<Store["subscribe"]>): Promise<() => Promise<void>> {
    return this.#connection.run(() => this.#subscriptions.subscribe(...subscription));
  }

  /** Resolves if Redis answers. A store that can only be read is opened as well: its server starts, and is not ready. */
  async connect(): Promise<void> {
    await this.#connection.run((client) => client.ping());
  }

  async ping(): Promise<void> {
    // Redis refuses a command that may write before it runs, if it is read-only, full, or cannot persist. With XX this one writes
    // nothing, as the key never exists: nothing is added to the AOF.
    await this.#connection.run((client) => client.set(this.#key("ping"), "", "XX"));
  }

  async close(): Promise<void> {
    await Promise.all([this.#subscriptions.close(), this.#connection.close()]);
  }

  async #page(name: string, { after, limit }: Omit<ListQuery, "group">, to = "+"): Promise<ListPage> {
    const { since, run: lastRun } = parseCursor(after);
    let from = after === undefined ? "-" : `(${toDigits(since)}:${lastRun}`;
    const entries: ListedEntry[] = [];
    // Reads on while expired entries leave the page short.
    while (entries.length <= limit) {
      // The script returns this.
      const [found, last] = (await this.#run(
        LIST,
        [this.#key(name)],
        [this.#prefix, from, to, limit + 1],
      )) as Listed;
      for (const [run, group, time, value] of found) entries.push({ run, group, since: Number(time), value });
      if (last === null) break;
      from = `(${last}`;
    }
    return toPage(entries, limit);
  }

  #run(
    { sha, lua }: Script,
    keys: readonly string[],
    values: readonly (string | number)[],
  ): Promise<unknown> {
    return this.#connection.run(async (client) => {
      try {
        return await client.evalsha(sha, keys.length, ...keys, ...values);
      } catch (error) {
        // Redis forgets its scripts when it restarts; EVAL stores the script again.
        if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
        return client.eval(lua, keys.length, ...keys, ...values);
      }
    });
  }

  readonly #key = (name: string): string => `${this.#prefix}${name}`;

  #log(run: string): string {
    return this.#key(`run:{${run}}:log`);
  }

  #meta(run: string): string {
    return this.#key(`run:{${run}}:meta`);
  }
}

/** A time as PEXPIREAT accepts it: a positive safe integer. */
function toExpiry(time: number): number {
  return Math.min(Math.max(1, Math.floor(time)), Number.MAX_SAFE_INTEGER);
}

/** A time in 16 digits, so that members are sorted by it. */
function toDigits(time: number): string {
  return String(toExpiry(time + 1) - 1).padStart(16, "0");
}
