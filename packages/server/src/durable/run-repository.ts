/**
 * Durable runs in a store.
 *
 *   1. Everything in the store is encrypted, and bound to its position: a record cannot be moved to another run or position.
 *   2. The process that continues a run has its lease. The lease of a process that has died lasts a few seconds more.
 */
import { lazyNodeCrypto, type SealedBox } from "../crypto/sealed-box.ts";
import type { Settings } from "../settings.ts";
import { RecordsUnreadable, StoreUnavailable } from "../errors.ts";
import type { ListPage, ListQuery, Store } from "../stores/store.ts";
import {
  type BusMessage,
  type ForwardMessage,
  ProcessBus,
  type RunListener,
  type SessionListener,
} from "./process-bus.ts";
import type { LeasedLog } from "./durable-call.ts";
import { LeaseManager } from "./leases.ts";
import { nextDeadline, type OpenQuestions } from "./open-questions.ts";
import type { CallHeader, LogRecord } from "./log-records.ts";
import { type LogState, RunLog } from "./run-log.ts";

/** What of a run is open, and since when. */
export interface OpenRun extends OpenQuestions {
  readonly run: string;
  readonly since: number;
}

export interface OpenRuns {
  readonly runs: readonly OpenRun[];
  /** How many there are beside these that do not open: they were sealed with other keys. */
  readonly unreadable: number;
  /** Where the next page begins, if there is one. */
  readonly next?: string;
}

/** Which of the open runs are wanted. */
export interface OpenRunsQuery {
  /** Only those of one principal. */
  readonly principal?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

const NEWS = "photon news";
/** For how long an access to a store that cannot be used is tried again, and how long each try waits for the next. */
const STORE_PATIENCE_MS = 10_000;
const STORE_RETRY_MS = 250;

/** The group of runs that wait for a process. No principal has this name. */
const ANSWERED = "answered";

export class RunRepository {
  readonly store: Store;
  /** Who this process is to the others. */
  readonly process: string = crypto.randomUUID();
  readonly #sealer: SealedBox;
  readonly #settings: Pick<Settings, "clock" | "limits" | "maxWait" | "report">;
  readonly #leases: LeaseManager;
  readonly #bus: ProcessBus;
  /** From the first run on that this process has live. */
  #living: Promise<unknown> | undefined;
  #isClosed = false;
  /** From the first on who hears of anything. */
  #subscribing: Promise<() => Promise<void>> | undefined;

  constructor(
    store: Store,
    sealer: SealedBox,
    settings: Pick<Settings, "clock" | "lease" | "limits" | "maxWait" | "report">,
  ) {
    this.store = store;
    this.#sealer = sealer;
    this.#settings = settings;
    this.#bus = new ProcessBus(this.process);
    this.#leases = new LeaseManager(store, this.process, settings, () => this.#bus.wakeAll());
  }

  /** A run that begins. It is in the store once it has something to keep there. */
  begin(run: string, head: CallHeader): RunLog {
    return new RunLog(run, head, this, this.retentionUntil);
  }

  /** A run that is in the store. */
  async find(run: string): Promise<RunLog | undefined> {
    const records = await this.read(run, 0);
    const [first] = records;
    if (first === undefined || !("head" in first)) return undefined;
    return new RunLog(run, first.head, this, this.retentionUntil, records);
  }

  /** A run that is in the store, read once no other process works on it: this process holds its lease from then on. */
  async findLeased(run: string): Promise<LeasedLog | undefined> {
    const release = await this.acquireLease(run);
    try {
      const log = await this.find(run);
      if (log !== undefined) return { log, release };
    } catch (error) {
      await release();
      throw error;
    }
    await release();
    return undefined;
  }

  /** What of a run is open. */
  async opened(run: string): Promise<OpenRun | undefined> {
    const found = await this.#retrying(() => this.store.getOpen(run));
    return found && this.#openRun(found);
  }

  /** A page of the runs with open questions. */
  async list({ principal, after, limit }: OpenRunsQuery): Promise<OpenRuns> {
    const group = principal === undefined ? {} : { group: groupOf(principal) };
    return this.#page(await this.store.list({ ...group, ...pageFrom(after, limit) }));
  }

  /** A page of the runs that were answered, and that no process has continued yet. */
  async answered(after: string | undefined, limit: number): Promise<OpenRuns> {
    return this.#page(await this.store.list({ group: ANSWERED, ...pageFrom(after, limit) }));
  }

