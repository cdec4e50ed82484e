import {
  ask,
  AskCancelled,
  AskTimedOut,
  presetAnswers,
  InvalidAnswer,
  memoryJournal,
  run,
  startRun,
  tool,
  type Answerer,
  type AskContext,
  type OpenQuestion,
  type Reply,
} from "@photon/core";
import { testClock } from "@photon/core/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { accept, askedBy, endOf, loadChecks, reread, thrownBy, toolOf } from "./run-helpers.ts";

beforeAll(loadChecks);

const greeting = toolOf(async function* () {
  return `Hello, ${yield* ask.text("Name?", { id: "name" })}`;
});

/** An answerer that says one thing to everything, and notes what it was asked. */
function answererOf(
  name: string,
  reply: Reply | undefined,
  more: Partial<Answerer> & { readonly asked?: string[] } = {},
): Answerer {
  const { asked = [], ...rest } = more;
  return {
    name,
    answer: ({ key }) => {
      asked.push(`${name}: ${key}`);
      return reply;
    },
    ...rest,
  };
}

describe("the chain of answerers (§3)", () => {
  it(verifies("B5", "answers before the host is asked"), async () => {
    let asked = 0;

    expect(
      await run(
        greeting,
        {},
        {
          answerers: [answererOf("hook", accept("Ada"))],
          ask: () => {
            asked++;
            return accept("host");
          },
        },
      ),
    ).toBe("Hello, Ada");
    expect(asked).toBe(0);
  });

  it(
    verifies("B5", "asks by priority, highest first, and those of the same in the order given"),
    async () => {
      const asked: string[] = [];
      const answerers = [
        answererOf("none", undefined, { asked }),
        answererOf("low", undefined, { asked, priority: -1 }),
        answererOf("also none", undefined, { asked }),
        answererOf("high", undefined, { asked, priority: 10 }),
      ];

      await run(greeting, {}, { answerers, ask: () => accept("host") });

      expect(asked).toEqual(["high: name", "none: name", "also none: name", "low: name"]);
    },
  );

  it(verifies("B5", "stops at the first that answers"), async () => {
    const asked: string[] = [];
    const answerers = [
      answererOf("second", accept("Grace"), { asked, priority: 1 }),
      answererOf("first", accept("Ada"), { asked, priority: 2 }),
    ];

    expect(await run(greeting, {}, { answerers })).toBe("Hello, Ada");
    expect(asked).toEqual(["first: name"]);
  });

  it(verifies("B5", "waits for an answerer that takes its time"), async () => {
    const slow: Answerer = {
      name: "slow",
      answer: async () => {
        await Promise.resolve();
        return accept("Ada");
      },
    };

    expect(await run(greeting, {}, { answerers: [slow] })).toBe("Hello, Ada");
  });

  it.each<readonly [string, Answerer["answer"]]>([
    [
      "throws",
      () => {
        throw new Error("out of order");
      },
    ],
    ["rejects", () => Promise.reject(new Error("out of order"))],
    ["gives what is no reply", () => "Ada" as never],
    ["gives a reply with an unknown action", () => ({ action: "maybe" }) as never],
  ])(verifies("B5", "tries the next where one %s, and reports the failure by name"), async (_, answer) => {
    const reported: unknown[] = [];
    const broken: Answerer = { name: "broken", priority: 1, answer };

    expect(
      await run(
        greeting,
        {},
        {
          answerers: [answererOf("next", accept("Ada")), broken],
          report: (error) => void reported.push(error),
        },
      ),
    ).toBe("Hello, Ada");
    expect(reported).toMatchObject([
      { message: "The answerer broken failed at the question name.", cause: expect.any(Error) },
    ]);
  });

  it("closes the body where even the report of a failure fails", async () => {
    let closed = false;
    const story = toolOf(async function* () {
      try {
        yield* ask.text("Name?");
      } finally {
        closed = true;
      }
    });
    const broken = (): never => {
      throw new Error("out of order");
    };
    const running = startRun(story, {}, { answerers: [{ name: "broken", answer: broken }], report: broken });

    await running.next().catch(() => {});
    await running.close();

    expect(closed).toBe(true);
  });

  it("passes an answerer the run, the tool, the input and the question", async () => {
    const asked: (readonly [OpenQuestion, AskContext])[] = [];
    const named = tool({
      name: "greet",
      input: { type: "object", properties: { city: { type: "string" } } },
      async *run() {
        yield* ask.text("Name?", { id: "name", timeout: "1m" });
      },
    });
    const curious: Answerer = {
      name: "curious",
      answer: (question, asker) => {
        asked.push([question, asker]);
        return accept("Ada");
      },
    };

    await run(named, { city: "Rome" }, { runId: "r", answerers: [curious] });

    expect(asked).toMatchObject([
      [
        { key: "name", attempt: 1, message: "Name?", wait: 60_000 },
        { runId: "r", tool: "greet", input: { city: "Rome" } },
      ],
    ]);
  });

  it(verifies("B5", "may decline or cancel, and that counts"), async () => {
    for (const [action, code] of [
      ["decline", "ASK_DECLINED"],
      ["cancel", "ASK_CANCELLED"],
      ["timeout", "ASK_TIMED_OUT"],
      ["unsupported", "ASK_UNSUPPORTED"],
    ] as const) {
      const error = await thrownBy(
        run(greeting, {}, { answerers: [answererOf("hook", { action })], ask: () => accept("host") }),
      );

      expect(error).toMatchObject({ code });
    }
  });

  it("is validated: its answer must fit the question", async () => {
    const story = toolOf(async function* () {
      return yield* ask.number("Nights?", { max: 30 });
    });

    expect(await thrownBy(run(story, {}, { answerers: [answererOf("hook", accept(31))] }))).toBeInstanceOf(
      InvalidAnswer,
    );
  });

  it("is asked again with each attempt, and not again within one", async () => {
    const asked: number[] = [];
    const story = toolOf(async function* () {
      return yield* ask.all({ n: ask.number("Nights?", { max: 30, retries: 1 }), other: ask.text("Other?") });
    });
    const hook: Answerer = {
      name: "hook",
      answer: ({ key, attempt }) => {
        if (key !== "n") return undefined;
        asked.push(attempt);
        return attempt === 1 ? accept(31) : undefined;
      },
    };
    const running = startRun(story, {}, { answerers: [hook] });

    expect(Object.keys(await askedBy(running))).toEqual(["other"]);
    expect(Object.keys(await askedBy(running, {}))).toEqual(["n", "other"]);
    expect(Object.keys(await askedBy(running, {}))).toEqual(["n", "other"]);
    expect(await endOf(running, { n: accept(3), other: accept("x") })).toEqual({ n: 3, other: "x" });
    expect(asked).toEqual([1, 2]);
  });

  it("answers a part of a round, and leaves the rest to the host", async () => {
    const story = toolOf(async function* () {
      return yield* ask.all({ a: ask.text("A?"), b: ask.text("B?"), c: ask.text("C?") });
    });
    const running = startRun(story, {}, { answerers: [presetAnswers({ b: "up front" })] });

    expect(Object.keys(await askedBy(running))).toEqual(["a", "c"]);
    expect(Object.keys(await askedBy(running, { a: accept("1") }))).toEqual(["c"]);
    expect(await endOf(running, { c: accept("3") })).toEqual({ a: "1", b: "up front", c: "3" });
  });

  it("answers round after round without the host", async () => {
    const story = toolOf(async function* () {
      const names: string[] = [];
      for (let count = 0; count < 3; count++) names.push(yield* ask.text("Name?"));
      return names;
    });

    expect(await endOf(startRun(story, {}, { answerers: [answererOf("hook", accept("Ada"))] }))).toEqual([
      "Ada",
      "Ada",
      "Ada",
    ]);
  });

  it("is not asked what the journal answers, and what it says is journalled", async () => {
    const asked: string[] = [];
    const story = toolOf(async function* () {
      return [yield* ask.text("A?"), yield* ask.text("B?")];
    });
    const journal = memoryJournal();
    await askedBy(startRun(story, {}, { journal, answerers: [presetAnswers({ "ask-1": "a" })] }));

    const again = startRun(
      story,
      {},
      {
        journal: reread(journal),
        answerers: [answererOf("hook", accept("b"), { asked })],
      },
    );

    expect(await endOf(again)).toEqual(["a", "b"]);
    expect(asked).toEqual(["hook: ask-2"]);
  });
});

