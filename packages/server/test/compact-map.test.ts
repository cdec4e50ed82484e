import { describe, expect, it } from "vitest";
import { CompactMap } from "../src/util/compact-map.ts";

type Key = string | number;

/** A roster, and the map that it is compared with. */
const both = () => ({ roster: new CompactMap<Key, number>(), map: new Map<Key, number>() });

function set({ roster, map }: ReturnType<typeof both>, key: Key, value: number): void {
  roster.set(key, value);
  map.set(key, value);
}

function remove({ roster, map }: ReturnType<typeof both>, key: Key): void {
  if (roster.delete(key) !== map.delete(key))
    throw new Error(`It was said wrongly whether there was ${key}.`);
}

function assertSame({ roster, map }: ReturnType<typeof both>, keys: Iterable<Key>): void {
  expect(roster.entries()).toEqual([...map]);
  expect(roster.values()).toEqual([...map.values()]);
  expect([roster.size, roster.oldest]).toEqual([map.size, map.keys().next().value]);
  for (const key of keys) expect([roster.has(key), roster.get(key)]).toEqual([map.has(key), map.get(key)]);
}

describe("a roster has the entries of a Map", () => {
  it("whatever is put in and taken out", () => {
    const them = both();
    const keys = ["a", "b", "c"];
    // Every way to put in and take out three keys, five times in a row.
    const acts = keys.flatMap((key) => [(value: number) => set(them, key, value), () => remove(them, key)]);
    for (let way = 0; way < acts.length ** 5; way++) {
      them.roster.clear();
      them.map.clear();
      for (let left = way, act = 0; act < 5; act++, left = Math.floor(left / acts.length))
        acts[left % acts.length]?.(act);
      assertSame(them, [...keys, "d"]);
    }
  });

  it("however many they are, in whatever order they go", () => {
    const them = both();
    const keys = Array.from({ length: 300 }, (_, index) => (index % 2 === 0 ? index : `name-${index}`));
    for (const [value, key] of keys.entries()) set(them, key, value);
    assertSame(them, keys);
    // 7 and 300 have no divisor in common: each is met once.
    for (let count = 0; count < keys.length; count++) {
      remove(them, keys[(7 * count) % keys.length] ?? "");
      if (count % 10 === 0) assertSame(them, keys);
    }
    assertSame(them, keys);
  });

  it.each([
    ["numbers and the texts that they are written as", [1, "1", 2, "2", -1, "-1", 1.5, "1.5", 0, ""]],
    [
      "texts that differ in what is not hashed",
      ["a", "b", "c", "d", "e", "f"].map((name) => `${"x".repeat(40)}${name}${"x".repeat(40)}`),
    ],
    ["numbers whose last bits are the same", [0, 2 ** 20, 2 ** 32, 2 ** 40, 2 ** 53, -(2 ** 32), 0.25, 0.75]],
  ] as const)("of %s", (_, keys) => {
    const them = both();
    for (const [value, key] of keys.entries()) set(them, key, value);
    assertSame(them, keys);
    for (const key of keys.filter((_key, index) => index % 3 !== 0)) remove(them, key);
    assertSame(them, keys);
    for (const [value, key] of keys.entries()) set(them, key, -value);
    assertSame(them, keys);
  });

  it("after all of many have gone, and others have come", () => {
    const them = both();
    for (let round = 0; round < 3; round++) {
      for (let key = 0; key < 200; key++) set(them, key, round);
      for (let key = 0; key < 200; key++) remove(them, key);
      assertSame(them, [0, 199]);
    }
    set(them, 7, 7);
    assertSame(them, [7, 8]);
  });
});

describe("the entries of a roster", () => {
  it("can be deleted while they are looked at", () => {
    const roster = new CompactMap<number, string>();
    for (let key = 0; key < 10; key++) roster.set(key, `value ${key}`);

    for (const [key] of roster) if (key % 2 === 0) roster.delete(key);

    expect(roster.entries().map(([key]) => key)).toEqual([1, 3, 5, 7, 9]);
  });

  it("stay as they were read, whatever becomes of the rest", () => {
    const roster = new CompactMap<string, number>();
    roster.set("a", 1);
    roster.set("b", 2);

    const read = roster.values();
    roster.delete("a");
    roster.delete("b");

    expect(read).toEqual([1, 2]);
    expect(roster.size).toBe(0);
  });
});
