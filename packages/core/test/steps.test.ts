import {
  ask,
  emit,
  memoryJournal,
  run,
  SecretInStep,
  startRun,
  step,
  StepFailed,
  StepNotJson,
  StepUnknown,
  type Body,
  type JournalEntry,
  type Journal,
} from "@photon/core";
import { restartEverywhere, testClock } from "@photon/core/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { accept, askedBy, endOf, loadChecks, reread, thrownBy, toolOf } from "./run-helpers.ts";

beforeAll(loadChecks);

/** Runs a body live, then again from its journal, and gives back what it returned each time. */
async function liveAndReplayed<Result>(body: () => Body<Result>): Promise<readonly [Result, Result]> {
  const journal = memoryJournal();
  const live = await endOf(startRun(toolOf(body), {}, { journal, runId: "r" }));
  return [live, await endOf(startRun(toolOf(body), {}, { journal: reread(journal), runId: "r" }))];
}

/** A journal that outlives the process: it also notes that a step begins. */
function lasting(
  entries: readonly JournalEntry[] = [],
): Journal & { readonly entries: readonly JournalEntry[] } {
  const memory = memoryJournal(entries);
  return { ...memory, begin: (entry) => memory.append(entry) };
}

describe("the result of a step (§2.7)", () => {
  it(verifies("E1", "is computed once in a run, however often it is replayed"), async () => {
    let done = 0;
    const [live, replayed] = await liveAndReplayed(async function* () {
      return yield* step("count", () => ++done);
    });

    expect([live, replayed, done]).toEqual([1, 1, 1]);
  });

  it.each([
    ["nothing", undefined],
    ["null", null],
    ["a text", "héllo \u2028 \ud800"],
    ["minus zero", -0],
    ["a property that is undefined", { a: 1, b: undefined }],
    ["a record without prototype", Object.assign(Object.create(null) as object, { a: 1 })],
    ["a property called __proto__", JSON.parse('{ "__proto__": { "polluted": true } }')],
    ["nested lists", [[1, [2]], { deep: [{ er: null }] }]],
  ])(verifies("E1", "is the same live and on replay: %s"), async (_, value: unknown) => {
    const [live, replayed] = await liveAndReplayed(async function* () {
      return { value: yield* step("make", () => value) };
    });

    expect(replayed).toStrictEqual(live);
    expect(JSON.stringify(replayed)).toBe(JSON.stringify(live));
  });

  it("is a copy: what the step's own object becomes later is not seen", async () => {
    const shared = { count: 1 };
    const [live, replayed] = await liveAndReplayed(async function* () {
      const made = yield* step("make", () => shared);
      shared.count = 99;
      return made;
    });

    expect(live).toEqual({ count: 1 });
    expect(replayed).toEqual({ count: 1 });
  });

  it("is recorded before the body sees it", async () => {
    const journal = memoryJournal();
    const story = toolOf(async function* () {
      yield* step("pay", () => "paid");
      return journal.entries.at(-1);
    });

    expect(await endOf(startRun(story, {}, { journal }))).toEqual({ step: "pay", value: "paid", emits: 0 });
  });

  it("may come from a raw yield as well", async () => {
    const [live, replayed] = await liveAndReplayed(async function* () {
      const made: unknown = yield { emit: "step", name: "raw", run: () => ({ made: true }) };
      return made;
    });

    expect([live, replayed]).toEqual([{ made: true }, { made: true }]);
  });

  it.each([
    ["a Date", () => ({ user: { born: new Date(0) } }), "a Date at .user.born"],
    ["a Map", () => [1, new Map()], "a Map at [1]"],
    ["NaN", () => Number.NaN, "NaN"],
    ["a function", () => ({ then_: () => {} }), "a function at .then_"],
    ["a bigint", () => ({ n: 1n }), "a bigint at .n"],
    ["undefined in a list", () => ["a", undefined], "undefined at [1]"],
    ["bytes", () => new Uint8Array(2), "a Uint8Array"],
  ])(
    verifies("E1", "is refused if it is not JSON, with the step's name and the path: %s"),
    async (_, make, place) => {
      const error = await thrownBy(
        run(
          toolOf(async function* () {
            yield* step("profile", make as () => unknown);
          }),
          {},
        ),
      );

      expect(error).toBeInstanceOf(StepNotJson);
      expect(error).toMatchObject({
        code: "STEP_NOT_JSON",
        message: `The step "profile" returned ${place}; return JSON.`,
      });
    },
  );

  it("is refused where it contains itself, or is too deep to be read back", async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    let deep: unknown = 0;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    for (const value of [cyclic, deep]) {
      const story = toolOf(async function* () {
        yield* step("odd", () => value);
      });

      expect(await thrownBy(run(story, {}))).toBeInstanceOf(StepNotJson);
    }
  });

  it("is refused the same on replay, without doing the step again", async () => {
    let done = 0;
    const [live, replayed] = await liveAndReplayed(async function* () {
      try {
        yield* step("odd", () => new Date(++done));
      } catch (error) {
        return error instanceof Error ? [error.name, error.message, Reflect.get(error, "code")] : error;
      }
      return "not refused";
    });

    expect(live).toEqual(["StepNotJson", expect.any(String), "STEP_NOT_JSON"]);
    expect(replayed).toEqual(live);
    expect(done).toBe(1);
  });

  it.each([
    ["revealed", (secret: { reveal(): string }) => ({ header: `Bearer ${secret.reveal()}` })],
    ["wrapped", (secret: { reveal(): string }) => ({ secret })],
    ["as the name of a property", (secret: { reveal(): string }) => ({ [secret.reveal()]: 1 })],
  ])(verifies("B6", "is refused where a live secret is in it, %s"), async (_, make) => {
    const journal = memoryJournal();
    const story = toolOf(async function* () {
      const token = yield* ask.secret("Token?");
      yield* step("fetch", () => make(token));
    });
    const running = startRun(story, {}, { journal });
    await askedBy(running);

    const error = await thrownBy(running.next({ "ask-1": accept("hunter2-hunter2") }));

    expect(error).toBeInstanceOf(SecretInStep);
    expect(error).toMatchObject({ code: "SECRET_IN_STEP", message: expect.stringContaining('"fetch"') });
    expect(JSON.stringify(journal.entries)).not.toContain("hunter2");
  });
});