describe("preset answers (§3)", () => {
  it(verifies("B5", "come before every hook, whatever its priority"), async () => {
    const asked: string[] = [];

    expect(
      await run(
        greeting,
        {},
        {
          answerers: [
            answererOf("loud", accept("hook"), { asked, priority: 1_000_000 }),
            presetAnswers({ name: "Ada" }),
          ],
        },
      ),
    ).toBe("Hello, Ada");
    expect(asked).toEqual([]);
  });

  it(verifies("B5", "are given once: one that does not fit is not given again"), async () => {
    const story = toolOf(async function* () {
      return yield* ask.number("Nights?", { id: "nights", max: 30, retries: 3 });
    });
    const running = startRun(story, {}, { answerers: [presetAnswers({ nights: 31 })] });

    expect(await askedBy(running)).toMatchObject({ nights: { attempt: 2, hint: "must be at most 30" } });
    expect(await endOf(running, { nights: accept(3) })).toBe(3);
  });

  it("are given to the first question of an id, not to its repetition", async () => {
    const story = toolOf(async function* () {
      return [yield* ask.text("Name?", { id: "name" }), yield* ask.text("Name?", { id: "name" })];
    });
    const running = startRun(story, {}, { answerers: [presetAnswers({ name: "Ada" })] });

    expect(Object.keys(await askedBy(running))).toEqual(["name#2"]);
    await running.close();
  });

  it("are only what was given: nothing is taken from what every object inherits", async () => {
    const story = toolOf(async function* () {
      return yield* ask.text("Who?", { id: "toString" });
    });

    expect(Object.keys(await askedBy(startRun(story, {}, { answerers: [presetAnswers({})] })))).toEqual([
      "toString",
    ]);
  });
});

