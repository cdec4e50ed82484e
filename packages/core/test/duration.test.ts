import { describe, expect, it } from "vitest";
import { InvalidDefinition } from "@photon/core";
import { type Duration, milliseconds, timeoutMilliseconds } from "../src/util/time.ts";

describe("a duration", () => {
  it.each<[Duration, number]>([
    ["500ms", 500],
    ["30s", 30_000],
    ["5m", 300_000],
    ["2h", 7_200_000],
    ["7d", 604_800_000],
    ["1.5h", 5_400_000],
    ["0.5s", 500],
    [250, 250],
  ])("of %j is %d milliseconds", (duration, expected) => {
    expect(milliseconds(duration)).toBe(expected);
  });

  it.each<[unknown]>([
    ["0s"],
    ["-5m"],
    ["5 m"],
    [" 5m"],
    ["5M"],
    ["5"],
    ["m"],
    [""],
    ["five minutes"],
    ["1e3s"],
    ["5m30s"],
    ["none"],
    [0],
    [-1],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [null],
    [undefined],
    [{}],
  ])("cannot be %o, which is refused with how to write it", (duration) => {
    expect(() => milliseconds(duration as never)).toThrow(InvalidDefinition);
    expect(() => milliseconds(duration as never)).toThrow(
      'write it like "500ms", "30s", "5m", "2h" or "7d".',
    );
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])("is refused as it was written: %d", (duration) => {
    expect(() => milliseconds(duration)).toThrow(String(duration));
  });

  it("is refused under the name of what it belongs to", () => {
    expect(() => milliseconds("soon" as never, "The limit of the tool book")).toThrow(
      'The limit of the tool book is "soon";',
    );
  });
});

describe("a timeout", () => {
  it("is a duration, or none at all", () => {
    expect(timeoutMilliseconds("5m")).toBe(300_000);
    expect(timeoutMilliseconds("none")).toBeUndefined();
  });

  it("is refused as a duration is", () => {
    expect(() => timeoutMilliseconds("never" as never)).toThrow('A timeout is "never"; write it like');
  });
});