  /** A page of the runs with a question whose time is over. */
  async overdue(after: string | undefined, limit: number): Promise<OpenRuns> {
    return this.#page(await this.store.listDue(this.now(), pageFrom(after, limit)));
  }

  /** Acquires the lease of a run, once no other call or process has it; gives back what releases it. */
  acquireLease(run: string): Promise<() => Promise<void>> {
    return this.#retrying(() => this.#leases.acquire(`run:${run}`));
  }

  /** The same, if the lease is free now. */
  tryAcquireLease(run: string): Promise<(() => Promise<void>) | undefined> {
    return this.#leases.tryAcquire(`run:${run}`);
  }

  /**
   * Appends to a log that has `at` records. A store whose connection broke may have appended and not said so: the append is
   * tried again, and the records that are there are compared with these. No two texts that were encrypted are alike.
   */
  async append(
    run: string,
    at: number,
    records: readonly LogRecord[],
    { until, open }: LogState,
  ): Promise<boolean> {
    const sealed = records.map((record, index) =>
      this.#sealer.encrypt(JSON.stringify(record), placeOf(run, at + index)),
    );
    const about = open === undefined ? { until } : { until, open: open && this.#sealedOpen(run, open) };
    let tries = 0;
    return this.#retrying(async () => {
      tries += 1;
      if (await this.store.append(run, at, sealed, about)) return true;
      if (tries === 1 || sealed.length === 0) return false;
      const found = await this.store.read(run, at);
      return sealed.every((text, index) => found[index] === text);
    });
  }

  async read(run: string, from: number): Promise<readonly LogRecord[]> {
    const sealed = await this.#retrying(() => this.store.read(run, from));
    return sealed.map((record, index) => {
      const text = this.#sealer.decrypt(record, placeOf(run, from + index));
      if (text === undefined) throw new RecordsUnreadable(run);
      // What opens was sealed by one of us.
      return JSON.parse(text) as LogRecord;
    });
  }

  get maxRecords(): number {
    return this.#settings.limits.records;
  }

  /** Reports an error that no client is answered with. */
  get report(): Settings["report"] {
    return this.#settings.report;
  }

  now(): number {
    return this.#settings.clock.now();
  }

  /** Keeps a value under a name until then, if nothing is kept there; gives back what is. */
  once(name: string, value: string, until: number): Promise<string> {
    return this.#retrying(() => this.store.putIfAbsent(name, value, until));
  }

  /** What is kept under a name. */
  recall(name: string): Promise<string | undefined> {
    return this.#retrying(() => this.store.get(name));
  }

  /** Tells every process that shares the store. */
  async publish(news: BusMessage): Promise<void> {
    const message = this.#sealer.encrypt(JSON.stringify(news), NEWS);
    await this.#retrying(() => this.store.publish(NEWS, message));
  }

  /** Claims a run for this process, and listens to what other processes do to it. Gives back what ends both. */
  async onRunEvents(run: string, listener: RunListener): Promise<() => void> {
    return this.#onceSubscribed(this.#bus.onRun(run, listener), this.announceProcess());
  }