describe("a dangerous confirm (§3)", () => {
  const deletion = toolOf(async function* () {
    return yield* ask.confirm("Delete everything?", { id: "sure", dangerous: true });
  });

  it(verifies("B5", "is never answered by a program, nor by a preset answer"), async () => {
    const asked: string[] = [];
    const running = startRun(
      deletion,
      {},
      {
        answerers: [presetAnswers({ sure: true }), answererOf("allow-list", accept(true), { asked })],
      },
    );

    expect(Object.keys(await askedBy(running))).toEqual(["sure"]);
    expect(asked).toEqual([]);
    expect(await endOf(running, { sure: accept(false) })).toBe(false);
  });

  it("may be answered by an answerer with a person behind it", async () => {
    expect(
      await run(deletion, {}, { answerers: [answererOf("pager", accept(true), { person: true })] }),
    ).toBe(true);
  });

  it("may be refused by a program that says it does nothing else, and is not confirmed by it", async () => {
    const refusing = (reply: Reply): Answerer => ({ ...answererOf("policy", reply), denyOnly: true });
    const confirming = startRun(deletion, {}, { answerers: [refusing(accept(true))] });

    expect(await run(deletion, {}, { answerers: [refusing({ action: "decline" })] })).toBe(false);
    expect(Object.keys(await askedBy(confirming))).toEqual(["sure"]);
    await confirming.close();
  });

  it("is not answered in an ask.all or an ask.outcome either", async () => {
    const story = toolOf(async function* () {
      const { sure } = yield* ask.all({ sure: ask.confirm("A?", { dangerous: true }), name: ask.text("B?") });
      return [sure, yield* ask.outcome(ask.confirm("C?", { id: "last", dangerous: true }))];
    });
    const program = answererOf("program", accept(true));
    const byKind: Answerer = {
      ...program,
      answer: ({ key }) => (key === "name" ? accept("Ada") : accept(true)),
    };
    const running = startRun(story, {}, { answerers: [byKind] });

    expect(Object.keys(await askedBy(running))).toEqual(["sure"]);
    expect(Object.keys(await askedBy(running, { sure: accept(true) }))).toEqual(["last"]);
    await running.close();
  });

  it("is not accepted when it is cancelled without a host", async () => {
    expect(
      await thrownBy(run(deletion, {}, { answerers: [answererOf("allow-list", accept(true))] })),
    ).toBeInstanceOf(AskCancelled);
  });
});

