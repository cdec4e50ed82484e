import {
  ask,
  askWithDeadline,
  AskTimedOut,
  ActiveTimeExceeded,
  memoryJournal,
  run,
  startRun,
  step,
  tool,
  type Answerer,
  type Clock,
  type OpenQuestion,
  type Reply,
} from "@photon/core";
import { later, never, script, testClock } from "@photon/core/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { accept, askedBy, endOf, loadChecks, reread, thrownBy, toolOf } from "./run-helpers.ts";

beforeAll(loadChecks);

const MINUTE = 60_000;

const sleeping = (clock: Clock, milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(milliseconds, resolve);
  });

describe("how long a question stays open (§2.1)", () => {
  const plain = toolOf(async function* () {
    return yield* ask.text("Name?", { id: "q" });
  });
  const durable = tool({
    durable: true,
    async *run() {
      return yield* ask.text("Name?", { id: "q" });
    },
  });
  const lasting = (timeout: "90s" | "none" | 250) =>
    toolOf(async function* () {
      return yield* ask.text("Name?", { id: "q", timeout });
    });

  it.each([
    ["5 minutes", plain, undefined, 5 * MINUTE],
    ["7 days, for a durable tool", durable, undefined, 7 * 24 * 60 * MINUTE],
    ["what the host says", plain, "2m", 2 * MINUTE],
    ["what the host says, for a durable tool too", durable, "2m", 2 * MINUTE],
    ["what the question says", lasting("90s"), undefined, 90_000],
    ["what the question says, whatever the host says", lasting("90s"), "2m", 90_000],
    ["what the question says in milliseconds", lasting(250), undefined, 250],
  ] as const)(verifies("B2", "%s"), async (_, story, askTimeout, wait) => {
    const clock = testClock();
    const round = await askedBy(
      startRun(story, {}, { clock, ...(askTimeout === undefined ? {} : { askTimeout }) }),
    );

    expect(round).toMatchObject({ q: { wait, deadline: clock.now() + wait } });
  });

  it.each([
    ["the question", lasting("none"), undefined],
    ["the host", plain, "none"],
  ] as const)(verifies("B2", "without end, where %s says none"), async (_, story, askTimeout) => {
    const round = await askedBy(startRun(story, {}, askTimeout === undefined ? {} : { askTimeout }));

    expect(round["q"]).not.toHaveProperty("wait");
    expect(round["q"]).not.toHaveProperty("deadline");
  });

  it("throws at the start if the host's is not a duration", () => {
    expect(() => startRun(plain, {}, { askTimeout: "soon" as never })).toThrow(/askTimeout.*"soon"/);
  });
});

describe("a question that is not answered in time (§2.4)", () => {
  it(verifies("B2", "throws AskTimedOut when its time is over, and not before"), async () => {
    const host = script({ "Name?": never() });
    let ended: unknown;
    const story = toolOf(async function* () {
      return yield* ask.text("Name?");
    });
    const running = host.run(story).catch((error: unknown) => {
      ended = error;
    });

    await host.advance("299s");
    expect(ended).toBeUndefined();
    await host.advance("1s");
    await running;

    expect(ended).toBeInstanceOf(AskTimedOut);
    expect(ended).toMatchObject({ code: "ASK_TIMED_OUT", id: "ask-1" });
  });

  it(verifies("B2", "has no deadline if its timeout is none"), async () => {
    const host = script({ "Name?": later("300d", "Ada") });
    const story = toolOf(async function* () {
      return yield* ask.text("Name?", { timeout: "none" });
    });

    const running = host.run(story);
    await host.advance("301d");

    expect(await running).toBe("Ada");
  });

  it(verifies("B2", "gives each attempt the whole time again"), async () => {
    const host = script({
      "Nights?": (question: OpenQuestion) => later("4m", question.attempt === 1 ? 31 : 3),
    });
    const story = toolOf(async function* () {
      return yield* ask.number("Nights?", { max: 30, retries: 1 });
    });

    const running = host.run(story);
    await host.advance("9m");

    expect(await running).toBe(3);
  });

  it("is over after its deadline also when the run was restarted meanwhile", async () => {
    const clock = testClock();
    const journal = memoryJournal();
    const story = toolOf(async function* () {
      return yield* ask.text("Name?");
    });
    const first = await askedBy(startRun(story, {}, { clock, journal }));
    await clock.advance("4m");
    let timedOutAt = 0;

    const second = await askedBy(startRun(story, {}, { clock, journal: reread(journal) }));
    const running = run(
      story,
      {},
      {
        clock,
        journal: reread(journal),
        ask: () => new Promise(() => {}),
      },
    ).catch(() => {
      timedOutAt = clock.now();
    });
    await clock.advance("10m");
    await running;

    expect(second["ask-1"]?.deadline).toBe(first["ask-1"]?.deadline);
    expect(timedOutAt).toBe(first["ask-1"]?.deadline);
  });

  it("times out at once where its deadline went by before the restart", async () => {
    const clock = testClock();
    const journal = memoryJournal();
    const story = toolOf(async function* () {
      return yield* ask.text("Name?");
    });
    await askedBy(startRun(story, {}, { clock, journal }));
    await clock.advance("1h");
    let asked = 0;

    const ending = thrownBy(
      run(
        story,
        {},
        {
          clock,
          journal: reread(journal),
          ask: () => {
            asked++;
            return new Promise<never>(() => {});
          },
        },
      ),
    );
    await clock.advance("1ms");
    const error = await Promise.race([ending, clock.advance("1s")]);

    expect(error).toBeInstanceOf(AskTimedOut);
    expect(asked).toBeLessThanOrEqual(1);
  });

  it("counts the time that answerers took", async () => {
    const clock = testClock();
    const slow: Answerer = {
      name: "slow",
      answer: async () => {
        await sleeping(clock, 4 * MINUTE);
        return undefined;
      },
    };
    const story = toolOf(async function* () {
      return yield* ask.text("Name?");
    });
    const began = clock.now();
    let timedOutAt = 0;

    const running = run(story, {}, { clock, answerers: [slow], ask: () => new Promise(() => {}) }).catch(
      () => {
        timedOutAt = clock.now();
      },
    );
    await clock.advance("20m");
    await running;

    expect(timedOutAt - began).toBe(5 * MINUTE);
  });
});