describe("a step that throws (§2.7)", () => {
  class OutOfStock extends Error {
    override readonly name = "OutOfStock";
    readonly code = "OUT_OF_STOCK";
  }

  it(verifies("E1", "throws the same on replay: name, message and code"), async () => {
    let done = 0;
    const [live, replayed] = await liveAndReplayed(async function* () {
      try {
        yield* step("reserve", () => {
          done++;
          throw new OutOfStock("No rooms left.");
        });
      } catch (error) {
        if (!(error instanceof StepFailed)) throw error;
        return { name: error.name, message: error.message, code: error.code, step: error.step };
      }
      return undefined;
    });

    expect(live).toEqual({
      name: "OutOfStock",
      message: "No rooms left.",
      code: "OUT_OF_STOCK",
      step: "reserve",
    });
    expect(replayed).toEqual(live);
    expect(done).toBe(1);
  });

  it("has a code of its own where the error has none", async () => {
    const story = toolOf(async function* () {
      yield* step("reserve", async () => {
        throw new TypeError("not a function");
      });
    });

    expect(await thrownBy(run(story, {}))).toMatchObject({
      name: "TypeError",
      code: "STEP_FAILED",
      message: "not a function",
      cause: expect.any(TypeError),
    });
  });

  it.each([["a text"], [null], [undefined], [{ status: 500 }], [Symbol("odd")], [Object.create(null)]])(
    verifies("E1", "is recorded and done once also if it throws a value that is not an error: %o"),
    async (thrown: unknown) => {
      let done = 0;
      const [live, replayed] = await liveAndReplayed(async function* () {
        try {
          yield* step("odd", () => {
            done++;
            throw thrown;
          });
        } catch (error) {
          return error instanceof StepFailed ? error.message : "something else was thrown";
        }
        return "nothing thrown";
      });

      expect(live).not.toBe("something else was thrown");
      expect(replayed).toBe(live);
      expect(done).toBe(1);
    },
  );

  it(verifies("E1", "is tried again as a new occurrence, with a key of its own"), async () => {
    const keys: string[] = [];
    const [live, replayed] = await liveAndReplayed(async function* () {
      for (let attempt = 1; ; attempt++) {
        try {
          return yield* step("flaky", ({ key }) => {
            keys.push(key);
            if (attempt < 3) throw new Error(`attempt ${attempt}`);
            return attempt;
          });
        } catch {
          // It tries again.
        }
      }
    });

    expect([live, replayed]).toEqual([3, 3]);
    expect(keys).toEqual(["r/flaky", "r/flaky#2", "r/flaky#3"]);
  });

  it("keeps the original as the cause where it was thrown just now", async () => {
    const original = new OutOfStock("No rooms left.");
    const story = toolOf(async function* () {
      yield* step("reserve", () => Promise.reject(original));
    });

    expect(await thrownBy(run(story, {}))).toHaveProperty("cause", original);
  });
});

