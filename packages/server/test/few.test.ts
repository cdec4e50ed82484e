import { describe, expect, it } from "vitest";
import { Few } from "../src/few.ts";

describe("a few entries", () => {
  it("are those of a Map, whatever is put in and taken out", () => {
    const few = new Few<string, number>();
    const map = new Map<string, number>();
    // Every way to put in and take out three keys, five times in a row.
    const acts = ["a", "b", "c"].flatMap((key) => [
      (value: number) => [few.set(key, value), map.set(key, value)],
      () => [few.delete(key), map.delete(key)],
    ]);
    for (let way = 0; way < acts.length ** 5; way++) {
      few.clear();
      map.clear();
      for (let left = way, act = 0; act < 5; act++, left = Math.floor(left / acts.length))
        acts[left % acts.length]?.(act);

      expect(few.entries()).toEqual([...map]);
      expect(few.size).toBe(map.size);
      for (const key of ["a", "b", "c", "d"])
        expect([few.has(key), few.get(key)]).toEqual([map.has(key), map.get(key)]);
    }
  });

  it("are told whether they were there when they are taken out", () => {
    const few = new Few<number, string>();
    few.set(0, "zero");

    expect([few.delete(1), few.delete(0), few.delete(0)]).toEqual([false, true, false]);
    expect(few.values()).toEqual([]);
  });

  it("stay as they were read, whatever becomes of the rest", () => {
    const few = new Few<string, number>();
    few.set("a", 1);
    few.set("b", 2);

    const read = few.values();
    few.delete("a");
    few.delete("b");

    expect(read).toEqual([1, 2]);
    expect(few.size).toBe(0);
  });
});
