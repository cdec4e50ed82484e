export interface ListNode<Node> {
  previous: Node | undefined;
  next: Node | undefined;
}

/**
 * An intrusive doubly linked list, in insertion order. A node is in one list at most.
 *
 * For thousands of short-lived members. A `Set` often replaces its table, and V8 keeps in each old table its members and a reference to
 * the next table: once a table is in the old generation, members that were removed long ago live until a full collection.
 */
export class LinkedList<Node extends ListNode<Node>> implements Iterable<Node> {
  #first: Node | undefined;
  #last: Node | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): Node | undefined {
    return this.#first;
  }

  /** Whether a node, which is in no other list, is in this one. */
  has(node: Node): boolean {
    return node.previous !== undefined || this.#first === node;
  }

  /** Appends a node that is in no list. */
  add(node: Node): void {
    const last = this.#last;
    node.previous = last;
    this.#last = node;
    if (last === undefined) this.#first = node;
    else last.next = node;
    this.#size += 1;
  }

  /** Unlinks a node and clears its pointers, so that it retains nothing. */
  remove(node: Node): void {
    const { previous: before, next: after } = node;
    if (before === undefined) this.#first = after;
    else before.next = after;
    if (after === undefined) this.#last = before;
    else after.previous = before;
    node.previous = undefined;
    node.next = undefined;
    this.#size -= 1;
  }

  /** The current node may be removed during iteration, and no other. */
  *[Symbol.iterator](): Iterator<Node> {
    for (let node = this.#first, next; node !== undefined; node = next) {
      next = node.next;
      yield node;
    }
  }
}
