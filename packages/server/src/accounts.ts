/**
 * The sessions, requests and memory that each principal uses now, and their totals. Rates are in util/rate-limiter.ts.
 *
 *   1. A limit has a part for each principal and a total, so that one principal cannot use it up for the others.
 *   2. A principal is its name; without `authenticate` and `tokens`, its network address.
 *   3. Memory is counted in bytes, estimated from the wire: parked calls and calls under way, unfinished messages, unread output,
 *      buffered events. New use over a limit is refused.
 *   4. Buffered events make room first: those of the same principal, then, if the total is used up, those of others.
 *
 * CONTRIBUTING.md, "Add a limit", lists the three places where a call begins.
 */
import { LinkedList, type ListNode } from "./util/linked-list.ts";
import { OVER_LIMIT, RpcError } from "./jsonrpc/errors.ts";
import type { Limits } from "./limits.ts";

/** Why something is refused, and the HTTP status for it. */
export interface Refusal {
  readonly error: RpcError;
  readonly status: number;
}

/** Memory that can be freed without an error to a client: a buffer of events. */
export interface Evictable extends ListNode<Evictable> {
  /** Frees its oldest event. It removes itself from the account with the last one. */
  evict(): void;
}

/** Memory of an idle session, without what its client sent. */
const SESSION_BYTES = 8 * 1024;
/** The most that a short request takes. */
const SHORT_BYTES = 8 * 1024;
const TOO_MANY_REQUESTS = 429;
const UNAVAILABLE = 503;

/** The counted resources, by the names of their limits. */
type Counted = "sessions" | "statelessRequests" | "parked" | "bytes";

/** The limit of one principal. */
const PER_PRINCIPAL = {
  sessions: "sessionsPerPrincipal",
  statelessRequests: "statelessRequestsPerPrincipal",
  parked: "parkedPerPrincipal",
  bytes: "bytesPerPrincipal",
} as const satisfies Record<Counted, keyof Limits>;

/** Which limit is exceeded: that of one principal, or that of all of them together. */
type Exceeded = "principal" | "total";

const exceededByPrincipal: Readonly<Record<Counted, (limit: number) => RpcError>> = {
  sessions: (limit) =>
    new RpcError(OVER_LIMIT, `You have reached your limit of sessions (${limit}); end one of them first.`),
  statelessRequests: (limit) =>
    new RpcError(
      OVER_LIMIT,
      `You have reached your limit of requests being answered (${limit}); wait for one to end.`,
    ),
  parked: (limit) =>
    new RpcError(OVER_LIMIT, `You have reached your limit of calls that wait for answers (${limit}).`),
  bytes: (limit) =>
    new RpcError(
      OVER_LIMIT,
      `Your calls, messages and unread results would take more than ${limit} bytes (limits.bytesPerPrincipal); end some calls, or read their results, first.`,
    ),
};

export const SERVER_FULL = "This server has reached its limit of sessions; try again later.";

const exceededInTotal: Readonly<Record<Counted, (limit: number) => RpcError>> = {
  sessions: () => new RpcError(OVER_LIMIT, SERVER_FULL),
  statelessRequests: (limit) =>
    new RpcError(
      OVER_LIMIT,
      `This server has reached its limit of requests being answered (${limit}); try again later.`,
    ),
  parked: (limit) =>
    new RpcError(
      OVER_LIMIT,
      `This server has reached its limit of calls that wait for answers (${limit}); try again later.`,
    ),
  bytes: () =>
    new RpcError(
      OVER_LIMIT,
      "This server has no memory left for more calls and messages (limits.bytes); try again later.",
    ),
};

/** The refusal of a server that is closed. */
export const serverClosed = (): Refusal => ({
  error: new RpcError(OVER_LIMIT, SERVER_FULL),
  status: UNAVAILABLE,
});

const nothingUsed = (): Record<Counted, number> => ({
  sessions: 0,
  statelessRequests: 0,
  parked: 0,
  bytes: 0,
});

