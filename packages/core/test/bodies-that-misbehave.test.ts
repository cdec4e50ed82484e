import {
  ask,
  AskCancelled,
  emit,
  ActiveTimeExceeded,
  memoryJournal,
  RunCancelled,
  startRun,
  step,
  tool,
  UnknownEffect,
  type Body,
  type Emit,
  type Run,
} from "@photon/core";
import { testClock } from "@photon/core/testing";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { accept, askedBy, endOf, loadChecks, thrownBy, toolOf } from "./run-helpers.ts";

beforeAll(loadChecks);

const forever = (): Promise<never> => new Promise(() => {});

const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);

beforeEach(() => {
  unhandled.length = 0;
  process.on("unhandledRejection", note);
});

afterEach(async () => {
  // A rejection counts as unhandled once every promise that is ready has run.
  await testClock().advance("1ms");
  process.off("unhandledRejection", note);
  // oxlint-disable-next-line vitest/no-standalone-expect -- every test here claims it
  expect(unhandled).toEqual([]);
});

/** Closes a run while the clock passes the grace period; returns whether it has ended. */
async function closedWithinGrace(
  running: Run<unknown>,
  clock: ReturnType<typeof testClock>,
): Promise<boolean> {
  const closing = running.close().then(() => true);
  await clock.advance("5s");
  return Promise.race([
    closing,
    testClock()
      .advance("1ms")
      .then(() => false),
  ]);
}

describe("a body that ignores cancellation (§2.4)", () => {
  it(verifies("B8", "awaits forever: the run ends all the same, after the grace period"), async () => {
    const clock = testClock();
    const story = toolOf(async function* () {
      await forever();
    });
    const running = startRun(story, {}, { clock });
    const ending = thrownBy(running.next());
    await clock.advance("1s");

    expect(await closedWithinGrace(running, clock)).toBe(true);
    expect(await ending).toBeInstanceOf(RunCancelled);
  });

  it("waits for it no shorter than the grace period, and no longer", async () => {
    const clock = testClock();
    const story = toolOf(async function* () {
      try {
        yield* ask.text("Name?");
      } finally {
        await forever();
      }
    });
    const running = startRun(story, {}, { clock, grace: "30s" });
    await askedBy(running);
    let closedAt = 0;

    const began = clock.now();
    const closing = running.close().finally(() => {
      closedAt = clock.now();
    });
    await clock.advance("29s");
    expect(closedAt).toBe(0);
    await clock.advance("10s");
    await closing;

    expect(closedAt - began).toBe(30_000);
  });

  it("continues after the grace period: its effects are not performed", async () => {
    const clock = testClock();
    const shown: Emit[] = [];
    let wake: () => void = () => {};
    const story = toolOf(async function* () {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      yield emit.status("too late");
      yield* step("too late", () => shown.push(emit.status("a step")));
    });
    const running = startRun(story, {}, { clock, emit: (effect) => void shown.push(effect) });
    const ending = thrownBy(running.next());
    await clock.advance("1s");
    await closedWithinGrace(running, clock);
    await ending;

    wake();
    await clock.advance("1s");

    expect(shown).toEqual([]);
  });

  it("throws after the grace period: the error is ignored", async () => {
    const clock = testClock();
    let wake: () => void = () => {};
    const story = toolOf(async function* () {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      throw new Error("late and loud");
    });
    const running = startRun(story, {}, { clock });
    const ending = thrownBy(running.next());
    await clock.advance("1s");
    await closedWithinGrace(running, clock);

    wake();
    await clock.advance("1s");

    expect(await ending).toBeInstanceOf(RunCancelled);
  });

  it("is stopped between two effects although it never looks at its signal", async () => {
    const shown: string[] = [];
    const story = toolOf(async function* () {
      for (let count = 0; ; count++) yield emit.status(`working ${count}`);
    });
    const running = startRun(
      story,
      {},
      {
        emit: async ({ emit: kind }) => {
          shown.push(kind);
          if (shown.length === 3) void running.close(new Error("enough"));
        },
      },
    );

    expect(await thrownBy(running.next())).toMatchObject({ message: "enough" });
    expect(shown).toHaveLength(3);
  });

  it("is stopped by its limit although it yields without end and awaits nothing", async () => {
    // So many that a run that cannot be stopped is found out, and ends.
    const enough = 200_000;
    const endless = tool({
      name: "endless",
      limit: "20ms",
      async *run() {
        for (let count = 0; count < enough; count++) yield emit.status("working");
      },
    });

    expect(await thrownBy(startRun(endless, {}).next())).toBeInstanceOf(ActiveTimeExceeded);
  });
});