  /** Settles when other processes can see that this one lives: one lease says so for all its runs. */
  async announceProcess(): Promise<void> {
    this.#isClosed = false;
    this.#living ??= this.#retrying(() => this.#leases.acquire(processName(this.process)));
    await this.#living.catch((error: unknown) => {
      this.#living = undefined;
      throw error;
    });
    await this.subscribe();
  }

  /** Whether another process lives. */
  isAlive(process: string): Promise<boolean> {
    return this.#retrying(() => this.#leases.isHeldByOther(processName(process)));
  }

  /** Writes to another process. */
  sendTo(process: string, name: string, message: ForwardMessage): Promise<void> {
    return this.publish({ process, name, letter: message });
  }

  /** Reads what others write to this process. */
  onMessage(read: (name: string, message: ForwardMessage) => void): void {
    this.#bus.onMessage = read;
  }

  async onSessionEvents(session: string, listener: SessionListener): Promise<() => void> {
    return this.#onceSubscribed(this.#bus.onSession(session, listener), this.subscribe());
  }

  /** Whether a run is left to a process that has it live: this one, or another that lives. */
  async isLive({ run, process }: Pick<OpenRun, "run" | "process">): Promise<boolean> {
    if (process === this.process) return this.#bus.hasRun(run);
    return process !== undefined && this.isAlive(process);
  }

  /**
   * Calls `grown` for every run that was answered elsewhere, or was continued without its client, from when this resolves on;
   * `onGap` when messages about such runs may be lost. Gives back what ends that.
   */
  async onAnyRunEvent(grown: (run: string) => void, onGap: () => void): Promise<() => void> {
    return this.#onceSubscribed(this.#bus.onAnyRun(grown, onGap), this.subscribe());
  }

  /** Calls `wake` when a run was answered or continued, or messages about it may be lost, from when this resolves on. */
  onGrown(run: string, wake: () => void): Promise<() => void> {
    return this.onAnyRunEvent((grown) => {
      if (grown === run) wake();
    }, wake);
  }

  /** Lets the call that has claimed this run here read its log: it may have missed a message. */
  notifyLocal(run: string): void {
    this.#bus.wake(run);
  }

  /** Settles when this process receives messages. Those that were not encrypted with one of the keys are ignored. */
  async subscribe(): Promise<void> {
    this.#subscribing ??= this.store.subscribe(
      NEWS,
      (sealed) => {
        const text = this.#sealer.decrypt(sealed, NEWS);
        // What opens was sealed by one of us.
        if (text !== undefined) this.#bus.receive(JSON.parse(text) as BusMessage);
      },
      () => this.#bus.wakeAll(),
    );
    await this.#subscribing.catch((error: unknown) => {
      this.#subscribing = undefined;
      throw error;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#living?.catch(() => {});
    this.#living = undefined;
    await this.#leases.close();
    const stop = await this.#subscribing?.catch(() => undefined);
    this.#subscribing = undefined;
    await stop?.();
  }

  /** Tries again for a few seconds while the store cannot be used: what a run did is not given up for a short outage. */
  async #retrying<T>(act: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + STORE_PATIENCE_MS;
    for (;;) {
      try {
        return await act();
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || performance.now() > deadline || this.#isClosed)
          throw error;
      }
      await new Promise<void>((resolve) => {
        setTimeout(resolve, STORE_RETRY_MS);
      });
    }
  }

  /** Gives back what ends a subscription, once messages arrive; ends it where they cannot. */
  async #onceSubscribed(leave: () => void, hearing: Promise<void>): Promise<() => void> {
    try {
      await hearing;
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** When a run expires that is not touched from then on; by default, from now on. */
  readonly retentionUntil = (from: number = this.now()): number => from + this.#settings.maxWait;

  #page({ entries: opened, next }: ListPage): OpenRuns {
    const runs = opened.flatMap((one) => this.#openRun(one) ?? []);
    const unreadable = opened.length - runs.length;
    return next === undefined ? { runs, unreadable } : { runs, unreadable, next };
  }

  #sealedOpen(run: string, opened: OpenQuestions): NonNullable<Parameters<Store["append"]>[3]["open"]> {
    const open = this.#bus.hasRun(run) ? { ...opened, process: this.process } : opened;
    return {
      group: open.isAnswered === true ? ANSWERED : groupOf(open.principal),
      since: open.asked ?? this.#settings.clock.now(),
      due: nextDeadline(open),
      value: this.#sealer.encrypt(JSON.stringify(open), openPlaceOf(run)),
    };
  }

  /** Undefined for a run that was encrypted with other keys. */
  #openRun({ run, since, value }: { run: string; since: number; value: string }): OpenRun | undefined {
    const text = this.#sealer.decrypt(value, openPlaceOf(run));
    return text === undefined ? undefined : { ...(JSON.parse(text) as OpenQuestions), run, since };
  }
}

const pageFrom = (after: string | undefined, limit: number): Pick<ListQuery, "after" | "limit"> =>
  after === undefined ? { limit } : { after, limit };

const placeOf = (run: string, index: number): string => `record ${index} of ${run}`;

const processName = (process: string): string => `process:${process}`;

const openPlaceOf = (run: string): string => `open in ${run}`;

/** A group name that does not reveal the principal. */
const groupOf = (principal: string): string =>
  lazyNodeCrypto().createHash("sha256").update(`photon principal ${principal}`).digest("base64url");
