import { numberFrom, yesOrNo } from "@photon/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { parseDateTime } from "../../src/terminal/parse-answer.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("reading what was typed", () => {
  it.each([
    ["3", 3],
    [" -1.5 ", -1.5],
    ["1e3", 1000],
    [".5", 0.5],
    ["", ""],
    ["1,5", "1,5"],
    ["0x10", "0x10"],
    ["Infinity", "Infinity"],
    ["12 apples", "12 apples"],
  ])("takes %j for %j where a number is wanted", (text, value) => {
    expect(numberFrom(text)).toBe(value);
  });

  it.each([
    ["y", true],
    ["Yes", true],
    ["true", true],
    ["n", false],
    ["NO", false],
    ["false", false],
    ["", ""],
    ["1", "1"],
    ["yesterday", "yesterday"],
  ])("takes %j for %j where yes or no is wanted", (text, value) => {
    expect(yesOrNo(text)).toBe(value);
  });

  it.each([
    ["UTC", "2026-07-28 12:00", "2026-07-28T12:00:00Z"],
    ["Asia/Kolkata", "2026-07-28T12:00:30", "2026-07-28T12:00:30+05:30"],
    // Summer and winter are on different times.
    ["America/New_York", "2026-07-28 12:00", "2026-07-28T12:00:00-04:00"],
    ["America/New_York", "2026-01-28 12:00", "2026-01-28T12:00:00-05:00"],
    ["Asia/Kolkata", "2026-07-28T12:00:00Z", "2026-07-28T12:00:00Z"],
    ["Asia/Kolkata", "tomorrow", "tomorrow"],
    ["Asia/Kolkata", "2026-13-45 12:00", "2026-13-45 12:00"],
  ])("means a moment without a zone where the person is: in %s, %j is %j", (zone, text, moment) => {
    vi.stubEnv("TZ", zone);

    expect(parseDateTime(text)).toBe(moment);
  });
});
