import {
  type ListedEntry,
  type ListPage,
  type OpenEntry,
  type Store,
  StoreUnavailable,
} from "@photon/server";

interface Run {
  readonly records: string[];
  until: number;
  open: OpenEntry | undefined;
}

/** A store in the memory of one process. */
export function mapStore(now: () => number = Date.now): Store {
  const runs = new Map<string, Run>();
  const leases = new Map<string, { holder: string; until: number }>();
  const values = new Map<string, { value: string; until: number }>();
  const channels = new Map<string, Set<(message: string) => void>>();
  let isClosed = false;

  function assertOpen(): void {
    if (isClosed) throw new StoreUnavailable("map:", "it was closed");
  }
  /** An entry that has not expired. */
  function find<Entry extends { readonly until: number }>(
    map: Map<string, Entry>,
    name: string,
  ): Entry | undefined {
    assertOpen();
    const entry = map.get(name);
    return entry !== undefined && entry.until > now() ? entry : undefined;
  }
  /** A page of entries, ordered by time and run. The cursor is both of its last entry. */
  function page(entries: readonly ListedEntry[], after: string | undefined, limit: number): ListPage {
    const [, since = "", run = ""] = /^(\d+) (.*)$/s.exec(after ?? "0 ") ?? [];
    if (since === "") throw new RangeError(`${after} is not a cursor.`);
    const compare = (a: Pick<ListedEntry, "since" | "run">, b: typeof a): number =>
      a.since - b.since || (a.run === b.run ? 0 : a.run < b.run ? -1 : 1);
    const rest = entries
      .filter((entry) => after === undefined || compare(entry, { since: Number(since), run }) > 0)
      .toSorted(compare);
    const last = rest[limit - 1];
    if (rest.length <= limit || last === undefined) return { entries: rest };
    return { entries: rest.slice(0, limit), next: `${last.since} ${last.run}` };
  }
  const openEntries = (): readonly (OpenEntry & { readonly run: string })[] =>
    [...runs.keys()].flatMap((run) => {
      const open = find(runs, run)?.open;
      return open === undefined ? [] : [{ run, ...open }];
    });
  const listed = ({ run, group, since, value }: OpenEntry & { readonly run: string }): ListedEntry => ({
    run,
    group,
    since,
    value,
  });

  return {
    async append(name, at, records, { until, open }) {
      const run = find(runs, name) ?? { records: [], until, open: undefined };
      if (run.records.length !== at) return false;
      run.records.push(...records);
      run.until = until;
      if (open !== undefined) run.open = open ?? undefined;
      runs.set(name, run);
      return true;
    },
    async read(run, from = 0) {
      return find(runs, run)?.records.slice(from) ?? [];
    },
    async getOpen(run) {
      const open = find(runs, run)?.open;
      return open && listed({ run, ...open });
    },
    async list({ group, after, limit }) {
      assertOpen();
      const entries = openEntries().filter((entry) => group === undefined || entry.group === group);
      return page(entries.map(listed), after, limit);
    },
    async listDue(by, { after, limit }) {
      assertOpen();
      const due = openEntries().flatMap((entry) =>
        entry.due !== undefined && entry.due <= by ? [{ ...listed(entry), since: entry.due }] : [],
      );
      return page(due, after, limit);
    },
    async lease(name, holder, milliseconds) {
      const lease = find(leases, name);
      if (lease !== undefined && lease.holder !== holder) return false;
      leases.set(name, { holder, until: now() + milliseconds });
      return true;
    },
    async release(name, holder) {
      if (find(leases, name)?.holder === holder) leases.delete(name);
    },
    async putIfAbsent(name, value, until) {
      const found = find(values, name);
      if (found === undefined) values.set(name, { value, until });
      return found?.value ?? value;
    },
    async get(name) {
      return find(values, name)?.value;
    },
    async publish(channel, message) {
      assertOpen();
      for (const onMessage of channels.get(channel) ?? []) queueMicrotask(() => onMessage(message));
    },
    async subscribe(channel, onMessage) {
      assertOpen();
      const subscription = (message: string): void => onMessage(message);
      channels.set(channel, (channels.get(channel) ?? new Set()).add(subscription));
      return async () => void channels.get(channel)?.delete(subscription);
    },
    async ping() {
      assertOpen();
    },
    async close() {
      isClosed = true;
      channels.clear();
    },
  };
}