/** The accounts of all principals that use something right now. */
export class Accounts {
  readonly limits: Limits;
  /** The use of all principals together. */
  readonly used: Record<Counted, number> = nothingUsed();
  /** Accounts with events that can be evicted, the least recently written first. */
  readonly evictable: LinkedList<Account> = new LinkedList();
  /** Weak: whatever counts on an account refers to it, and an account without references counts nothing. */
  readonly #byName = new Map<string, WeakRef<Account>>();
  readonly #collected = new FinalizationRegistry<string>((name) => {
    if (this.#byName.get(name)?.deref() === undefined) this.#byName.delete(name);
  });

  constructor(limits: Limits) {
    this.limits = limits;
  }

  /** Whether the limit of all sessions allows one more. That of its principal may still refuse it. */
  get canOpenSession(): boolean {
    return this.used.sessions < this.limits.sessions;
  }

  /** The account of a principal; of a network address, if the principal has no name. */
  of(principal: string, address?: string): Account {
    const name = principal === "" ? accountNameOf(address) : principal;
    const known = this.#byName.get(name)?.deref();
    if (known !== undefined) return known;
    const account = new Account(this, name);
    this.#byName.set(name, new WeakRef(account));
    this.#collected.register(account, name);
    return account;
  }
}

/** What one principal uses. */
export class Account implements ListNode<Account> {
  previous: Account | undefined;
  next: Account | undefined;
  /** The name of the principal, or its network address if it has none. */
  readonly name: string;
  readonly #accounts: Accounts;
  readonly #used = nothingUsed();
  /** Its buffers of events, the least recently written first. */
  readonly #evictable = new LinkedList<Evictable>();

  constructor(accounts: Accounts, name: string) {
    this.#accounts = accounts;
    this.name = name;
  }

  /** Why one more cannot be counted, if it exceeds a limit. A session also needs memory. */
  refusalOf(kind: "sessions" | "statelessRequests" | "parked"): Refusal | undefined {
    const refusal = this.#refusal(kind, this.#exceeded(kind, 1));
    if (refusal !== undefined || kind !== "sessions") return refusal;
    return this.#refusal("bytes", this.#makeRoom(SESSION_BYTES, 0));
  }

  /** Counts one more, also if that exceeds a limit: `refusalOf` was asked before. */
  add(kind: "statelessRequests" | "parked"): void {
    this.#count(kind, 1);
  }

  remove(kind: "statelessRequests" | "parked"): void {
    this.#count(kind, -1);
  }

  /** Counts a session, unless that exceeds a limit. */
  openSession(): Refusal | undefined {
    const refusal = this.refusalOf("sessions");
    if (refusal !== undefined) return refusal;
    this.#count("sessions", 1);
    this.#count("bytes", SESSION_BYTES);
    return undefined;
  }

  closeSession(): void {
    this.#count("sessions", -1);
    this.#count("bytes", -SESSION_BYTES);
  }