describe("askInTime (§2.1)", () => {
  const question: OpenQuestion = { ...openText(), wait: 1000 };

  function openText(): OpenQuestion {
    return { emit: "ask", ask: "text", message: "Name?", key: "ask-1", attempt: 1 };
  }

  it(verifies("B2", "gives the answer that came in time, and stops its timer"), async () => {
    const clock = counting();

    expect(await askWithDeadline(question, clock, () => accept("Ada"))).toEqual(accept("Ada"));
    expect(clock.running()).toBe(0);
  });

  it(verifies("B2", "replies timeout, aborts the signal, and drops later answers"), async () => {
    const clock = testClock();
    let answer: (reply: Reply) => void = () => {};
    let aborted: () => boolean = () => false;

    const asking = askWithDeadline(question, clock, (_, { signal }) => {
      aborted = () => signal.aborted;
      return new Promise((resolve) => {
        answer = resolve;
      });
    });
    await clock.advance("999ms");
    expect(aborted()).toBe(false);
    await clock.advance("1ms");

    expect(await asking).toEqual({ action: "timeout" });
    expect(aborted()).toBe(true);
    answer(accept("too late"));
    expect(await asking).toEqual({ action: "timeout" });
  });

  it("aborts its signal also after an answer", async () => {
    let aborted: () => boolean = () => false;

    await askWithDeadline(question, testClock(), (_, { signal }) => {
      aborted = () => signal.aborted;
      return accept("Ada");
    });

    expect(aborted()).toBe(true);
  });

  it("replies cancel where the run is closed, before or while it asks", async () => {
    const closed = new AbortController();
    const asking = askWithDeadline(question, testClock(), () => new Promise(() => {}), closed.signal);

    closed.abort();

    expect(await asking).toEqual({ action: "cancel" });
    expect(await askWithDeadline(question, testClock(), () => new Promise(() => {}), closed.signal)).toEqual({
      action: "cancel",
    });
  });

  it("passes on what the asking throws, and stops its timer", async () => {
    const clock = counting();

    await expect(
      askWithDeadline(question, clock, () => {
        throw new Error("no terminal");
      }),
    ).rejects.toThrow("no terminal");
    expect(clock.running()).toBe(0);
  });

  it("ignores an error of the handler after the deadline", async () => {
    const clock = testClock();
    let fail: (error: Error) => void = () => {};
    const asking = askWithDeadline(
      question,
      clock,
      () =>
        new Promise((_, reject) => {
          fail = reject;
        }),
    );
    await clock.advance("1s");

    fail(new Error("too late"));

    expect(await asking).toEqual({ action: "timeout" });
  });

  it("starts no timer for a question without end", async () => {
    const clock = counting();
    let answer: (reply: Reply) => void = () => {};
    const asking = askWithDeadline(
      openText(),
      clock,
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );

    expect(clock.running()).toBe(0);
    answer(accept("Ada"));
    expect(await asking).toEqual(accept("Ada"));
  });

  it("leaves no listener on the signal that it was given", async () => {
    const listeners = new Set<unknown>();
    const controller = new AbortController();
    const { signal } = controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    Object.assign(signal, {
      addEventListener: (type: string, listener: () => void) => {
        listeners.add(listener);
        add(type, listener);
      },
      removeEventListener: (type: string, listener: () => void) => {
        listeners.delete(listener);
        remove(type, listener);
      },
    });

    await askWithDeadline(question, testClock(), () => accept("Ada"), signal);

    expect(listeners.size).toBe(0);
  });

  /** A clock that stands still, and tells how many timers wait on it. */
  function counting(): Clock & { running(): number } {
    const clock = testClock();
    const running = new Set<object>();
    return {
      now: () => clock.now(),
      after(milliseconds, callback) {
        const timer = {};
        running.add(timer);
        const stop = clock.after(milliseconds, callback);
        return () => {
          running.delete(timer);
          stop();
        };
      },
      running: () => running.size,
    };
  }
});