describe("a body that throws in its finally block", () => {
  it("is reported, and the run ends with the reason it was closed for", async () => {
    const reported: unknown[] = [];
    const story = toolOf(async function* () {
      try {
        yield* ask.text("Name?");
      } finally {
        throw new Error("broken cleanup");
      }
    });
    const running = startRun(story, {}, { report: (error) => void reported.push(error) });
    await askedBy(running);

    await running.close();

    expect(reported).toMatchObject([{ message: "broken cleanup" }]);
  });

  it("rejects with the reason for which it was closed", async () => {
    const clock = testClock();
    const slow = tool({
      limit: "1s",
      async *run(_, { signal }) {
        try {
          await new Promise((resolve) => {
            signal.addEventListener("abort", resolve, { once: true });
          });
        } finally {
          throw new Error("broken cleanup");
        }
      },
    });
    const ending = thrownBy(startRun(slow, {}, { clock }).next());
    await clock.advance("2s");

    expect(await ending).toBeInstanceOf(ActiveTimeExceeded);
  });

  it("does no harm where even the report of it fails", async () => {
    const story = toolOf(async function* () {
      try {
        yield* ask.text("Name?");
      } finally {
        throw new Error("broken cleanup");
      }
    });
    const running = startRun(
      story,
      {},
      {
        report: () => {
          throw new Error("nobody to report to");
        },
      },
    );
    await askedBy(running);

    await expect(running.close()).resolves.toBeUndefined();
  });

  it("throws as any tool does where the run was not closed", async () => {
    const story = toolOf(async function* () {
      try {
        return yield* ask.text("Name?");
      } finally {
        throw new Error("broken cleanup");
      }
    });
    const running = startRun(story, {});
    await askedBy(running);

    expect(await thrownBy(running.next({ "ask-1": accept("Ada") }))).toMatchObject({
      message: "broken cleanup",
    });
  });
});

describe("a body that never yields", () => {
  it("returns, and the run ends with that", async () => {
    expect(
      await endOf(
        startRun(
          toolOf(async function* () {
            return 42;
          }),
          {},
        ),
      ),
    ).toBe(42);
  });

  it("throws, and the run ends with that", async () => {
    const story = toolOf(async function* () {
      throw new Error("at once");
    });

    expect(await thrownBy(startRun(story, {}).next())).toMatchObject({ message: "at once" });
  });

  it("throws a value that is not an error, and the run rejects with it", async () => {
    const story = toolOf(async function* () {
      // oxlint-disable-next-line typescript/only-throw-error -- a body may throw anything
      throw "just a text";
    });

    expect(await thrownBy(startRun(story, {}).next())).toBe("just a text");
  });
});

