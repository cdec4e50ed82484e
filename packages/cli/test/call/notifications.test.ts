import type { Emit } from "@photon/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { IdleTimeout } from "../../src/call/call.ts";
import { QuestionKeys } from "../../src/call/elicitation.ts";
import { systemCodeOf } from "../../src/call/errors.ts";
import { BufferedOutput, ProgressReader } from "../../src/call/notifications.ts";

describe("the progress of a server", () => {
  it("is a bar if it has a figure, and a status if it has only a message", () => {
    const progress = new ProgressReader();

    expect(progress.read({ progress: 0, total: 100, message: "Looking" })).toEqual({
      emit: "status",
      message: "Looking",
    });
    expect(progress.read({ progress: 50, total: 100 })).toEqual({ emit: "progress", value: 0.5 });
    expect(progress.read({ progress: 50.001, total: 100, message: "Still" })).toEqual({
      emit: "status",
      message: "Still",
    });
    expect(progress.read({ progress: 3, total: 4, message: "Nearly" })).toEqual({
      emit: "progress",
      value: 0.75,
      message: "Nearly",
    });
    expect(progress.read({ progress: 8, message: "Eight" })).toEqual({ emit: "status", message: "Eight" });
    expect(progress.read({ progress: 9 })).toEqual({ emit: "status", message: "Working (9)" });
  });

  it("is never more than all", () => {
    const progress = new ProgressReader();

    expect(progress.read({ progress: 7, total: 5 })).toEqual({ emit: "progress", value: 1 });
    expect(progress.read({ progress: 7, total: 0 })).toEqual({ emit: "status", message: "Working (7)" });
  });
});

describe("what a server sends while a prompt is open", () => {
  it("is shown after the answer: every line, and the last progress", () => {
    const shown: unknown[] = [];
    const emits = {
      emit: (effect: Emit) => void shown.push(effect.emit === "status" ? effect.message : effect.emit),
      print: (text: string) => void shown.push(text),
    };
    const held = new BufferedOutput(emits);
    held.show({ emit: "status", message: "before" });
    held.setPaused(true);
    held.show({ emit: "status", message: "meanwhile" });
    held.show("a line");
    held.show({ emit: "log", level: "info", data: "x" });
    held.show({ emit: "status", message: "at last" });
    expect(shown).toEqual(["before"]);
    held.setPaused(false);

    expect(shown).toEqual(["before", "a line", "log", "at last"]);
  });
});

describe("the idle timeout of a server", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("starts anew with every message, and does not count while a prompt is open", () => {
    let isOver = false;
    const idle = new IdleTimeout(1000, () => {
      isOver = true;
    });
    idle.start();
    vi.advanceTimersByTime(900);
    idle.reset();
    vi.advanceTimersByTime(900);
    idle.stop();
    idle.reset();
    vi.advanceTimersByTime(1e6);
    idle.start();
    vi.advanceTimersByTime(999);
    expect(isOver).toBe(false);
    vi.advanceTimersByTime(1);

    expect(isOver).toBe(true);
  });

  it("does not count before the call, while the person chooses a tool", () => {
    let isOver = false;
    const idle = new IdleTimeout(1000, () => {
      isOver = true;
    });
    idle.reset();
    vi.advanceTimersByTime(1e6);

    expect(isOver).toBe(false);
  });

  it("may last for ever where that was said, and is over with the call", () => {
    const over = (): never => {
      throw new Error("It is not over.");
    };
    const endless = new IdleTimeout(undefined, over);
    const stopped = new IdleTimeout(10, over);
    endless.start();
    stopped.start();
    stopped.stop();
    stopped.reset();

    expect(() => vi.advanceTimersByTime(1e9)).not.toThrow();
  });
});

describe("what a failure says of the system", () => {
  it.each([
    [new Error("connect ECONNREFUSED 127.0.0.1:80"), "ECONNREFUSED"],
    [new Error("It failed.", { cause: Object.assign(new Error("x"), { code: "ENOENT" }) }), "ENOENT"],
    [Object.assign(new Error("x"), { code: "CERT_HAS_EXPIRED" }), "CERT_HAS_EXPIRED"],
    [new Error("INTERNAL ERROR: EVERY EMPLOYEE IS BUSY"), undefined],
  ])("is its codes, and no words of a server: %s", (failure, code) => {
    expect(systemCodeOf(failure)).toBe(code);
  });
});

describe("the questions of a call", () => {
  it("are called as the server calls them, or are counted", () => {
    const keys = new QuestionKeys();

    expect(keys.keyOf("who", true)).toBe("who");
    expect(keys.keyOf("3f2c8a52-6d0f-4f0c-9c5e-6a3d2b1c0e9f:nights#2:1", false)).toBe("nights#2");
    expect(keys.keyOf(7, false)).toBe("ask-3");
    expect(keys.keyOf(undefined, false)).toBe("ask-4");
  });

  it("are counted by attempt", () => {
    const keys = new QuestionKeys();

    expect([keys.nextAttempt("a"), keys.nextAttempt("b"), keys.nextAttempt("a")]).toEqual([1, 1, 2]);
    expect(keys.all).toEqual(["a", "b"]);
  });
});
