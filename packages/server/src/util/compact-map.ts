/**
 * A Map that has no table while it is empty. Each session has four, most of them empty, and V8 allocates 192 bytes for an empty Map,
 * 40 for this: a fifth of the heap of an idle session (docs/performance.md, "Memory").
 */
export class CompactMap<Key extends string | number, Value> {
  #map: Map<Key, Value> | undefined;

  get size(): number {
    return this.#map?.size ?? 0;
  }

  /** The key that was added first. */
  get oldest(): Key | undefined {
    return this.#map?.keys().next().value;
  }

  has(key: Key): boolean {
    return this.#map?.has(key) === true;
  }

  get(key: Key): Value | undefined {
    return this.#map?.get(key);
  }

  set(key: Key, value: Value): void {
    (this.#map ??= new Map()).set(key, value);
  }

  /** Returns whether the key was there. */
  delete(key: Key): boolean {
    if (this.#map?.delete(key) !== true) return false;
    if (this.#map.size === 0) this.#map = undefined;
    return true;
  }

  clear(): void {
    this.#map = undefined;
  }

  /** In the order in which they were added. */
  [Symbol.iterator](): Iterator<readonly [Key, Value]> {
    return (this.#map ?? new Map<Key, Value>())[Symbol.iterator]();
  }

  /** A copy. */
  entries(): readonly (readonly [Key, Value])[] {
    return [...this];
  }

  /** A copy. */
  values(): readonly Value[] {
    return this.#map === undefined ? [] : [...this.#map.values()];
  }
}