describe("a body that yields after being closed (§2.4)", () => {
  /** Starts a run at a question, behind which its finally block does what is given. */
  async function closing(
    cleanup: () => Body<void>,
    shown: unknown[] = [],
    reported: unknown[] = [],
  ): Promise<void> {
    const clock = testClock();
    const story = toolOf(async function* () {
      try {
        yield* ask.text("Name?");
      } finally {
        yield* cleanup();
      }
    });
    const running = startRun(
      story,
      {},
      {
        clock,
        emit: (effect) => void shown.push(effect),
        report: (error) => void reported.push(error),
      },
    );
    await askedBy(running);
    expect(await closedWithinGrace(running, clock)).toBe(true);
  }

  it("emits and does its steps as before, in order", async () => {
    const shown: unknown[] = [];

    await closing(async function* () {
      yield emit.status("one");
      shown.push(yield* step("two", () => "done"));
      yield emit.status("three");
    }, shown);

    expect(shown).toEqual([{ emit: "status", message: "one" }, "done", { emit: "status", message: "three" }]);
  });

  it("asks a question: it is cancelled, with its own id", async () => {
    const caught: unknown[] = [];

    await closing(async function* () {
      try {
        yield* ask.text("Keep the draft?", { id: "keep" });
      } catch (error) {
        caught.push(error);
      }
    });

    expect(caught).toMatchObject([{ code: "ASK_CANCELLED", id: "keep" }]);
    expect(caught[0]).toBeInstanceOf(AskCancelled);
    expect(String(caught[0])).toContain("Keep the draft?");
  });

  it("is cancelled by number where its question has no id", async () => {
    const caught: unknown[] = [];

    await closing(async function* () {
      try {
        yield* ask.text("Keep the draft?");
      } catch (error) {
        caught.push(error);
      }
    });

    expect(caught).toMatchObject([{ id: "ask-2" }]);
  });

  it("is given a cancelled ask.outcome as data, as ever", async () => {
    const outcomes: unknown[] = [];

    await closing(async function* () {
      outcomes.push(yield* ask.outcome(ask.text("Keep the draft?")));
    });

    expect(outcomes).toEqual([{ action: "cancel" }]);
  });

  it("is given the fallback for cancel that the author wrote", async () => {
    const answers: unknown[] = [];

    await closing(async function* () {
      answers.push(yield* ask.text("Which name?", { fallback: { cancel: "untitled" } }));
    });

    expect(answers).toEqual(["untitled"]);
  });

  it("yields garbage: the error is thrown at the yield, and the body continues", async () => {
    const caught: unknown[] = [];

    await closing(async function* () {
      try {
        yield { emit: "nonsense" };
      } catch (error) {
        caught.push(error);
      }
    });

    expect(caught[0]).toBeInstanceOf(UnknownEffect);
  });

  it("never stops emitting: it is left alone after a while", async () => {
    let count = 0;

    await closing(async function* () {
      for (;;) {
        count++;
        yield emit.status("still here");
      }
    });

    expect(count).toBeGreaterThan(1);
    expect(count).toBeLessThan(10_000);
  });

  it("never stops asking: it is left alone after a while", async () => {
    let count = 0;

    await closing(async function* () {
      for (;;) {
        count++;
        try {
          yield* ask.confirm("Please?");
        } catch {
          // It asks again.
        }
      }
    });

    expect(count).toBeLessThan(10_000);
  });

  it("does a step that never ends: it is left alone after the grace period", async () => {
    const reported: unknown[] = [];

    await closing(
      async function* () {
        yield* step("endless", forever);
      },
      [],
      reported,
    );

    expect(reported).toEqual([]);
  });

  it("fails in a step of its cleanup: that is reported, not thrown at the host", async () => {
    const reported: unknown[] = [];

    await closing(
      async function* () {
        yield* step("undo", () => {
          throw new Error("cannot undo");
        });
      },
      [],
      reported,
    );

    expect(reported).toMatchObject([{ message: "cannot undo" }]);
  });
});

describe("a body that catches everything", () => {
  it("is asked no further and ends when it is closed", async () => {
    const story = toolOf(async function* () {
      for (;;) {
        try {
          yield* ask.text("Name?");
        } catch {
          // Whatever it was, it asks again.
        }
      }
    });
    const running = startRun(story, {});
    await askedBy(running);
    for (let asked = 1; asked < 5; asked++)
      expect(Object.keys(await askedBy(running, { [`ask-${asked}`]: { action: "cancel" } }))).toEqual([
        `ask-${asked + 1}`,
      ]);

    await running.close();

    expect(await thrownBy(running.next({ "ask-5": accept("Ada") }))).toBeInstanceOf(RunCancelled);
  });

  it("returns from its finally block: the run still ends with the reason it was closed for", async () => {
    const clock = testClock();
    const stubborn = tool({
      limit: "1s",
      async *run() {
        try {
          yield* step("wait", async () => {
            await new Promise<void>((resolve) => {
              clock.after(3000, resolve);
            });
          });
        } finally {
          return "as if nothing had happened";
        }
      },
    });
    const ending = thrownBy(startRun(stubborn, {}, { clock }).next());
    await clock.advance("5s");

    expect(await ending).toBeInstanceOf(ActiveTimeExceeded);
  });
});

