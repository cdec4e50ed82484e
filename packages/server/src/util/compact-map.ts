import { LinkedList, type ListNode } from "./linked-list.ts";

/** So many are found as fast by looking at each of them. */
const LINEAR_MAX = 4;
/** So many places are kept for those who come next. */
const MIN_CAPACITY = 64;
/** So many characters of a text are hashed, from its start and from its end: texts that differ seldom do so in between. */
const HASHED_CHARS = 32;
/** Another in every process: clients choose ids, and must not know which of them meet at one place. */
const SEED = Math.trunc(Math.random() * 2 ** 32);

/** A key and its value. */
class Entry<Key, Value> implements ListNode<Entry<Key, Value>> {
  readonly key: Key;
  readonly hash: number;
  value: Value;
  previous: Entry<Key, Value> | undefined;
  next: Entry<Key, Value> | undefined;
  /** Another at the same place. */
  bucketNext: Entry<Key, Value> | undefined;

  constructor(key: Key, hash: number, value: Value) {
    this.key = key;
    this.hash = hash;
    this.value = value;
  }
}

/**
 * A map of what comes and goes by the thousand, and often is not there at all: empty, it takes hardly any room.
 *
 * As a `Map`, it would make itself a new table all the time: what that costs, see `LinkedList`.
 */
export class CompactMap<Key extends string | number, Value> {
  #inOrder: LinkedList<Entry<Key, Value>> | undefined;
  /** As many as a power of two, each with the first of those whose hashes lead there; none, while there are few entries. */
  #buckets: (Entry<Key, Value> | undefined)[] | undefined;

  get size(): number {
    return this.#inOrder?.size ?? 0;
  }

  /** The key that came first. */
  get oldest(): Key | undefined {
    return this.#inOrder?.first?.key;
  }

  has(key: Key): boolean {
    return this.#find(key) !== undefined;
  }

  get(key: Key): Value | undefined {
    return this.#find(key)?.value;
  }

  set(key: Key, value: Value): void {
    const hash = hashOf(key);
    const found = this.#find(key, hash);
    if (found !== undefined) {
      found.value = value;
      return;
    }
    const entry = new Entry(key, hash, value);
    this.#inOrder ??= new LinkedList();
    this.#inOrder.add(entry);
    const { size } = this.#inOrder;
    if (size > (this.#buckets?.length ?? LINEAR_MAX)) this.#createBuckets(2 * size);
    else if (this.#buckets !== undefined) put(entry, this.#buckets);
  }

  /** Whether there was one. */
  delete(key: Key): boolean {
    const entry = this.#find(key);
    if (entry === undefined) return false;
    this.#inOrder?.remove(entry);
    if (this.#buckets !== undefined) removeFromBucket(entry, this.#buckets);
    if (this.size === 0 && (this.#buckets?.length ?? 0) > MIN_CAPACITY) this.#buckets = undefined;
    return true;
  }

  clear(): void {
    this.#inOrder = undefined;
    this.#buckets = undefined;
  }

  /** From the first that came; what is looked at may be deleted meanwhile, and nothing else. */
  *[Symbol.iterator](): Iterator<readonly [Key, Value]> {
    if (this.#inOrder !== undefined) for (const { key, value } of this.#inOrder) yield [key, value];
  }

  /** As they are now, in the order they came. */
  entries(): readonly (readonly [Key, Value])[] {
    return [...this];
  }

  values(): readonly Value[] {
    return this.#inOrder === undefined ? [] : Array.from(this.#inOrder, ({ value }) => value);
  }

  #find(key: Key, hash?: number): Entry<Key, Value> | undefined {
    const places = this.#buckets;
    let entry =
      places === undefined ? this.#inOrder?.first : places[(hash ?? hashOf(key)) & (places.length - 1)];
    while (entry !== undefined && entry.key !== key)
      entry = places === undefined ? entry.next : entry.bucketNext;
    return entry;
  }

  /** So many or more. */
  #createBuckets(wanted: number): void {
    const length = 2 ** Math.ceil(Math.log2(wanted));
    const places = Array.from<Entry<Key, Value> | undefined>({ length });
    for (const entry of this.#inOrder ?? []) put(entry, places);
    this.#buckets = places;
  }
}

function put<One extends Entry<unknown, unknown>>(entry: One, places: (One | undefined)[]): void {
  const place = entry.hash & (places.length - 1);
  entry.bucketNext = places[place];
  places[place] = entry;
}

function removeFromBucket<One extends Entry<unknown, unknown>>(
  entry: One,
  places: (One | undefined)[],
): void {
  const place = entry.hash & (places.length - 1);
  if (places[place] === entry) places[place] = entry.bucketNext as One | undefined;
  else {
    let other: Entry<unknown, unknown> | undefined = places[place];
    while (other !== undefined && other.bucketNext !== entry) other = other.bucketNext;
    if (other !== undefined) other.bucketNext = entry.bucketNext;
  }
  entry.bucketNext = undefined;
}

function hashOf(key: string | number): number {
  if (typeof key === "string") return hashOfText(key);
  return (key | 0) === key ? scatter(key ^ SEED) : hashOfText(String(key));
}

function hashOfText(text: string): number {
  const { length } = text;
  let hash = SEED ^ length;
  for (let at = 0; at < length; at++) {
    if (at === HASHED_CHARS) at = Math.max(at, length - HASHED_CHARS);
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return scatter(hash);
}

/** Every bit of a number has its say in the last ones, by which a place is found. As MurmurHash3 ends. */
function scatter(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return twice ^ (twice >>> 16);
}
