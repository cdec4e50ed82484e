import { describe, expect, it } from "vitest";
import { CompactMap } from "../src/util/compact-map.ts";

describe("a compact map", () => {
  it("has its entries in the order in which they were added, also after it was empty", () => {
    const map = new CompactMap<string | number, number>();
    for (const round of [1, 2]) {
      for (const key of [1, "1", 2, "b"]) map.set(key, round);
      map.set(2, 7);

      expect(map.entries()).toEqual([
        [1, round],
        ["1", round],
        [2, 7],
        ["b", round],
      ]);
      expect([map.size, map.oldest, map.has("c"), map.get("c")]).toEqual([4, 1, false, undefined]);

      expect([1, "1", 2, "b", "c"].map((key) => map.delete(key))).toEqual([true, true, true, true, false]);
      expect([map.size, map.oldest, map.values()]).toEqual([0, undefined, []]);
    }
  });

  it("may lose entries while they are iterated", () => {
    const map = new CompactMap<number, string>();
    for (let key = 0; key < 10; key++) map.set(key, `value ${key}`);

    for (const [key] of map) if (key % 2 === 0) map.delete(key);

    expect(map.entries().map(([key]) => key)).toEqual([1, 3, 5, 7, 9]);
  });

  it("copies its values", () => {
    const map = new CompactMap<string, number>();
    map.set("a", 1);
    map.set("b", 2);

    const values = map.values();
    map.clear();

    expect(values).toEqual([1, 2]);
    expect(map.size).toBe(0);
  });
});
