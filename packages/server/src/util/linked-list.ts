export interface ListNode<One> {
  previous: One | undefined;
  next: One | undefined;
}

/**
 * An intrusive doubly linked list, in insertion order. A node is in one list at most.
 *
 * For members that come and go by the thousand. A `Set` replaces its table all the time, and V8 keeps in each old table its members and
 * a reference to the next one: once a table is in the old generation, members that were removed long ago live until a full collection.
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

  /** Whether a node, which is in no other list, is in this one. */
  has(one: One): boolean {
    return one.previous !== undefined || this.#first === one;
  }

  /** Appends a node that is in no list. */
  add(one: One): void {
    const last = this.#last;
    one.previous = last;
    this.#last = one;
    if (last === undefined) this.#first = one;
    else last.next = one;
    this.#size += 1;
  }

  /** Unlinks a node and clears its pointers, so that it retains nothing. */
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

  /** The current node may be removed during iteration, and no other. */
  *[Symbol.iterator](): Iterator<One> {
    for (let one = this.#first, next; one !== undefined; one = next) {
      next = one.next;
      yield one;
    }
  }
}
