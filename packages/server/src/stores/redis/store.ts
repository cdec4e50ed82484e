/** A store in a Redis, or a Valkey: for processes on many machines. */
import { toPage, type Cursor, parseCursor } from "../cursor.ts";
import { readRedisAddress, type RedisAddress } from "./address.ts";
import { RedisConnection } from "./connection.ts";
import { APPEND, LEASE, LIST, NEVER, ONCE, RELEASE, type Script } from "./scripts.ts";
import { RedisSubscriptions } from "./pubsub.ts";
import type { AppendMeta, ListPage, ListedEntry, ListQuery, Store } from "../store.ts";

export async function openRedis(address: string): Promise<Store> {
  const store = new RedisStore(readRedisAddress(address));
  try {
    await store.connect();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** What `LIST` gives back: run, group, since, value of each; and where it ended. */
type Found = readonly [found: readonly (readonly [string, string, string, string])[], end: string | null];

class RedisStore implements Store {
  readonly #prefix: string;
  readonly #connection: RedisConnection;
  readonly #subscriptions: RedisSubscriptions;

  constructor(address: RedisAddress) {
    this.#prefix = address.prefix;
    this.#connection = new RedisConnection(address);
    this.#subscriptions = new RedisSubscriptions(address);
  }

  async append(run: string, at: number, records: readonly string[], about: AppendMeta): Promise<boolean> {
    const { group = "", since = 0, due, value = "" } = about.open ?? {};
    const dueDigits = due === undefined ? NEVER : digitsOf(due);
    const open = [changeOf(about.open), group, since, digitsOf(since), dueDigits, value];
    const told = [run, this.#prefix, at, timeOf(about.until), ...open, ...records];
    return (await this.#do(APPEND, this.#keysOf(run), told)) === 1;
  }

  read(run: string, from = 0): Promise<readonly string[]> {
    return this.#connection.do((client) => client.lrange(this.#log(run), from, -1));
  }

  async getOpen(run: string): Promise<ListedEntry | undefined> {
    const [group, since, value] = await this.#connection.do((client) =>
      client.hmget(this.#about(run), "group", "since", "value"),
    );
    if (typeof group !== "string" || typeof since !== "string" || typeof value !== "string") return undefined;
    return { run, group, since: Number(since), value };
  }

  list({ group, ...page }: ListQuery): Promise<ListPage> {
    return this.#page(`open${group === undefined ? "" : `:${group}`}`, page);
  }

  listDue(by: number, page: Omit<ListQuery, "group">): Promise<ListPage> {
    return this.#page("due", page, `(${digitsOf(by + 1)}`);
  }

  async lease(name: string, holder: string, milliseconds: number): Promise<boolean> {
    return (await this.#do(LEASE, [this.#lease(name)], [holder, Math.max(1, Math.ceil(milliseconds))])) === 1;
  }

  async release(name: string, holder: string): Promise<void> {
    await this.#do(RELEASE, [this.#lease(name)], [holder]);
  }

  async putIfAbsent(name: string, value: string, until: number): Promise<string> {
    return String(await this.#do(ONCE, [this.#kept(name)], [value, timeOf(until)]));
  }

  async get(name: string): Promise<string | undefined> {
    return (await this.#connection.do((client) => client.get(this.#kept(name)))) ?? undefined;
  }

  async publish(channel: string, message: string): Promise<void> {
    await this.#connection.do((client) => client.publish(this.#subscriptions.nameOf(channel), message));
  }

  async subscribe(...given: Parameters<Store["subscribe"]>): Promise<() => Promise<void>> {
    return this.#connection.do(() => this.#subscriptions.listen(...given));
  }

  /** Resolves if Redis answers. A store that can only be read is opened as well: its server starts, and is not ready. */
  async connect(): Promise<void> {
    await this.#connection.do((client) => client.ping());
  }

  async ping(): Promise<void> {
    // Redis refuses a command that may write before it runs, if it is read-only, full, or cannot persist. With XX this one writes
    // nothing, as the key never exists: nothing is added to the AOF.
    await this.#connection.do((client) => client.set(`${this.#prefix}ping`, "", "XX"));
  }

  async close(): Promise<void> {
    await Promise.all([this.#subscriptions.close(), this.#connection.close()]);
  }

  async #page(name: string, { after, limit }: Omit<ListQuery, "group">, to = "+"): Promise<ListPage> {
    const key = `${this.#prefix}${name}`;
    const opened: ListedEntry[] = [];
    let from = after === undefined ? "-" : `(${memberOf(parseCursor(after))}`;
    // Again, where so many have expired that they do not make a page.
    while (opened.length <= limit) {
      // As the script gives it back.
      const [found, end] = (await this.#do(LIST, [key], [this.#prefix, from, to, limit + 1])) as Found;
      opened.push(
        ...found.map(([run, of, since, value]) => ({ run, group: of, since: Number(since), value })),
      );
      if (end === null) break;
      from = `(${end}`;
    }
    return toPage(opened, limit);
  }

  #do(script: Script, keys: readonly string[], told: readonly (string | number)[]): Promise<unknown> {
    return this.#connection.do(async (client) => {
      try {
        return await client.evalsha(script.sha, keys.length, ...keys, ...told);
      } catch (error) {
        // It knows a script once it has done it, until it is started anew.
        if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
        return client.eval(script.lua, keys.length, ...keys, ...told);
      }
    });
  }

  #keysOf(run: string): readonly string[] {
    const shared = ["open", "places", "expiry", "due"].map((name) => `${this.#prefix}${name}`);
    return [this.#log(run), this.#about(run), ...shared];
  }

  #log(run: string): string {
    return `${this.#prefix}run:{${run}}:log`;
  }

  #about(run: string): string {
    return `${this.#prefix}run:{${run}}:about`;
  }

  #lease(name: string): string {
    return `${this.#prefix}lease:${name}`;
  }

  #kept(name: string): string {
    return `${this.#prefix}kept:${name}`;
  }
}

/** What becomes of what is open. */
function changeOf(open: AppendMeta["open"]): "same" | "none" | "open" {
  if (open === undefined) return "same";
  return open === null ? "none" : "open";
}

/** A time as Redis takes it: whole, and before the end of all numbers. */
function timeOf(time: number): number {
  return Math.min(Math.max(1, Math.floor(time)), Number.MAX_SAFE_INTEGER);
}

/** A time in as many digits as any other, so that they are sorted as their digits are. */
function digitsOf(since: number): string {
  return String(timeOf(since + 1) - 1).padStart(16, "0");
}

function memberOf({ since, run }: Cursor): string {
  return `${digitsOf(since)}:${run}`;
}