describe("the limit of a tool (§2.5)", () => {
  it(verifies("B9", "does not run while a question is open"), async () => {
    const host = script({ "First?": later("4m", "a"), "Second?": later("4m", "b") });
    const patient = tool({
      limit: "10s",
      async *run() {
        await sleeping(host.clock, 4000);
        const first = yield* ask.text("First?");
        await sleeping(host.clock, 4000);
        return [first, yield* ask.text("Second?")];
      },
    });

    const running = host.run(patient);
    await host.advance("9m");

    expect(await running).toEqual(["a", "b"]);
  });

  it(verifies("B9", "adds up the body's own time before and after its questions"), async () => {
    const host = script({ "First?": later("4m", "a") });
    const slow = tool({
      name: "slow",
      limit: "10s",
      async *run() {
        await sleeping(host.clock, 6000);
        yield* ask.text("First?");
        await sleeping(host.clock, 6000);
      },
    });

    const ending = thrownBy(host.run(slow));
    await host.advance("5m");
    const error = await ending;

    expect(error).toBeInstanceOf(ActiveTimeExceeded);
    expect(error).toMatchObject({
      code: "LIMIT_EXCEEDED",
      message: expect.stringMatching(/^slow worked for longer than its limit of 10 s/),
    });
  });

  it("does not run while answerers think", async () => {
    const clock = testClock();
    const slow: Answerer = {
      name: "slow",
      answer: async () => {
        await sleeping(clock, 4 * MINUTE);
        return accept("Ada");
      },
    };
    const quick = tool({
      limit: "1s",
      async *run() {
        return yield* ask.text("Name?");
      },
    });

    const running = run(quick, {}, { clock, answerers: [slow] });
    await clock.advance("5m");

    expect(await running).toBe("Ada");
  });

  it("counts the time of a step, and aborts the step's signal", async () => {
    const clock = testClock();
    const reasons: unknown[] = [];
    const slow = tool({
      limit: "1s",
      async *run() {
        yield* step("slow", async ({ signal }) => {
          signal.addEventListener("abort", () => reasons.push(signal.reason));
          await sleeping(clock, 3000);
        });
      },
    });

    const ending = thrownBy(run(slow, {}, { clock }));
    await clock.advance("4s");

    expect(await ending).toBeInstanceOf(ActiveTimeExceeded);
    expect(reasons).toEqual([await ending]);
  });

  it("closes the body: its finally block runs and is awaited", async () => {
    const clock = testClock();
    const order: string[] = [];
    const slow = tool({
      limit: "1s",
      async *run(_, { signal }) {
        try {
          await new Promise((resolve) => {
            signal.addEventListener("abort", resolve, { once: true });
          });
        } finally {
          await sleeping(clock, 1000);
          order.push("finally");
        }
      },
    });

    const ending = thrownBy(run(slow, {}, { clock })).then(() => order.push("over"));
    await clock.advance("3s");
    await ending;

    expect(order).toEqual(["finally", "over"]);
  });

  it("cannot be caught by the body", async () => {
    const clock = testClock();
    const stubborn = tool({
      limit: "1s",
      async *run() {
        for (;;) {
          try {
            yield* step("wait", () => sleeping(clock, 400));
          } catch {
            // It tries to go on.
          }
        }
      },
    });

    const ending = thrownBy(run(stubborn, {}, { clock }));
    await clock.advance("10s");

    expect(await ending).toBeInstanceOf(ActiveTimeExceeded);
  });

  it("leaves no timer behind, however the run ends", async () => {
    const clock = testClock();
    let running = 0;
    const counted: Clock = {
      now: () => clock.now(),
      after(milliseconds, callback) {
        running++;
        let isRunning = true;
        const done = (): void => {
          if (isRunning) running--;
          isRunning = false;
        };
        const stop = clock.after(milliseconds, () => {
          done();
          callback();
        });
        return () => {
          done();
          stop();
        };
      },
    };
    const quick = tool({
      limit: "1s",
      async *run() {
        return yield* ask.text("Name?");
      },
    });
    const answered = startRun(quick, {}, { clock: counted });
    await askedBy(answered);
    expect(running).toBe(0);
    await endOf(answered, { "ask-1": accept("Ada") });
    const failed = startRun(quick, {}, { clock: counted });
    await askedBy(failed);
    await thrownBy(failed.next({ "ask-1": { action: "cancel" } }));
    const closed = startRun(quick, {}, { clock: counted });
    await askedBy(closed);
    await closed.close();

    expect(running).toBe(0);
  });
});