describe("idempotency keys (§2.7)", () => {
  it(verifies("E1", "are made of run, name and occurrence, the same each time"), async () => {
    const seen: string[][] = [];
    const story = toolOf(async function* () {
      const keys: string[] = [];
      seen.push(keys);
      for (const name of ["a", "b", "a"]) yield* step(name, ({ key }) => void keys.push(key));
    });

    await run(story, {}, { runId: "run-1" });
    await run(story, {}, { runId: "run-1" });
    await run(story, {}, { runId: "run-2" });

    expect(seen).toEqual([
      ["run-1/a", "run-1/b", "run-1/a#2"],
      ["run-1/a", "run-1/b", "run-1/a#2"],
      ["run-2/a", "run-2/b", "run-2/a#2"],
    ]);
  });

  it("count steps apart from questions of the same name", async () => {
    const story = toolOf(async function* () {
      yield* step("pay", () => 1);
      yield* ask.text("Pay?", { id: "pay" });
    });

    expect(Object.keys(await askedBy(startRun(story, {})))).toEqual(["pay"]);
  });
});

describe("step.now, step.random and step.uuid (§2.7)", () => {
  it(verifies("E1", "are recorded, and the same on replay"), async () => {
    const story = toolOf(async function* () {
      return [yield* step.now(), yield* step.random(), yield* step.uuid(), yield* step.now()];
    });
    const journal = memoryJournal();
    const clock = testClock();
    let chance = 0;
    const values = { clock, random: () => (chance += 0.25), uuid: () => `uuid-${chance}` };

    const live = await run(story, {}, { ...values, journal });
    await clock.advance("1d");
    const replayed = await run(story, {}, { ...values, journal: reread(journal) });

    expect(live).toEqual([clock.now() - 86_400_000, 0.25, "uuid-0.25", clock.now() - 86_400_000]);
    expect(replayed).toEqual(live);
    expect(chance).toBe(0.25);
  });

  it("take the platform's own where the host gives none", async () => {
    const story = toolOf(async function* () {
      return { now: yield* step.now(), random: yield* step.random(), uuid: yield* step.uuid() };
    });
    const before = Date.now();

    const { now, random, uuid } = await run(story, {});

    expect(now).toBeGreaterThanOrEqual(before);
    expect(random).toBeGreaterThanOrEqual(0);
    expect(random).toBeLessThan(1);
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

describe("a step that began and was never recorded (§2.7)", () => {
  const crashed: readonly JournalEntry[] = [{ step: "pay", begun: true }];

  it(verifies("E1", "notes that it begins before it is done"), async () => {
    const journal = lasting();
    const story = toolOf(async function* () {
      yield* step("pay", () => journal.entries.length);
    });

    await run(story, {}, { journal });

    expect(journal.entries.slice(1)).toEqual([
      { step: "pay", begun: true },
      { step: "pay", value: 2, emits: 0 },
    ]);
  });

  it(verifies("E1", "fails with its key without onUnknown, and is not done again"), async () => {
    let done = 0;
    const story = toolOf(async function* () {
      yield* step("pay", () => ++done);
    });

    const error = await thrownBy(run(story, {}, { runId: "r", journal: lasting(crashed) }));

    expect(error).toBeInstanceOf(StepUnknown);
    expect(error).toMatchObject({ code: "STEP_UNKNOWN", key: "r/pay" });
    expect(done).toBe(0);
  });

  it("is done again under the same key where its author said so", async () => {
    const journal = lasting(crashed);
    const story = toolOf(async function* () {
      return yield* step("pay", ({ key }) => key, { onUnknown: "retry" });
    });

    expect(await run(story, {}, { runId: "r", journal })).toBe("r/pay");
    expect(journal.entries.at(-1)).toEqual({ step: "pay", value: "r/pay", emits: 0 });
  });

  it("is found out about by the author's function, whose result is recorded", async () => {
    const journal = lasting(crashed);
    let looked = 0;
    const story = toolOf(async function* () {
      return yield* step("pay", () => "done again", {
        onUnknown: async ({ key, signal }) => {
          looked++;
          return `found ${key}, ${String(signal.aborted)}`;
        },
      });
    });

    expect(await run(story, {}, { runId: "r", journal })).toBe("found r/pay, false");
    expect(await run(story, {}, { runId: "r", journal: lasting(journal.entries) })).toBe(
      "found r/pay, false",
    );
    expect(looked).toBe(1);
  });

  it("fails as the author's function fails", async () => {
    const story = toolOf(async function* () {
      return yield* step("pay", () => "done again", {
        onUnknown: () => {
          throw new Error("the bank does not answer");
        },
      });
    });

    expect(await thrownBy(run(story, {}, { journal: lasting(crashed) }))).toMatchObject({
      name: "Error",
      message: "the bank does not answer",
    });
  });

  it("takes the same way on replay in a body that looks at the class of the error", async () => {
    const story = toolOf(async function* () {
      try {
        return yield* step("pay", () => "paid");
      } catch (error) {
        if (!(error instanceof StepUnknown)) throw error;
        return `look for ${error.key}`;
      }
    });
    const journal = lasting(crashed);

    const first = await run(story, {}, { runId: "r", journal });
    const replayed = await run(story, {}, { runId: "r", journal: lasting(reread(journal).entries) });

    expect(first).toBe("look for r/pay");
    expect(replayed).toBe(first);
  });

  it("is simply taken again where it only reads the clock, chance or a UUID", async () => {
    const story = toolOf(async function* () {
      return [yield* step.now(), yield* step.random()];
    });
    const journal = lasting([{ step: "step.now", begun: true }]);

    expect(await run(story, {}, { journal, clock: testClock(5), random: () => 0.5 })).toEqual([5, 0.5]);
  });

  it(verifies("E1", "is tried again as a new occurrence after it failed as unknown"), async () => {
    const story = toolOf(async function* () {
      try {
        return yield* step("pay", ({ key }) => key);
      } catch {
        return yield* step("pay", ({ key }) => `second: ${key}`);
      }
    });

    expect(await run(story, {}, { runId: "r", journal: lasting(crashed) })).toBe("second: r/pay#2");
  });
});

describe("a step in a finally block", () => {
  it("is done and recorded when the body ends by itself", async () => {
    const report = await restartEverywhere(
      toolOf(async function* () {
        try {
          yield* step("open", () => "opened");
          return yield* ask.text("Name?");
        } finally {
          yield* step("close", () => "closed");
        }
      }),
      { answers: { "Name?": "Ada" } },
    );

    expect(report.steps).toEqual({ open: 1, close: 1 });
  });

  it(
    verifies("B8", "is done and recorded when the run is closed, so that it is never done again"),
    async () => {
      const journal = memoryJournal();
      let released = "";
      const story = toolOf(async function* () {
        try {
          yield* ask.text("Name?");
        } finally {
          released = yield* step("release", () => "released");
        }
      });
      const running = startRun(story, {}, { journal });
      await askedBy(running);

      await running.close();

      expect(released).toBe("released");
      expect(journal.entries.at(-1)).toEqual({ step: "release", value: "released", emits: 0 });
    },
  );
});

describe.each(["later", "at once"])("a journal that fails %s", (when) => {
  /** A journal that takes so many entries and then no more. */
  function full(room: number): Journal {
    const memory = memoryJournal();
    const append = (entry: JournalEntry): void => {
      if (memory.entries.length >= room) throw new Error("the disk is full");
      void memory.append(entry);
    };
    return { entries: [], append: when === "later" ? async (entry) => append(entry) : append };
  }

  it(verifies("E1", "ends the run, and the result that was not recorded is not used"), async () => {
    const used: unknown[] = [];
    const story = toolOf(async function* () {
      try {
        used.push(yield* step("pay", () => "paid"));
      } catch (error) {
        used.push(error);
      }
    });

    expect(await thrownBy(run(story, {}, { journal: full(1) }))).toMatchObject({
      message: "the disk is full",
    });
    expect(used).toEqual([]);
  });

  it("ends the run although the step threw: that was not recorded either", async () => {
    const used: unknown[] = [];
    const story = toolOf(async function* () {
      try {
        yield* step("pay", () => {
          throw new Error("no money");
        });
      } catch (error) {
        used.push(error);
      }
    });

    expect(await thrownBy(run(story, {}, { journal: full(1) }))).toMatchObject({
      message: "the disk is full",
    });
    expect(used).toEqual([]);
  });

  it("ends the run before an answer that was not recorded is used", async () => {
    const used: unknown[] = [];
    const story = toolOf(async function* () {
      try {
        used.push(yield* ask.text("Name?"));
      } catch (error) {
        used.push(error);
      }
    });
    const running = startRun(story, {}, { journal: full(2) });
    await askedBy(running);

    expect(await thrownBy(running.next({ "ask-1": accept("Ada") }))).toMatchObject({
      message: "the disk is full",
    });
    expect(used).toEqual([]);
  });

  it("ends the run before a question is asked that was not recorded", async () => {
    const story = toolOf(async function* () {
      yield* ask.text("Name?");
    });

    expect(await thrownBy(startRun(story, {}, { journal: full(1) }).next())).toMatchObject({
      message: "the disk is full",
    });
  });

  it("ends the run before its body begins", async () => {
    let began = false;
    const story = toolOf(async function* () {
      began = true;
    });

    expect(await thrownBy(startRun(story, {}, { journal: full(0) }).next())).toMatchObject({
      message: "the disk is full",
    });
    expect(began).toBe(false);
  });

  it("keeps a step from being done whose beginning could not be noted", async () => {
    let done = 0;
    const story = toolOf(async function* () {
      yield* step("pay", () => ++done);
    });
    const journal: Journal = {
      ...memoryJournal(),
      begin: () => Promise.reject(new Error("the disk is full")),
    };

    expect(await thrownBy(run(story, {}, { journal }))).toMatchObject({ message: "the disk is full" });
    expect(done).toBe(0);
  });

  it("leaves the body where it is: no step of its finally block is done, because the run has not ended", async () => {
    const done: string[] = [];
    const story = toolOf(async function* () {
      try {
        yield* step("pay", () => void done.push("pay"));
      } finally {
        yield* step("release", () => void done.push("release"));
      }
    });

    await thrownBy(run(story, {}, { journal: full(1) }));

    expect(done).toEqual(["pay"]);
  });
});

describe("onStep", () => {
  it("is called when a step begins and ends, in order with emits", async () => {
    const events: unknown[] = [];
    await endOf(
      startRun(
        toolOf(async function* () {
          yield* step.now();
          yield* step("save", () => 1);
          yield emit.status("saved");
          try {
            yield* step("save", () => Promise.reject(new Error("full")));
          } catch (error) {
            events.push(error);
          }
        }),
        {},
        { onStep: (event) => void events.push(event), emit: (effect) => void events.push(effect.emit) },
      ),
    );

    expect(events).toEqual([
      { step: "save", state: "begun" },
      { step: "save", state: "done" },
      "status",
      { step: "save#2", state: "begun" },
      { step: "save#2", state: "failed" },
      expect.any(StepFailed),
    ]);
  });

  it.each([
    ["then fails", () => Promise.reject(new Error("the disk is full"))],
    [
      "fails at once",
      () => {
        throw new Error("the disk is full");
      },
    ],
  ])("is called for a step that was done, also if its journal %s", async (_, fail) => {
    const events: unknown[] = [];
    const journal: Journal = {
      entries: [],
      append: (entry) => ("step" in entry ? fail() : undefined),
    };
    const paying = toolOf(async function* () {
      yield* step("pay", () => "paid");
    });

    const error = await thrownBy(
      run(paying, {}, { journal, onStep: ({ state }) => void events.push(state) }),
    );

    expect(error).toMatchObject({ message: "the disk is full" });
    expect(events).toEqual(["begun", "done"]);
  });

  it("does not delay the journal if it is slow", async () => {
    const journal = memoryJournal();
    let recorded: readonly JournalEntry[] = [];
    const paying = toolOf(async function* () {
      yield* step("pay", () => "paid");
    });
    const onStep = async (event: { readonly state: string }): Promise<void> => {
      if (event.state !== "done") return;
      // As long as a slow reader takes, and longer than a journal in memory does.
      for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
      recorded = [...journal.entries];
    };

    await endOf(startRun(paying, {}, { journal, onStep }));

    expect(recorded.at(-1)).toEqual({ step: "pay", value: "paid", emits: 0 });
  });

  it("is not called for steps that are replayed", async () => {
    const journal = memoryJournal();
    const events: unknown[] = [];
    const body = async function* (): Body<void> {
      yield* step("save", () => 1);
    };

    await endOf(startRun(toolOf(body), {}, { journal }));
    await endOf(
      startRun(toolOf(body), {}, { journal: reread(journal), onStep: (event) => void events.push(event) }),
    );

    expect(events).toEqual([]);
  });

  it("does not end the run if it fails, which is reported", async () => {
    const reported: unknown[] = [];
    const failing = async function* (): Body<number> {
      return yield* step("save", () => 1);
    };

    const value = await endOf(
      startRun(
        toolOf(failing),
        {},
        {
          onStep: () => Promise.reject(new Error("nobody listens")),
          report: (error) => void reported.push(error),
        },
      ),
    );

    expect(value).toBe(1);
    expect(reported).toMatchObject([{ message: "nobody listens" }, { message: "nobody listens" }]);
  });
});