  /** Counts bytes, unless that exceeds a limit by more than a margin. */
  #reserve(bytes: number, margin: number): Refusal | undefined {
    const refusal = this.#refusal("bytes", this.#makeRoom(bytes, margin));
    if (refusal === undefined) this.#count("bytes", bytes);
    return refusal;
  }

  reserveOrThrow(bytes: number, margin = 0): void {
    const refusal = this.#reserve(bytes, margin);
    if (refusal !== undefined) throw refusal.error;
  }

  /**
   * Counts the bytes of a request. A short request, or one that continues a call, may exceed the limit by one message: a client at
   * its limit can still answer its calls, cancel them, and be told why others are refused.
   */
  reserveRequest(bytes: number, continuesCall = false): Refusal | undefined {
    const { messageBytes } = this.#accounts.limits;
    return this.#reserve(bytes, continuesCall || bytes <= SHORT_BYTES ? messageBytes : 0);
  }

  /** Counts the received part of a message. It is accepted or refused when it is complete, so it may exceed the limit until then. */
  reserveUnfinished(bytes: number): Refusal | undefined {
    return this.#reserve(bytes, 2 * this.#accounts.limits.messageBytes);
  }

  /** Counts bytes that are in memory already, also if they exceed a limit. Evicts events to make room. */
  reserveOverLimit(bytes: number): void {
    this.#count("bytes", bytes);
    this.#makeRoom(0, 0);
  }

  release(bytes: number): void {
    this.#count("bytes", -bytes);
  }

  /** Whether a memory limit is exceeded, by bytes of `reserveOverLimit`. */
  get isOverLimit(): boolean {
    return this.#exceeded("bytes", 0) !== undefined;
  }

  /** Why long output is refused, if a memory limit is exceeded. */
  overLimitRefusal(): Refusal | undefined {
    return this.#refusal("bytes", this.#exceeded("bytes", 0));
  }

  /** A buffer was written to: others are evicted before it. */
  touch(buffer: Evictable): void {
    if (this.#evictable.has(buffer)) this.#evictable.remove(buffer);
    this.#evictable.add(buffer);
    const { evictable } = this.#accounts;
    if (evictable.has(this)) evictable.remove(this);
    evictable.add(this);
  }

  /** A buffer has no more events. */
  drop(buffer: Evictable): void {
    if (!this.#evictable.has(buffer)) return;
    this.#evictable.remove(buffer);
    if (this.#evictable.size === 0) this.#accounts.evictable.remove(this);
  }

  #count(kind: Counted, amount: number): void {
    this.#used[kind] += amount;
    this.#accounts.used[kind] += amount;
  }

  /** The limit that `amount` more exceeds by more than a margin: that of the principal, or the total. */
  #exceeded(kind: Counted, amount: number, margin = 0): Exceeded | undefined {
    const { used, limits } = this.#accounts;
    if (this.#used[kind] + amount > limits[PER_PRINCIPAL[kind]] + margin) return "principal";
    return used[kind] + amount > limits[kind] + margin ? "total" : undefined;
  }

  #refusal(kind: Counted, exceeded: Exceeded | undefined): Refusal | undefined {
    const { limits } = this.#accounts;
    if (exceeded === undefined) return undefined;
    return exceeded === "principal"
      ? { error: exceededByPrincipal[kind](limits[PER_PRINCIPAL[kind]]), status: TOO_MANY_REQUESTS }
      : { error: exceededInTotal[kind](limits[kind]), status: UNAVAILABLE };
  }

  /** Evicts events until there is room for `bytes`. Returns the limit that they exceed when no more events can make room. */
  #makeRoom(bytes: number, margin: number): Exceeded | undefined {
    for (;;) {
      const exceeded = this.#exceeded("bytes", bytes, margin);
      if (exceeded === undefined) return undefined;
      const isOwn = exceeded === "principal" || this.#evictable.size > 0;
      const from = isOwn ? this : this.#accounts.evictable.first;
      const oldest = from === undefined ? undefined : from.#evictable.first;
      if (oldest === undefined) return exceeded;
      oldest.evict();
    }
  }
}

/** Less unread output is not counted: the operating system takes most output at once. */
export const UNCOUNTED_OUTPUT_BYTES: number = 16 * 1024;

/** Output that a client has not read yet. It counts as memory of the principal. */
export class UnreadOutput {
  readonly #account: Account;
  #counted = 0;

  constructor(account: Account) {
    this.#account = account;
  }

  /** Sets how many bytes are unread now. */
  set(bytes: number): void {
    const unread = bytes > UNCOUNTED_OUTPUT_BYTES ? bytes : 0;
    const more = unread - this.#counted;
    this.#counted = unread;
    if (more > 0) this.#account.reserveOverLimit(more);
    else if (more < 0) this.#account.release(-more);
  }
}

/** The name of the account of principals without a name: their network address. An IPv6 network gives each customer a /64. */
export function accountNameOf(address = ""): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
  if (!plain.includes(":")) return `address ${plain}`;
  const [head = "", tail = ""] = plain.split("::");
  const groups = head === "" ? [] : head.split(":");
  const missing = plain.includes("::") ? 8 - groups.length - (tail === "" ? 0 : tail.split(":").length) : 0;
  const whole = [...groups, ...Array.from({ length: missing }, () => "0"), ...tail.split(":")];
  return `address ${whole.slice(0, 4).join(":")}::/64`;
}
