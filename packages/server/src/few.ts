/**
 * A map that is empty nearly always, or has one entry: it takes the room of a Map from the second on.
 *
 * An idle session has several of these, and there are thousands of idle sessions.
 */
export class Few<Key extends string | number, Value> {
  #key: Key | undefined;
  #value: Value | undefined;
  /** All of them, once there have been two. */
  #all: Map<Key, Value> | undefined;

  get size(): number {
    return this.#all?.size ?? (this.#key === undefined ? 0 : 1);
  }

  has(key: Key): boolean {
    return this.#all?.has(key) ?? this.#key === key;
  }

  get(key: Key): Value | undefined {
    if (this.#all !== undefined) return this.#all.get(key);
    return this.#key === key ? this.#value : undefined;
  }

  set(key: Key, value: Value): void {
    if (this.#all !== undefined) return void this.#all.set(key, value);
    if (this.#key !== undefined && this.#key !== key) {
      // A key has a value.
      this.#all = new Map([
        [this.#key, this.#value as Value],
        [key, value],
      ]);
      return this.#empty();
    }
    this.#key = key;
    this.#value = value;
  }

  /** Whether there was one. */
  delete(key: Key): boolean {
    if (this.#all !== undefined) return this.#all.delete(key);
    if (this.#key !== key) return false;
    this.#empty();
    return true;
  }

  clear(): void {
    this.#all = undefined;
    this.#empty();
  }

  /** As they are now, those that came first before the others. */
  entries(): readonly (readonly [Key, Value])[] {
    if (this.#all !== undefined) return [...this.#all];
    // A key has a value.
    return this.#key === undefined ? [] : [[this.#key, this.#value as Value]];
  }

  values(): readonly Value[] {
    return this.entries().map(([, value]) => value);
  }

  #empty(): void {
    this.#key = undefined;
    this.#value = undefined;
  }
}
