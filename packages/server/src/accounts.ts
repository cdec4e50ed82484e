/**
 * What each principal uses of the server, and what all principals use together: sessions, requests, parked calls, and memory.
 *
 *   1. A limit has a part for each principal and a total, so that one principal cannot use it up for the others.
 *   2. A principal is its name; without `authenticate` and `tokens`, its network address.
 *   3. Memory is counted in bytes, estimated from the wire: parked calls and calls under way, unfinished messages, unread output,
 *      kept events. New use over a limit is refused.
 *   4. Kept events make room first: those of the same principal, then, where the total is used up, those of others.
 */
import { LinkedList, type ListNode } from "./util/linked-list.ts";
import { SERVER_FULL, OVER_LIMIT, RpcError } from "./jsonrpc/errors.ts";
import type { Limits } from "./limits.ts";

/** Which limit is exceeded: that of one principal, or that of all of them together. */
export type Exceeded = "principal" | "total";

/** Why something is refused, and the HTTP status for it. */
export interface Refusal {
  readonly error: RpcError;
  readonly status: number;
}

/** Memory that can be freed without an error to a client: a buffer of events. */
export interface Evictable extends ListNode<Evictable> {
  /** Frees the oldest of what it has; it leaves the account when it has nothing any more. */
  evict(): void;
}

/** What an idle session takes beside what its client sent, in bytes. */
const SESSION_BYTES = 8 * 1024;
/** What a short request takes at most, in bytes. */
const SHORT_BYTES = 8 * 1024;
const TOO_MANY_REQUESTS = 429;
const UNAVAILABLE = 503;

/** A limit of all principals together. */
class Pool {
  readonly most: number;
  used = 0;

  constructor(most: number) {
    this.most = most;
  }
}

/** One principal's part of a limit. */
class Share {
  readonly #pool: Pool;
  readonly #most: number;
  #used = 0;

  constructor(pool: Pool, most: number) {
    this.#pool = pool;
    this.#most = most;
  }

  /** The limit that so much more exceeds by more than a margin. */
  exceededBy(amount: number, margin = 0): Exceeded | undefined {
    if (this.#used + amount > this.#most + margin) return "principal";
    return this.#pool.used + amount > this.#pool.most + margin ? "total" : undefined;
  }

  add(amount: number): void {
    this.#used += amount;
    this.#pool.used += amount;
  }

  release(amount: number): void {
    this.add(-amount);
  }
}

/** The accounts of all principals that use something right now. */
export class Accounts {
  readonly limits: Limits;
  readonly #sessions: Pool;
  readonly #statelessRequests: Pool;
  readonly #parked: Pool;
  readonly #bytes: Pool;
  /** Accounts with events that can be evicted, the least recently written first. */
  readonly evictable: LinkedList<Account> = new LinkedList();
  /** Weak: everything that uses an account refers to it, and one that nothing uses has nothing to remember. */
  readonly #byName = new Map<string, WeakRef<Account>>();
  readonly #collected = new FinalizationRegistry<string>((name) => {
    if (this.#byName.get(name)?.deref() === undefined) this.#byName.delete(name);
  });

  constructor(limits: Limits) {
    this.limits = limits;
    this.#sessions = new Pool(limits.sessions);
    this.#statelessRequests = new Pool(limits.statelessRequests);
    this.#parked = new Pool(limits.parked);
    this.#bytes = new Pool(limits.bytes);
  }

  /** Whether one more session can be opened, for a principal that has none. */
  get hasRoom(): boolean {
    return this.#sessions.used < this.#sessions.most;
  }

  /** How many calls are parked. */
  get parked(): number {
    return this.#parked.used;
  }

