import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "@photon/core";

/** What a platform timer can wait for at most; beyond it, it fires at once. */
const LONGEST = 2 ** 31 - 1;

describe("the system's clock", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.UTC(2026, 6, 28) });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("returns the milliseconds since 1970", () => {
    expect(systemClock.now()).toBe(Date.UTC(2026, 6, 28));
  });

  it("calls back once, after so long", () => {
    const callback = vi.fn<() => void>();
    systemClock.after(1000, callback);

    vi.advanceTimersByTime(999);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(100_000);
    expect(callback).toHaveBeenCalledTimes(1);
  });

  it("does not call back after it was stopped", () => {
    const callback = vi.fn<() => void>();
    const stop = systemClock.after(1000, callback);

    stop();
    stop();

    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([LONGEST, LONGEST + 1, 2 * LONGEST, 3 * LONGEST + 7])(
    "waits %d ms to the millisecond, however little a timer of the platform can",
    (wait) => {
      const callback = vi.fn<() => void>();
      systemClock.after(wait, callback);

      vi.advanceTimersByTime(wait - 1);
      expect(callback).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1);
      expect(callback).toHaveBeenCalledTimes(1);
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it("can be stopped in a later part of a long wait", () => {
    const callback = vi.fn<() => void>();
    const stop = systemClock.after(3 * LONGEST, callback);

    vi.advanceTimersByTime(LONGEST + 1);
    stop();

    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(3 * LONGEST);
    expect(callback).not.toHaveBeenCalled();
  });

  it("waits for ever without a timer", () => {
    const stop = systemClock.after(Number.POSITIVE_INFINITY, () => {});

    expect(vi.getTimerCount()).toBe(0);
    stop();
  });
});
