import { describe, expect, it } from "vitest";
import { canonicalJson, copyJson, digest, isPlainObject } from "../src/util/json.ts";

/** An object that holds itself, so many objects deep. */
function nested(levels: number): object {
  let value: object = {};
  for (let level = 1; level < levels; level++) value = { in: value };
  return value;
}

describe("copyJson", () => {
  it.each([
    [null],
    [true],
    [0],
    [-1.5],
    [""],
    [[]],
    [{}],
    [[1, [null, { a: "b" }]]],
    [{ a: { b: [1] }, c: null }],
  ])("returns JSON unchanged: %j", (value) => {
    expect(copyJson(value)).toEqual({ json: value });
  });

  it("copies all the way down", () => {
    const given = { list: [{ a: 1 }] };
    const copied = copyJson(given);

    given.list.push({ a: 2 });

    expect(copied).toEqual({ json: { list: [{ a: 1 }] } });
  });

  it("leaves out properties that are undefined", () => {
    expect(copyJson({ a: undefined, b: 1 })).toEqual({ json: { b: 1 } });
  });

  it("makes zero of minus zero, as JSON does", () => {
    expect(copyJson([-0])).toEqual({ json: [0] });
  });

  it("takes the same object in two places", () => {
    const shared = { a: 1 };

    expect(copyJson([shared, shared])).toEqual({ json: [{ a: 1 }, { a: 1 }] });
  });

  it("keeps a property called __proto__ as a property", () => {
    const copied = copyJson(JSON.parse('{"__proto__":{"admin":true}}'));

    expect(JSON.stringify(copied)).toBe('{"json":{"__proto__":{"admin":true}}}');
    expect(Reflect.get(Reflect.get(copied, "json") as object, "admin")).toBeUndefined();
  });

  it.each<[string, unknown, string, string]>([
    ["undefined", undefined, "", "undefined"],
    ["a date", { user: { born: new Date(0) } }, ".user.born", "a Date"],
    ["a map", [new Map()], "[0]", "a Map"],
    ["NaN", { a: [1, Number.NaN] }, ".a[1]", "NaN"],
    ["infinity", Number.NEGATIVE_INFINITY, "", "-Infinity"],
    ["a bigint", { n: 1n }, ".n", "a bigint"],
    ["a function", { run: () => 1 }, ".run", "a function"],
    ["a symbol", [Symbol("a")], "[0]", "a symbol"],
    ["bytes", { data: Uint8Array.of(1) }, ".data", "a Uint8Array"],
    ["undefined in a list", [1, undefined], "[1]", "undefined"],
  ])("says where and what it is that JSON would change: %s", (_, value, at, found) => {
    expect(copyJson(value)).toEqual({ problem: { at, found } });
  });

  it("finds a hole in a list", () => {
    // oxlint-disable-next-line no-sparse-arrays
    expect(copyJson([1, , 3])).toEqual({ problem: { at: "[1]", found: "undefined" } });
  });

  it("finds a cycle where it closes", () => {
    const loop: Record<string, unknown> = {};
    loop["a"] = { b: [loop] };

    expect(copyJson(loop)).toEqual({ problem: { at: ".a.b[0]", found: "a reference to itself" } });
  });

  it("takes 500 levels, and refuses many more without overflowing the stack", () => {
    expect(copyJson(nested(500))).toHaveProperty("json");
    expect(copyJson(nested(100_000))).toMatchObject({ problem: { found: "more than 500 levels" } });
  });

  it("refuses what cannot be read, rather than failing with it", () => {
    const unreadable = {
      get a(): number {
        throw new Error("gone");
      },
    };

    expect(copyJson({ list: [unreadable] })).toHaveProperty("problem");
  });
});

describe("canonical", () => {
  it("is the same text whatever the order of properties, at every depth", () => {
    expect(canonicalJson({ b: 1, a: { d: [1, 2], c: null } })).toBe(
      canonicalJson({ a: { c: null, d: [1, 2] }, b: 1 }),
    );
    expect(canonicalJson({ b: 1, a: 2 })).toBe('{"a":2,"b":1}');
  });

  it.each([
    ["a function", () => {}],
    ["a symbol", Symbol("s")],
    ["a Date", new Date(0)],
    ["a boxed text", new String("x")],
    ["something that says what it is in JSON", { toJSON: () => 1 }],
  ])("is the same text whatever the order of properties, with %s among them", (_, odd) => {
    expect(canonicalJson({ b: odd, a: 1 })).toBe(canonicalJson({ a: 1, b: odd }));
  });

  it("is the same text whatever the order of names that are numbers", () => {
    expect(canonicalJson({ 9: 1, 10: 2 })).toBe('{"10":2,"9":1}');
  });

  it("leaves out undefined properties, as JSON does", () => {
    expect(canonicalJson({ a: undefined })).toBe("{}");
    expect(canonicalJson(undefined)).toBe("null");
  });

  it.each([
    [
      [1, 2],
      [2, 1],
    ],
    [{ a: 1 }, { a: "1" }],
    [{ a: [] }, { a: {} }],
    [{ a: null }, {}],
    ["1", 1],
  ])("is another text for other content: %j and %j", (one, another) => {
    expect(canonicalJson(one)).not.toBe(canonicalJson(another));
  });
});

describe("digest", () => {
  it("is short, and the same for the same content", () => {
    expect(digest({ type: "string", maxLength: 3 })).toBe(digest({ maxLength: 3, type: "string" }));
    expect(digest("a".repeat(10_000)).length).toBeLessThanOrEqual(14);
  });

  it("distinguishes ten thousand schemas", () => {
    const digests = Array.from({ length: 10_000 }, (_, maximum) => digest({ type: "number", maximum }));

    expect(new Set(digests).size).toBe(10_000);
  });
});

describe("isPlainObject", () => {
  it.each<[string, unknown]>([
    ["a literal", {}],
    ["one without a prototype", Object.create(null)],
    ["parsed JSON", JSON.parse("{}")],
  ])("takes %s", (_, value) => {
    expect(isPlainObject(value)).toBe(true);
  });

  it.each<[string, unknown]>([
    ["null", null],
    ["an array", []],
    ["a function", () => {}],
    ["a date", new Date(0)],
    ["a map", new Map()],
    ["one that inherits from another", Object.create({ a: 1 })],
    ["a text", "{}"],
  ])("refuses %s", (_, value) => {
    expect(isPlainObject(value)).toBe(false);
  });
});
