import { describe, expect, it } from "vitest";
import { LinkedList, type ListNode } from "../src/util/linked-list.ts";

interface One extends ListNode<One> {
  readonly name: string;
}

const one = (name: string): One => ({ name, previous: undefined, next: undefined });
const namesIn = (crowd: LinkedList<One>): readonly string[] => Array.from(crowd, ({ name }) => name);

/** A crowd of three. */
function three() {
  const crowd = new LinkedList<One>();
  const all = [one("first"), one("second"), one("third")] as const;
  for (const each of all) crowd.add(each);
  return { crowd, all };
}

describe("a crowd", () => {
  it("has those who came, in the order they came", () => {
    const { crowd, all } = three();

    expect(namesIn(crowd)).toEqual(["first", "second", "third"]);
    expect([crowd.size, crowd.first]).toEqual([3, all[0]]);
    expect(crowd.has(one("nobody"))).toBe(false);
  });

  it.each([
    [0, ["second", "third"]],
    [1, ["first", "third"]],
    [2, ["first", "second"]],
  ] as const)("goes on without number %i, who leads to nobody then", (index, left) => {
    const { crowd, all } = three();

    crowd.remove(all[index]);

    expect(namesIn(crowd)).toEqual(left);
    expect(crowd.has(all[index])).toBe(false);
    expect([all[index].previous, all[index].next]).toEqual([undefined, undefined]);
  });

  it("takes somebody in again, behind the others", () => {
    const { crowd, all } = three();

    crowd.remove(all[0]);
    crowd.add(all[0]);

    expect(namesIn(crowd)).toEqual(["second", "third", "first"]);
    expect(crowd.has(all[0])).toBe(true);
  });

  it("is looked through to its end, whoever of those looked at is taken out", () => {
    const { crowd } = three();
    const seen: string[] = [];

    for (const each of crowd) {
      seen.push(each.name);
      crowd.remove(each);
    }

    expect(seen).toEqual(["first", "second", "third"]);
    expect([crowd.size, crowd.first]).toEqual([0, undefined]);
  });
});
