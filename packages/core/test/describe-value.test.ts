import { describe, expect, it } from "vitest";
import { describeValue } from "../src/util/describe-value.ts";

class Invoice {
  readonly total = 3;
}

describe("show", () => {
  it.each<[unknown, string]>([
    [null, "null"],
    [undefined, "undefined"],
    ["hi", 'the string "hi"'],
    ['say "hi"\n', 'the string "say \\"hi\\"\\n"'],
    [42, "the number 42"],
    [Number.NaN, "the number NaN"],
    [false, "the boolean false"],
    [10n, "the bigint 10"],
    [Symbol("a"), "the symbol Symbol(a)"],
    [function pay() {}, "the function pay"],
    [[1, 2, 3], "an array of 3"],
    [{}, "{}"],
    [{ emit: "tsk", count: 3, sure: true }, '{ emit: "tsk", count: 3, sure: true }'],
    [
      { list: [1], inner: { a: 1 }, run: () => 1, none: null, not: undefined },
      "{ list: […], inner: {…}, run: function, none: null, not: undefined }",
    ],
    [new Map(), "a Map"],
    [new Invoice(), "an Invoice"],
    [new Error("oops"), "an Error"],
    [Promise.resolve(), "a Promise"],
    [Object.create(null), "{}"],
  ])("names a value as a person would: %#", (value, words) => {
    expect(describeValue(value)).toBe(words);
  });

  it("names a function and a class that have no name", () => {
    expect(describeValue((() => () => {})())).toBe("a function");
    expect(
      describeValue(
        new (class {
          readonly total = 3;
        })(),
      ),
    ).toBe("an instance of a class");
  });

  it("shows a cyclic object", () => {
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;

    expect(describeValue(loop)).toBe("{ self: {…} }");
  });

  it.each([
    ["a string", "x".repeat(10_000)],
    ["an object", { text: "x".repeat(10_000) }],
    ["many fields", Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`field${index}`, index]))],
  ])("truncates long values: %s", (_, value) => {
    expect(describeValue(value).length).toBeLessThan(150);
    expect(describeValue(value)).toContain("…");
  });

  it("shows that there is something where it cannot be read", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const guarded = {
      get secret(): string {
        throw new Error("no");
      },
    };

    expect([describeValue(proxy), describeValue(guarded)]).toEqual([
      "a value that cannot be read",
      "a value that cannot be read",
    ]);
  });
});
