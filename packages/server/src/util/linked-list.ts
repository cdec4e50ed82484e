/** One of a crowd, linked to those who came before it and after it. */
export interface ListNode<One> {
  previous: One | undefined;
  next: One | undefined;
}

/**
 * Those who come and go by the thousand, in the order they came. Nobody is in two of them.
 *
 * A `Set` would make itself a new table all the time. V8 leaves each with what was in it and with a way to the next, so
 * that from the first that has become old on, everybody who ever came is kept until all of memory is looked through.
 */
export class LinkedList<One extends ListNode<One>> implements Iterable<One> {
  #first: One | undefined;
  #last: One | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): One | undefined {
    return this.#first;
  }

  /** Whether somebody is in it who is in no other. */
  has(one: One): boolean {
    return one.previous !== undefined || this.#first === one;
  }

  /** Takes in one who is in none. */
  add(one: One): void {
    const last = this.#last;
    one.previous = last;
    this.#last = one;
    if (last === undefined) this.#first = one;
    else last.next = one;
    this.#size += 1;
  }

  /** Takes out one who is in it. Whoever has gone leads to nobody. */
  remove(one: One): void {
    const { previous: before, next: after } = one;
    if (before === undefined) this.#first = after;
    else before.next = after;
    if (after === undefined) this.#last = before;
    else after.previous = before;
    one.previous = undefined;
    one.next = undefined;
    this.#size -= 1;
  }

  /** Whoever is looked at may be taken out meanwhile, and nobody else. */
  *[Symbol.iterator](): Iterator<One> {
    for (let one = this.#first, next; one !== undefined; one = next) {
      next = one.next;
      yield one;
    }
  }
}