describe("a body that returns while an ask.all is open", () => {
  it(
    verifies("B8", "ends the run; the other questions are dropped, and so are their late answers"),
    async () => {
      const journal = memoryJournal();
      const story = toolOf(async function* () {
        try {
          yield* ask.all({ a: ask.text("A?"), b: ask.text("B?"), c: ask.text("C?") });
        } catch {
          return "gone";
        }
        return "all there";
      });
      const running = startRun(story, {}, { journal });
      await askedBy(running);

      expect(await endOf(running, { b: { action: "decline" } })).toBe("gone");
      const kept = journal.entries.length;

      expect(await thrownBy(running.next({ a: accept("late"), c: accept("late") }))).toBeInstanceOf(
        RunCancelled,
      );
      expect(journal.entries).toHaveLength(kept);
    },
  );

  it("keeps nothing of the replies that came with the one that ended the round", async () => {
    const journal = memoryJournal();
    const story = toolOf(async function* () {
      const { action } = yield* ask.outcome(ask.all({ a: ask.text("A?"), b: ask.text("B?") }));
      return action;
    });
    const running = startRun(story, {}, { journal });
    await askedBy(running);

    expect(await endOf(running, { a: { action: "cancel" }, b: accept("b") })).toBe("cancel");
    expect(journal.entries.filter((entry) => "key" in entry)).toEqual([
      { key: "a", reply: { action: "cancel" }, at: expect.any(Number) },
    ]);
  });
});

describe("a body that yields garbage", () => {
  it.each([[null], [undefined], ["text"], [42], [[]], [Promise.resolve()], [new Date(0)], [{ emit: "tsk" }]])(
    "is thrown an UnknownEffect for %o at the yield, and may go on",
    async (garbage) => {
      const story = toolOf(async function* () {
        try {
          yield garbage as never;
        } catch (error) {
          return error instanceof UnknownEffect ? error.code : error;
        }
        return "nothing thrown";
      });

      expect(await endOf(startRun(story, {}))).toBe("UNKNOWN_EFFECT");
    },
  );

  it("ends with that error where it does not catch it, and its finally block runs", async () => {
    let closed = false;
    const story = toolOf(async function* () {
      try {
        yield "hello" as never;
      } finally {
        closed = true;
      }
    });

    expect(await thrownBy(startRun(story, {}).next())).toBeInstanceOf(UnknownEffect);
    expect(closed).toBe(true);
  });
});

describe("a host that fails while it shows an emit", () => {
  it("is reported, and not thrown into the tool", async () => {
    const reported: unknown[] = [];
    const story = toolOf(async function* () {
      yield emit.status("one");
      yield emit.status("two");
      return "fine";
    });
    let shown = 0;
    const running = startRun(
      story,
      {},
      {
        emit: () => {
          shown++;
          throw new Error("broken pipe");
        },
        report: (error) => void reported.push(error),
      },
    );

    expect(await endOf(running)).toBe("fine");
    expect(shown).toBe(2);
    expect(reported).toMatchObject([{ message: "broken pipe" }, { message: "broken pipe" }]);
  });

  it("does not fail the tool even if the report of it fails", async () => {
    const story = toolOf(async function* () {
      yield emit.status("one");
      return "fine";
    });
    const broken = (): never => {
      throw new Error("broken pipe");
    };

    expect(await endOf(startRun(story, {}, { emit: broken, report: broken }))).toBe("fine");
  });

  it("may return something else than a promise, as `push` does", async () => {
    const shown: unknown[] = [];
    const story = toolOf(async function* () {
      yield emit.status("one");
      return "fine";
    });
    // In JavaScript, no type asks for nothing or a promise.
    const push = (effect: Emit): never => shown.push(effect) as never;

    expect(await endOf(startRun(story, {}, { emit: push }))).toBe("fine");
    expect(shown).toEqual([{ emit: "status", message: "one" }]);
  });

  it.each([
    ["at once", () => true],
    ["later", async () => "shown"],
  ])(
    "gives the body nothing, whatever it returns %s: a replay, which shows nothing, gives it the same",
    async (_, returned) => {
      const story = toolOf(async function* () {
        const got: unknown = yield emit.status("one");
        return typeof got;
      });

      expect(await endOf(startRun(story, {}, { emit: returned as never }))).toBe("undefined");
    },
  );

  it("keeps an artifact in the result although showing it failed", async () => {
    const story = toolOf(async function* () {
      yield emit.text("made on the way");
    });
    const running = startRun(story, {}, { emit: () => Promise.reject(new Error("broken pipe")) });

    expect(await running.next()).toMatchObject({ artifacts: [{ type: "text", text: "made on the way" }] });
  });

  it("never finishes showing: the run can be closed all the same", async () => {
    const clock = testClock();
    let closed = false;
    const story = toolOf(async function* () {
      try {
        yield emit.status("stuck");
      } finally {
        closed = true;
      }
    });
    const running = startRun(story, {}, { clock, emit: forever });
    const ending = thrownBy(running.next());
    await clock.advance("1s");

    expect(await closedWithinGrace(running, clock)).toBe(true);
    expect(await ending).toBeInstanceOf(RunCancelled);
    expect(closed).toBe(true);
  });
});

