import { describe, expect, it } from "vitest";
import { LinkedList, type ListNode } from "../src/util/linked-list.ts";

interface Node extends ListNode<Node> {
  readonly name: string;
}

const node = (name: string): Node => ({ name, previous: undefined, next: undefined });
const namesIn = (list: LinkedList<Node>): readonly string[] => Array.from(list, ({ name }) => name);

function listOfThree() {
  const list = new LinkedList<Node>();
  const all = [node("first"), node("second"), node("third")] as const;
  for (const each of all) list.add(each);
  return { list, all };
}

describe("a linked list", () => {
  it("has its nodes in insertion order", () => {
    const { list, all } = listOfThree();

    expect(namesIn(list)).toEqual(["first", "second", "third"]);
    expect([list.size, list.first]).toEqual([3, all[0]]);
    expect(list.has(node("another"))).toBe(false);
  });

  it.each([
    [0, ["second", "third"]],
    [1, ["first", "third"]],
    [2, ["first", "second"]],
  ] as const)("removes node %i, and clears its pointers", (index, left) => {
    const { list, all } = listOfThree();

    list.remove(all[index]);

    expect(namesIn(list)).toEqual(left);
    expect(list.has(all[index])).toBe(false);
    expect([all[index].previous, all[index].next]).toEqual([undefined, undefined]);
  });

  it("appends a removed node at the end", () => {
    const { list, all } = listOfThree();

    list.remove(all[0]);
    list.add(all[0]);

    expect(namesIn(list)).toEqual(["second", "third", "first"]);
    expect(list.has(all[0])).toBe(true);
  });

  it("may lose the current node during iteration", () => {
    const { list } = listOfThree();
    const seen: string[] = [];

    for (const each of list) {
      seen.push(each.name);
      list.remove(each);
    }

    expect(seen).toEqual(["first", "second", "third"]);
    expect([list.size, list.first]).toEqual([0, undefined]);
  });
});