  /** The account of a principal; of a network address, where the principal has no name. */
  of(principal: string, address?: string): Account {
    const name = principal === "" ? accountNameOf(address) : principal;
    const known = this.#byName.get(name)?.deref();
    if (known !== undefined) return known;
    const { sessionsPerPrincipal, statelessRequestsPerPrincipal, parkedPerPrincipal, bytesPerPrincipal } =
      this.limits;
    const account = new Account(this, name, {
      sessions: new Share(this.#sessions, sessionsPerPrincipal),
      statelessRequests: new Share(this.#statelessRequests, statelessRequestsPerPrincipal),
      parked: new Share(this.#parked, parkedPerPrincipal),
      bytes: new Share(this.#bytes, bytesPerPrincipal),
    });
    this.#byName.set(name, new WeakRef(account));
    this.#collected.register(account, name);
    return account;
  }
}

interface Shares {
  readonly sessions: Share;
  readonly statelessRequests: Share;
  readonly parked: Share;
  readonly bytes: Share;
}

/** What one principal uses. */
export class Account implements ListNode<Account> {
  previous: Account | undefined;
  next: Account | undefined;
  /** The name of the principal, or its network address where it has none. */
  readonly name: string;
  readonly statelessRequests: Share;
  readonly parked: Share;
  readonly #accounts: Accounts;
  readonly #sessions: Share;
  readonly #bytes: Share;
  /** Its buffers of kept events, the least recently written first. */
  readonly #evictable = new LinkedList<Evictable>();

  constructor(accounts: Accounts, name: string, { sessions, statelessRequests, parked, bytes }: Shares) {
    this.#accounts = accounts;
    this.name = name;
    this.#sessions = sessions;
    this.statelessRequests = statelessRequests;
    this.parked = parked;
    this.#bytes = bytes;
  }

  /** Counts bytes as used, unless that exceeds a limit by more than a margin: then it is said which. */
  reserve(bytes: number, margin = 0): Exceeded | undefined {
    const exceeded = this.#exceededBy(bytes, margin);
    if (exceeded === undefined) this.#bytes.add(bytes);
    return exceeded;
  }

  /** The same, with an error where it exceeds a limit. */
  reserveOrThrow(bytes: number, margin = 0): void {
    const exceeded = this.reserve(bytes, margin);
    if (exceeded !== undefined) throw this.memoryRefusal(exceeded).error;
  }

  /**
   * The same for a request. One more message than there is room for is taken where it is short, or continues a call: a client
   * at its limit can still answer its calls, cancel them, and be told why others are refused.
   */
  reserveRequest(bytes: number, continuesCall = false): Exceeded | undefined {
    return this.reserve(
      bytes,
      continuesCall || bytes <= SHORT_BYTES ? this.#accounts.limits.messageBytes : 0,
    );
  }

  /** The same for a part of a message that is not whole yet: it can be read, whatever it is, and is then taken or refused. */
  reserveUnfinished(bytes: number): Exceeded | undefined {
    return this.reserve(bytes, 2 * this.#accounts.limits.messageBytes);
  }

  /** Counts bytes that are in memory already, whatever the limit; events make room for them, as far as there are any. */
  overdraw(bytes: number): void {
    this.#bytes.add(bytes);
    this.#exceededBy(0);
  }

  release(bytes: number): void {
    this.#bytes.release(bytes);
  }

  /** The limit that is used up by what was overdrawn, if one is. */
  get exhausted(): Exceeded | undefined {
    return this.#bytes.exceededBy(0);
  }

  /** Counts a session; gives back why not, where there are too many, or there is no memory for it. */
  openSession(): Refusal | undefined {
    const refusal = this.sessionRefusal();
    if (refusal === undefined) {
      this.#sessions.add(1);
      this.#bytes.add(SESSION_BYTES);
    }
    return refusal;
  }

  closeSession(): void {
    this.#sessions.release(1);
    this.#bytes.release(SESSION_BYTES);
  }

  /** Why no session can be opened, if that is so. */
  sessionRefusal(): Refusal | undefined {
    const { sessionsPerPrincipal: most } = this.#accounts.limits;
    const exceeded = this.#sessions.exceededBy(1);
    if (exceeded === "total") return { error: new RpcError(OVER_LIMIT, SERVER_FULL), status: UNAVAILABLE };
    if (exceeded === "principal") {
      const error = new RpcError(
        OVER_LIMIT,
        `You have reached your limit of sessions (${most}); end one of them first.`,
      );
      return { error, status: TOO_MANY_REQUESTS };
    }
    const memory = this.#exceededBy(SESSION_BYTES);
    return memory && this.memoryRefusal(memory);
  }

  /** What a client is told that would use more memory than it may. */
  memoryRefusal(exceeded: Exceeded): Refusal {
    const { bytesPerPrincipal: most } = this.#accounts.limits;
    return exceeded === "principal"
      ? {
          error: new RpcError(
            OVER_LIMIT,
            `Your calls, messages and unread results would take more than ${most} bytes (limits.bytesPerPrincipal); end some calls, or read their results, first.`,
          ),
          status: TOO_MANY_REQUESTS,
        }
      : {
          error: new RpcError(
            OVER_LIMIT,
            "This server has no memory left for more calls and messages (limits.bytes); come back later.",
          ),
          status: UNAVAILABLE,
        };
  }

  /** A buffer was written to: others are evicted before it. */
  touch(buffer: Evictable): void {
    if (this.#evictable.has(buffer)) this.#evictable.remove(buffer);
    this.#evictable.add(buffer);
    const { evictable } = this.#accounts;
    if (evictable.has(this)) evictable.remove(this);
    evictable.add(this);
  }

  /** A buffer has nothing to evict any more. */
  drop(buffer: Evictable): void {
    if (!this.#evictable.has(buffer)) return;
    this.#evictable.remove(buffer);
    if (this.#evictable.size === 0) this.#accounts.evictable.remove(this);
  }

  /** The limit that so many more bytes exceed, once events that could make room have been evicted. */
  #exceededBy(bytes: number, margin = 0): Exceeded | undefined {
    for (;;) {
      const exceeded = this.#bytes.exceededBy(bytes, margin);
      if (exceeded === undefined) return undefined;
      const isOwn = exceeded === "principal" || this.#evictable.size > 0;
      const from = isOwn ? this : this.#accounts.evictable.first;
      const oldest = from === undefined ? undefined : from.#evictable.first;
      if (oldest === undefined) return exceeded;
      oldest.evict();
    }
  }
}

/** The name of the account of principals without a name, by their network address. Networks of IPv6 give each customer a /64. */
export function accountNameOf(address = ""): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
  if (!plain.includes(":")) return `address ${plain}`;
  const [head = "", tail = ""] = plain.split("::");
  const groups = head === "" ? [] : head.split(":");
  const missing = plain.includes("::") ? 8 - groups.length - (tail === "" ? 0 : tail.split(":").length) : 0;
  const whole = [...groups, ...Array.from({ length: missing }, () => "0"), ...tail.split(":")];
  return `address ${whole.slice(0, 4).join(":")}::/64`;
}