describe("closing more than once (§2.4)", () => {
  it("is harmless after the run was closed", async () => {
    let closings = 0;
    const story = toolOf(async function* () {
      try {
        yield* ask.text("Name?");
      } finally {
        closings++;
      }
    });
    const running = startRun(story, {});
    await askedBy(running);

    await running.close();
    await running.close(new Error("again"));

    expect(closings).toBe(1);
  });

  it("is harmless at the same time: both wait for the finally block, and the first reason stays", async () => {
    const clock = testClock();
    let closed = false;
    const story = toolOf(async function* () {
      try {
        yield* ask.text("Name?");
      } finally {
        await new Promise<void>((resolve) => {
          clock.after(1000, resolve);
        });
        closed = true;
      }
    });
    const running = startRun(story, {}, { clock });
    await askedBy(running);

    const both = Promise.all([
      running.close(new Error("first")).then(() => closed),
      running.close(new Error("second")).then(() => closed),
    ]);
    expect(await thrownBy(running.next())).toMatchObject({ message: "first" });
    await clock.advance("2s");

    expect(await both).toEqual([true, true]);
  });

  it("is harmless after the run has ended", async () => {
    const running = startRun(
      toolOf(async function* () {
        return "over";
      }),
      {},
    );
    await running.next();

    await expect(running.close()).resolves.toBeUndefined();
  });

  it("is harmless before the run has begun: its body never begins", async () => {
    let began = false;
    const story = toolOf(async function* () {
      began = true;
    });
    const running = startRun(story, {});

    await running.close(new Error("changed my mind"));

    expect(await thrownBy(running.next())).toMatchObject({ message: "changed my mind" });
    expect(began).toBe(false);
  });

  it("can be done by the body itself", async () => {
    const story = toolOf(async function* () {
      try {
        yield* step("give up", () => void running.close(new Error("by myself")));
        yield* ask.text("Never asked?");
      } finally {
        yield emit.status("cleaned up");
      }
    });
    const shown: string[] = [];
    const running: Run<void> = startRun(story, {}, { emit: (effect) => void shown.push(effect.emit) });

    expect(await thrownBy(running.next())).toMatchObject({ message: "by myself" });
    expect(shown).toEqual(["status"]);
  });
});

describe("a step that is under way when the run is closed (§2.4, §2.7)", () => {
  it(verifies(["B8", "E1"], "is aborted by its signal, awaited, and recorded"), async () => {
    const clock = testClock();
    const journal = memoryJournal();
    const reasons: unknown[] = [];
    const story = toolOf(async function* () {
      yield* step(
        "pay",
        ({ signal }) =>
          new Promise((resolve) => {
            signal.addEventListener("abort", () => reasons.push(signal.reason));
            clock.after(3000, () => resolve("paid"));
          }),
      );
    });
    const running = startRun(story, {}, { clock, journal });
    const ending = thrownBy(running.next());
    await clock.advance("1s");

    const reason = new Error("client left");
    const closing = running.close(reason);
    await clock.advance("3s");
    await closing;

    expect(reasons).toEqual([reason]);
    expect(await ending).toBe(reason);
    expect(journal.entries.at(-1)).toMatchObject({ step: "pay", value: "paid" });
  });

  it("is not waited for beyond the grace period", async () => {
    const clock = testClock();
    let closed = false;
    const story = toolOf(async function* () {
      try {
        yield* step("hang", forever);
      } finally {
        closed = true;
      }
    });
    const running = startRun(story, {}, { clock });
    const ending = thrownBy(running.next());
    await clock.advance("1s");

    expect(await closedWithinGrace(running, clock)).toBe(true);
    await ending;
    expect(closed).toBe(true);
  });
});