describe("a question without an answer", () => {
  it(verifies("B5", "is cancelled where there is no host to ask"), async () => {
    expect(await thrownBy(run(greeting, {}))).toBeInstanceOf(AskCancelled);
    expect(await thrownBy(run(greeting, {}, { answerers: [answererOf("hook", undefined)] }))).toBeInstanceOf(
      AskCancelled,
    );
  });

  it(verifies("B5", "and the host says nothing: cancelled, not hung"), async () => {
    expect(await thrownBy(run(greeting, {}, { ask: () => undefined }))).toBeInstanceOf(AskCancelled);
  });

  it(verifies("B4", "resumes the body with the author's fallback"), async () => {
    const story = toolOf(async function* () {
      return yield* ask.text("Name?", { fallback: { cancel: "nobody" } });
    });

    expect(await run(story, {})).toBe("nobody");
  });

  it(verifies("B5", "times out when an answerer hangs, and aborts the answerer's signal"), async () => {
    const clock = testClock();
    const aborted: boolean[] = [];
    const hanging: Answerer = {
      name: "hanging",
      answer: (_, { signal }) => {
        signal.addEventListener("abort", () => aborted.push(signal.aborted));
        return new Promise(() => {});
      },
    };
    const ending = thrownBy(run(greeting, {}, { clock, answerers: [hanging] }));

    await clock.advance("5m");

    expect(await ending).toBeInstanceOf(AskTimedOut);
    expect(aborted).toEqual([true]);
  });
});

describe("onAnswered", () => {
  it(
    verifies("B5", "is called with each reply that counts and its answerer; an error of it is reported"),
    async () => {
      const asked: unknown[] = [];
      const reported: unknown[] = [];
      const running = startRun(
        greeting,
        {},
        {
          runId: "run",
          answerers: [answererOf("shy", undefined), answererOf("hook", accept("Ada"))],
          onAnswered: (early) => {
            asked.push(early);
            throw new Error("no ink");
          },
          report: (error) => void reported.push(error),
        },
      );

      expect(await endOf(running)).toBe("Hello, Ada");
      expect(asked).toEqual([
        {
          runId: "run",
          question: expect.objectContaining({ key: "name", attempt: 1 }),
          reply: accept("Ada"),
          answerer: "hook",
        },
      ]);
      expect(reported).toEqual([new Error("no ink")]);
    },
  );
});

describe("a question that is over (§2.4)", () => {
  const asking = toolOf(async function* () {
    return yield* ask.outcome(ask.all({ a: ask.text("A?"), b: ask.text("B?") }));
  });

  it("is put to no further answerer when a slow one gives it up after the timeout", async () => {
    const clock = testClock();
    const asked: string[] = [];
    const slow: Answerer = {
      name: "slow",
      priority: 1,
      answer: () =>
        new Promise((resolve) => {
          clock.after(6 * 60_000, () => resolve(undefined));
        }),
    };
    const ending = run(
      greeting,
      {},
      { clock, answerers: [slow, answererOf("next", accept("Ada"), { asked })] },
    );

    const timedOut = thrownBy(ending);
    await clock.advance("10m");

    expect(await timedOut).toBeInstanceOf(AskTimedOut);
    expect(asked).toEqual([]);
  });

  it("is not asked after the run was closed", async () => {
    const clock = testClock();
    const asked: string[] = [];
    const thoughtful: Answerer = {
      name: "thoughtful",
      answer: ({ key }) => {
        asked.push(key);
        return new Promise(() => {});
      },
    };
    const running = startRun(asking, {}, { clock, answerers: [thoughtful] });
    const ending = thrownBy(running.next());
    await clock.advance("1s");

    await running.close();
    await ending;

    expect(asked).toEqual(["a"]);
  });
});

describe("a run that is closed while an answerer thinks (§2.4)", () => {
  const thinking: Answerer = { name: "thinking", answer: () => new Promise(() => {}) };

  it(verifies("B8", "ends with the reason it was closed for, and its finally block runs"), async () => {
    const clock = testClock();
    let closed = false;
    const story = toolOf(async function* () {
      try {
        return yield* ask.text("Name?");
      } finally {
        closed = true;
      }
    });
    const running = startRun(story, {}, { clock, answerers: [thinking] });
    const ending = running.next();
    await clock.advance("1s");

    await running.close(new Error("client left"));

    await expect(ending).rejects.toThrow("client left");
    expect(closed).toBe(true);
  });

  it("is not taken for a run that returned nothing", async () => {
    const clock = testClock();
    const controller = new AbortController();
    const ending = run(greeting, {}, { clock, answerers: [thinking], signal: controller.signal });
    await clock.advance("1s");

    controller.abort(new Error("client left"));

    await expect(ending).rejects.toThrow("client left");
  });
});
