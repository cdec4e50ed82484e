import {
  ask,
  AskCancelled,
  AskDeclined,
  AskError,
  AskTimedOut,
  AskUnsupported,
  emit,
  interpret,
  InvalidAnswer,
  roots,
  sample,
  startRun,
  step,
  systemClock,
  type Yieldable,
  type Body,
  type Emit,
  type Outcome,
  type Question,
  type Reply,
} from "@photon/core";
import { later, never, script, testClock } from "@photon/core/testing";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { accept, askedBy, endOf, loadChecks, thrownBy, toolOf } from "./run-helpers.ts";

beforeAll(loadChecks);

const nonAnswers = ["decline", "cancel", "timeout", "unsupported"] as const;

/** What a body gets that yields one question and is given one reply. */
async function resumedWith<Answer>(question: Yieldable<Question, Answer>, reply: Reply): Promise<unknown> {
  const story = toolOf(async function* () {
    return yield* question;
  });
  const running = startRun(story, {});
  const [key = ""] = Object.keys(await askedBy(running));
  return endOf(running, { [key]: reply });
}

describe("one effect at a time (§2.1)", () => {
  it("performs an effect to its end before the body continues", async () => {
    const order: string[] = [];
    let finish: () => void = () => {};
    const shown = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const story = toolOf(async function* () {
      order.push("body begins");
      yield emit.status("slow to show");
      order.push("body goes on");
    });
    const running = startRun(
      story,
      {},
      {
        emit: () => {
          order.push("shown");
          return shown;
        },
      },
    );

    const ending = running.next();
    await testClock().advance("1s");
    expect(order).toEqual(["body begins", "shown"]);
    finish();
    await ending;

    expect(order).toEqual(["body begins", "shown", "body goes on"]);
  });

  it("does nothing at all before it is first asked to go on", async () => {
    let began = false;
    const rounds = interpret(
      (async function* (): Body<void> {
        began = true;
      })(),
    );

    await rounds.return(undefined);

    expect(began).toBe(false);
  });

  it("pauses at a round of questions and continues with its replies", async () => {
    async function* body(): Body<string> {
      return `Hello, ${yield* ask.text("Name?")}`;
    }
    const rounds = interpret(body());

    expect(await rounds.next()).toMatchObject({ done: false, value: { "ask-1": { message: "Name?" } } });
    expect(await rounds.next({ "ask-1": accept("Ada") })).toEqual({ done: true, value: "Hello, Ada" });
  });

  it("resumes an emit with nothing and a step with its result", async () => {
    const story = toolOf(async function* () {
      const resumed: unknown = yield emit.status("hello");
      return [resumed, yield* step("add", () => 1 + 1)];
    });

    expect(await script().run(story)).toEqual([undefined, 2]);
  });
});

describe("time (§2.1)", () => {
  it("starts no timer of its own while a question is open", async () => {
    const platform = vi.spyOn(globalThis, "setTimeout");
    async function* body(): Body<string> {
      return yield* ask.text("Name?", { timeout: "1m" });
    }

    const rounds = interpret(body());
    await rounds.next();

    expect(platform).not.toHaveBeenCalled();
    platform.mockRestore();
    await rounds.return("");
  });

  it("sends each question's wait and deadline along with the round", async () => {
    async function* body(): Body<unknown> {
      return yield* ask.all({
        soon: ask.text("Soon?", { timeout: "30s" }),
        usual: ask.text("Usual?"),
        ever: ask.text("Ever?", { timeout: "none" }),
      });
    }
    const rounds = interpret(body(), {
      clock: { ...systemClock, now: () => 1_000_000 },
      askTimeout: 300_000,
    });

    const { value: round } = await rounds.next();

    expect(round).toMatchObject({
      soon: { wait: 30_000, deadline: 1_030_000 },
      usual: { wait: 300_000, deadline: 1_300_000 },
    });
    expect(round).not.toHaveProperty("ever.wait");
    expect(round).not.toHaveProperty("ever.deadline");
    await rounds.return(undefined);
  });

  it("waits for an answer however late it comes, and leaves the timeout to its host", async () => {
    let now = 0;
    async function* body(): Body<string> {
      return yield* ask.text("Name?", { timeout: "1s" });
    }
    const rounds = interpret(body(), { clock: { ...systemClock, now: () => now } });
    await rounds.next();

    now = 86_400_000;

    expect(await rounds.next({ "ask-1": accept("Ada") })).toEqual({ done: true, value: "Ada" });
  });
});

describe("a non-answer is never an answer (§2.2)", () => {
  const errors = [
    ["decline", AskDeclined, "ASK_DECLINED", 'The person declined to answer "Name?" (who).'],
    ["cancel", AskCancelled, "ASK_CANCELLED", 'The question "Name?" (who) was cancelled.'],
    ["timeout", AskTimedOut, "ASK_TIMED_OUT", 'No answer to "Name?" (who) arrived in time.'],
    [
      "unsupported",
      AskUnsupported,
      "ASK_UNSUPPORTED",
      '"Name?" (who) cannot be asked here: the client has no way to show it.',
    ],
  ] as const;

  it.each(errors)(
    verifies("B1", "%s is thrown with its class, its code, the ask's id and a sentence"),
    async (action, Kind, code, message) => {
      const error = await thrownBy(resumedWith(ask.text("Name?", { id: "who" }), { action }));

      expect(error).toBeInstanceOf(Kind);
      expect(error).toBeInstanceOf(AskError);
      expect(error).toMatchObject({ name: Kind.name, code, id: "who", message });
    },
  );

  it(verifies("B1", "an unfit answer is thrown as InvalidAnswer, which says what was wrong"), async () => {
    const error = await thrownBy(resumedWith(ask.number("Nights?", { id: "nights", max: 30 }), accept(31)));

    expect(error).toBeInstanceOf(InvalidAnswer);
    expect(error).toMatchObject({
      code: "INVALID_ANSWER",
      id: "nights",
      problem: "must be at most 30",
      message: 'The answer to "Nights?" (nights) must be at most 30.',
    });
  });

  it.each([[Number.NaN], [Number.POSITIVE_INFINITY], [Number.NEGATIVE_INFINITY]])(
    verifies("B1", "takes %d for no number"),
    async (value) => {
      expect(await thrownBy(resumedWith(ask.number("Nights?"), accept(value)))).toBeInstanceOf(InvalidAnswer);
    },
  );

  it("says why something is unsupported where the host knows", async () => {
    const error = await thrownBy(
      resumedWith(ask.text("Name?"), { action: "unsupported", reason: "this client shows no forms" }),
    );

    expect(error).toMatchObject({
      message: '"Name?" (ask-1) cannot be asked here: this client shows no forms.',
    });
  });

  it("is thrown at its own yield, where the body can catch it and go on", async () => {
    const story = toolOf(async function* () {
      try {
        return yield* ask.text("Name?");
      } catch (error) {
        if (!(error instanceof AskDeclined)) throw error;
        return `nobody, so ${yield* ask.text("Then who?")}`;
      }
    });
    const running = startRun(story, {});
    await askedBy(running);

    const round = await askedBy(running, { "ask-1": { action: "decline" } });

    expect(Object.keys(round)).toEqual(["ask-2"]);
    expect(await endOf(running, { "ask-2": accept("Ada") })).toBe("nobody, so Ada");
  });

  it.each([...nonAnswers])(verifies("B1", "gives a sample that ended with %s no value"), async (action) => {
    const error = await thrownBy(resumedWith(sample("Write a haiku"), { action }));

    expect(error).toBeInstanceOf(AskError);
    expect(error).toMatchObject({ id: "sample-1" });
  });

  it.each([...nonAnswers])(verifies("B1", "gives roots that ended with %s no value"), async (action) => {
    expect(await thrownBy(resumedWith(roots({ id: "folders" }), { action }))).toMatchObject({
      id: "folders",
    });
  });

  it("throws the first non-answer of a round of several", async () => {
    const story = toolOf(async function* () {
      return yield* ask.all({ a: ask.text("A?"), b: ask.text("B?"), c: ask.text("C?") });
    });
    const running = startRun(story, {});
    await askedBy(running);

    const error = await thrownBy(
      running.next({ c: { action: "cancel" }, b: { action: "decline" }, a: accept("a") }),
    );

    expect(error).toMatchObject({ id: "b", code: "ASK_DECLINED" });
  });
});

describe("the softening of confirm (§2.2)", () => {
  const sure = ask.confirm("Sure?");

  it(verifies("B1", "gives true on an accepted true"), async () => {
    expect(await resumedWith(sure, accept(true))).toBe(true);
  });

  it(verifies("B1", "gives false on an accepted false and on decline"), async () => {
    expect(await resumedWith(sure, accept(false))).toBe(false);
    expect(await resumedWith(sure, { action: "decline" })).toBe(false);
  });

  it.each([
    ["cancel", "ASK_CANCELLED"],
    ["timeout", "ASK_TIMED_OUT"],
    ["unsupported", "ASK_UNSUPPORTED"],
  ] as const)(verifies("B1", "throws on %s"), async (action, code) => {
    expect(await thrownBy(resumedWith(sure, { action }))).toMatchObject({ code });
  });

  it.each([[undefined], ["true"], ["yes"], [1], [{}], [[true]], [null]])(
    verifies("B1", "takes an accepted %j for neither yes nor no"),
    async (value) => {
      expect(await thrownBy(resumedWith(sure, accept(value)))).toBeInstanceOf(InvalidAnswer);
    },
  );

  it("takes no default for an answer", async () => {
    const leaning = ask.confirm("Sure?", { default: true });

    expect(await thrownBy(resumedWith(leaning, accept()))).toBeInstanceOf(InvalidAnswer);
    expect(await resumedWith(leaning, { action: "decline" })).toBe(false);
  });

  it("is the same for a dangerous one, for one in ask.all, and for one yielded raw", async () => {
    const story = toolOf(async function* () {
      const both = yield* ask.all({
        plain: ask.confirm("Plain?"),
        grave: ask.confirm("Grave?", { dangerous: true }),
      });
      const raw: unknown = yield { ask: "confirm", message: "Raw?" };
      return { ...both, raw };
    });
    const running = startRun(story, {});
    await askedBy(running);
    await askedBy(running, { plain: { action: "decline" }, grave: { action: "decline" } });

    expect(await endOf(running, { "ask-3": { action: "decline" } })).toEqual({
      plain: false,
      grave: false,
      raw: false,
    });
  });
});

describe("ask.outcome (§2.2)", () => {
  async function outcomeOf<Answer>(
    question: Yieldable<Question, Answer>,
    reply: Reply,
  ): Promise<Outcome<Answer>> {
    const story = toolOf(async function* () {
      return yield* ask.outcome(question);
    });
    const running = startRun(story, {});
    const [key = ""] = Object.keys(await askedBy(running));
    return endOf(running, { [key]: reply });
  }

  it(verifies("A6", "returns an answer with its action"), async () => {
    expect(await outcomeOf(ask.text("Name?"), accept("Ada"))).toEqual({ action: "accept", value: "Ada" });
  });

  it.each([...nonAnswers])(
    verifies("A6", "returns %s instead of throwing, without a value"),
    async (action) => {
      const outcome = await outcomeOf(ask.text("Name?"), { action });

      expect(outcome).toStrictEqual({ action });
    },
  );

  it(verifies("A6", "returns an unfit answer as invalid, without a value"), async () => {
    expect(await outcomeOf(ask.number("Nights?", { max: 3 }), accept(4))).toStrictEqual({
      action: "invalid",
    });
  });

  it.each([...nonAnswers])(
    verifies("B4", "returns %s with the fallback the author gave for it"),
    async (action) => {
      const fallback = { decline: "d", cancel: "c", timeout: "t", unsupported: "u" };

      expect(await outcomeOf(ask.text("Name?", { fallback }), { action })).toEqual({
        action,
        value: fallback[action],
      });
    },
  );

  it("does not soften a declined confirm: the action says it", async () => {
    expect(await outcomeOf(ask.confirm("Sure?"), { action: "decline" })).toStrictEqual({ action: "decline" });
  });

  it("distinguishes an accepted no from a declined question", async () => {
    expect(await outcomeOf(ask.confirm("Sure?"), accept(false))).toEqual({ action: "accept", value: false });
  });

  it(verifies("A6", "of ask.all returns the answers together where all are accepted"), async () => {
    const story = toolOf(async function* () {
      return yield* ask.outcome(ask.all({ a: ask.text("A?"), b: ask.number("B?") }));
    });
    const running = startRun(story, {});
    await askedBy(running);

    expect(await endOf(running, { a: accept("x"), b: accept(1) })).toEqual({
      action: "accept",
      value: { a: "x", b: 1 },
    });
  });

  it.each([...nonAnswers])(
    verifies("A6", "of ask.all returns the %s of the question that ended it"),
    async (action) => {
      const story = toolOf(async function* () {
        return yield* ask.outcome(ask.all({ a: ask.text("A?"), b: ask.text("B?") }));
      });
      const running = startRun(story, {});
      await askedBy(running);

      expect(await endOf(running, { a: accept("x"), b: { action } })).toStrictEqual({ action });
    },
  );

  it("of ask.all uses the fallbacks of its questions", async () => {
    const story = toolOf(async function* () {
      return yield* ask.outcome(
        ask.all({ a: ask.text("A?", { fallback: { timeout: "late" } }), b: ask.text("B?") }),
      );
    });
    const running = startRun(story, {});
    await askedBy(running);

    expect(await endOf(running, { a: { action: "timeout" }, b: accept("y") })).toMatchObject({
      value: { a: "late", b: "y" },
    });
  });

  it(verifies("A6", "inside ask.all keeps its question's end from ending the round"), async () => {
    const story = toolOf(async function* () {
      return yield* ask.all({
        must: ask.text("Must?"),
        may: ask.outcome(ask.text("May?")),
        sure: ask.outcome(ask.confirm("Sure?")),
        fits: ask.outcome(ask.number("Fits?", { max: 1 })),
      });
    });
    const running = startRun(story, {});
    await askedBy(running);

    const round = await askedBy(running, {
      may: { action: "cancel" },
      sure: { action: "decline" },
      fits: accept(2),
    });

    expect(Object.keys(round)).toEqual(["must"]);
    expect(await endOf(running, { must: accept("x") })).toEqual({
      must: "x",
      may: { action: "cancel" },
      sure: { action: "decline" },
      fits: { action: "invalid" },
    });
  });
});

describe("fallbacks (§2.2)", () => {
  it.each([...nonAnswers])(verifies("B4", "uses the fallback for %s only"), async (action) => {
    const question = ask.text("Name?", { fallback: { [action]: "nobody" } });

    expect(await resumedWith(question, { action })).toBe("nobody");
    for (const other of nonAnswers.filter((one) => one !== action))
      expect(await thrownBy(resumedWith(question, { action: other }))).toBeInstanceOf(AskError);
  });

  it(verifies("B4", "has no fallback for an answer that does not fit"), async () => {
    const fallback = { decline: 1, cancel: 1, timeout: 1, unsupported: 1 };

    expect(await thrownBy(resumedWith(ask.number("N?", { max: 5, fallback }), accept(6)))).toBeInstanceOf(
      InvalidAnswer,
    );
  });

  it("uses a fallback that the author set to undefined", async () => {
    const question = ask.url("Sign in", "https://example.com", { fallback: { timeout: undefined } });

    expect(await resumedWith(question, { action: "timeout" })).toBeUndefined();
  });

  it("uses the fallback of one question and waits for the rest of the round", async () => {
    const story = toolOf(async function* () {
      return yield* ask.all({ a: ask.text("A?", { fallback: { decline: "none" } }), b: ask.text("B?") });
    });
    const running = startRun(story, {});
    await askedBy(running);

    expect(Object.keys(await askedBy(running, { a: { action: "decline" } }))).toEqual(["b"]);
    expect(await endOf(running, { b: accept("y") })).toEqual({ a: "none", b: "y" });
  });

  it("takes the client's model and folders to have fallbacks as well", async () => {
    const answer = {
      role: "assistant" as const,
      model: "none",
      content: { type: "text" as const, text: "…" },
    };

    expect(
      await resumedWith(sample("Hi", { fallback: { unsupported: answer } }), { action: "unsupported" }),
    ).toEqual(answer);
    expect(await resumedWith(roots({ fallback: { unsupported: [] } }), { action: "unsupported" })).toEqual(
      [],
    );
  });
});

describe("keys (§2.8)", () => {
  it(verifies("B7", "counts an unnamed ask among all asks of the run, named ones included"), async () => {
    const story = toolOf(async function* () {
      yield* ask.text("First?");
      yield* ask.text("Second?", { id: "second" });
      yield* ask.text("Third?");
      yield* ask.all({ fourth: ask.text("Fourth?"), fifth: ask.text("Fifth?") });
      yield* ask.text("Sixth?");
    });
    const host = script(() => "yes");
    await host.run(story);

    expect(host.transcript.flatMap((one) => ("asked" in one ? [one.asked] : []))).toEqual([
      "ask-1",
      "second",
      "ask-3",
      "fourth",
      "fifth",
      "ask-6",
    ]);
  });

  it(verifies("B7", "numbers an id from its second asking on"), async () => {
    const story = toolOf(async function* () {
      for (let round = 0; round < 3; round++) yield* ask.text("More?", { id: "more" });
      yield* ask.all({ more: ask.text("And more?"), other: ask.text("Other?") });
      yield* ask.text("Last?", { id: "other" });
    });
    const host = script(() => "yes");
    await host.run(story);

    expect(host.transcript.flatMap((one) => ("asked" in one ? [one.asked] : []))).toEqual([
      "more",
      "more#2",
      "more#3",
      "more#4",
      "other",
      "other#2",
    ]);
  });

  it("takes the record's key in ask.all, not the id of the question in it", async () => {
    const story = toolOf(async function* () {
      return yield* ask.all({ here: ask.text("Name?", { id: "there" }) });
    });

    expect(Object.keys(await askedBy(startRun(story, {})))).toEqual(["here"]);
  });

  it("answers ask.all under the record's keys also when they were asked before", async () => {
    const story = toolOf(async function* () {
      yield* ask.text("Name?", { id: "name" });
      return yield* ask.all({ name: ask.text("Name again?") });
    });
    const running = startRun(story, {});
    await askedBy(running);

    expect(Object.keys(await askedBy(running, { name: accept("x") }))).toEqual(["name#2"]);
    expect(await endOf(running, { "name#2": accept("y") })).toEqual({ name: "y" });
  });

  it("never gives two questions of a run one key, whatever their ids", async () => {
    const story = toolOf(async function* () {
      yield* ask.text("First?", { id: "ask-2" });
      yield* ask.text("Second?");
      yield* ask.text("Third?");
    });
    const host = script(() => "yes");
    await host.run(story);

    const keys = host.transcript.flatMap((one) => ("asked" in one ? [one.asked] : []));
    expect(new Set(keys).size).toBe(3);
  });

  it("counts samples and roots by themselves", async () => {
    const story = toolOf(async function* () {
      yield* ask.outcome(sample("One"));
      yield* ask.outcome(ask.text("Name?"));
      yield* ask.outcome(roots());
      yield* ask.outcome(sample("Two"));
      yield* ask.outcome(sample("Three", { id: "three" }));
    });
    const running = startRun(story, {});
    const keys: string[] = [];
    for (let turn = await running.next(); !turn.done;) {
      const [key = ""] = Object.keys(turn.round);
      keys.push(key);
      turn = await running.next({ [key]: { action: "cancel" } });
    }

    expect(keys).toEqual(["sample-1", "ask-1", "roots-1", "sample-2", "three"]);
  });

  it(
    verifies(["B3", "B7"], "keeps the key of a question that is asked again, and counts its attempts"),
    async () => {
      const story = toolOf(async function* () {
        const nights = yield* ask.number("Nights?", { max: 30, retries: 2 });
        return [nights, yield* ask.text("Name?")];
      });
      const running = startRun(story, {});

      expect(await askedBy(running)).toMatchObject({ "ask-1": { key: "ask-1", attempt: 1 } });
      expect(await askedBy(running, { "ask-1": accept(31) })).toMatchObject({
        "ask-1": { key: "ask-1", attempt: 2, hint: "must be at most 30", default: 31 },
      });
      expect(await askedBy(running, { "ask-1": accept(99) })).toMatchObject({
        "ask-1": { key: "ask-1", attempt: 3, hint: "must be at most 30", default: 99 },
      });
      expect(Object.keys(await askedBy(running, { "ask-1": accept(3) }))).toEqual(["ask-2"]);
      expect(await endOf(running, { "ask-2": accept("Ada") })).toEqual([3, "Ada"]);
    },
  );

  it(verifies("B3", "throws InvalidAnswer when the last retry did not fit either"), async () => {
    const story = toolOf(async function* () {
      return yield* ask.number("Nights?", { max: 30, retries: 1 });
    });
    const running = startRun(story, {});
    await askedBy(running);
    await askedBy(running, { "ask-1": accept(31) });

    expect(await thrownBy(running.next({ "ask-1": accept(32) }))).toBeInstanceOf(InvalidAnswer);
  });

  it("asks only the unfit question of a round again, with its own new deadline", async () => {
    let now = 0;
    async function* body(): Body<unknown> {
      return yield* ask.all({
        a: ask.number("A?", { max: 1, retries: 1, timeout: "10s" }),
        b: ask.text("B?", { timeout: "10s" }),
      });
    }
    const rounds = interpret(body(), { clock: { ...systemClock, now: () => now } });
    await rounds.next();

    now = 4000;
    const again = await rounds.next({ a: accept(2) });

    expect(again.value).toMatchObject({
      a: { attempt: 2, deadline: 14_000 },
      b: { attempt: 1, deadline: 10_000 },
    });
    await rounds.return(undefined);
  });
});

describe("emits (§2.6)", () => {
  it("go out in the order they were yielded, and before the result", async () => {
    const shown: Emit[] = [];
    const story = toolOf(async function* () {
      yield emit.status("one");
      yield emit.progress(0.5);
      yield emit.log("info", { two: 2 });
      yield emit.text("three");
      return shown.length;
    });
    const running = startRun(
      story,
      {},
      {
        async emit(effect) {
          await Promise.resolve();
          shown.push(effect);
        },
      },
    );

    expect(await endOf(running)).toBe(4);
    expect(shown.map((effect) => effect.emit)).toEqual(["status", "progress", "log", "artifact"]);
  });

  it("go out before the question that follows them is asked", async () => {
    const shown: string[] = [];
    const story = toolOf(async function* () {
      yield emit.status("before");
      yield* ask.text("Name?");
    });
    const running = startRun(story, {}, { emit: (effect) => void shown.push(effect.emit) });

    await askedBy(running);

    expect(shown).toEqual(["status"]);
    await running.close();
  });

  it("are delivered before the result even where the tool then throws", async () => {
    const shown: string[] = [];
    const story = toolOf(async function* () {
      yield emit.status("about to fail");
      throw new Error("failed");
    });

    await thrownBy(
      startRun(
        story,
        {},
        {
          async emit(effect) {
            await Promise.resolve();
            shown.push(effect.emit);
          },
        },
      ).next(),
    );

    expect(shown).toEqual(["status"]);
  });
});

describe("a round and its replies (§2.3)", () => {
  it("asks again for what is missing, and keeps what was given", async () => {
    const story = toolOf(async function* () {
      return yield* ask.all({ a: ask.text("A?"), b: ask.text("B?"), c: ask.text("C?") });
    });
    const running = startRun(story, {});

    expect(Object.keys(await askedBy(running))).toEqual(["a", "b", "c"]);
    expect(Object.keys(await askedBy(running, { b: accept("2") }))).toEqual(["a", "c"]);
    expect(Object.keys(await askedBy(running, {}))).toEqual(["a", "c"]);
    expect(Object.keys(await askedBy(running))).toEqual(["a", "c"]);
    expect(await endOf(running, { c: accept("3"), a: accept("1") })).toEqual({ a: "1", b: "2", c: "3" });
  });

  it("keeps the first answer to a question when another comes", async () => {
    const story = toolOf(async function* () {
      return yield* ask.all({ a: ask.text("A?"), b: ask.text("B?") });
    });
    const running = startRun(story, {});
    await askedBy(running);
    await askedBy(running, { a: accept("first") });

    expect(await endOf(running, { a: accept("second"), b: accept("b") })).toEqual({ a: "first", b: "b" });
  });

  it("ignores replies to questions that are not open", async () => {
    const story = toolOf(async function* () {
      return [yield* ask.text("A?"), yield* ask.text("B?")];
    });
    const running = startRun(story, {});
    await askedBy(running);
    await askedBy(running, { "ask-1": accept("a"), "ask-2": accept("too early"), other: accept("nobody's") });

    expect(await endOf(running, { "ask-1": accept("again"), "ask-2": accept("b") })).toEqual(["a", "b"]);
  });

  it("does not take what every object inherits for a reply", async () => {
    const story = toolOf(async function* () {
      return yield* ask.text("Who made it?", { id: "constructor" });
    });
    const running = startRun(story, {});
    await askedBy(running);

    expect(Object.keys(await askedBy(running, {}))).toEqual(["constructor"]);
    expect(await endOf(running, Object.fromEntries([["constructor", accept("Ada")]]))).toBe("Ada");
  });

  it(verifies("A10", "carries a sample and roots in one round with asks"), async () => {
    const story = toolOf(async function* () {
      const { name, haiku, folders } = yield* ask.all({
        name: ask.text("Name?"),
        haiku: sample("Write a haiku", { maxTokens: 50 }),
        folders: roots(),
      });
      return [name, haiku.model, folders.map(({ uri }) => uri)];
    });
    const running = startRun(story, {});

    expect(await askedBy(running)).toMatchObject({
      name: { emit: "ask", ask: "text" },
      haiku: { emit: "sample", maxTokens: 50 },
      folders: { emit: "roots" },
    });
    expect(
      await endOf(running, {
        haiku: accept({ role: "assistant", model: "m", content: { type: "text", text: "old pond" } }),
        folders: accept([{ uri: "file:///here", name: "here" }]),
        name: accept("Ada"),
      }),
    ).toEqual(["Ada", "m", ["file:///here"]]);
  });

  it("refuses a malformed answer of a model", async () => {
    expect(await thrownBy(resumedWith(sample("Hi"), accept({ text: "hello" })))).toBeInstanceOf(
      InvalidAnswer,
    );
    expect(await thrownBy(resumedWith(roots(), accept([{ name: "no uri" }])))).toBeInstanceOf(InvalidAnswer);
  });
});

describe("the end of a run (§2.4)", () => {
  it(
    verifies("B8", "runs the body's finally block when the run is aborted while a question is open"),
    async () => {
      const host = script({ "Sure?": never() });
      let closed = false;
      const story = toolOf(async function* () {
        try {
          yield* ask.confirm("Sure?");
        } finally {
          closed = true;
        }
      });

      const running = host.run(story);
      await host.asked;
      host.abort(new Error("client left"));

      await expect(running).rejects.toThrow("client left");
      expect(closed).toBe(true);
    },
  );

  it(verifies("B8", "awaits what the finally block awaits before the run is over"), async () => {
    const order: string[] = [];
    const host = script({ "Sure?": never() });
    const story = toolOf(async function* () {
      try {
        yield* ask.confirm("Sure?");
      } finally {
        await new Promise<void>((resolve) => {
          host.clock.after(1000, resolve);
        });
        order.push("cleaned up");
      }
    });

    const running = host.run(story).catch(() => order.push("over"));
    await host.asked;
    host.abort();
    await host.advance("2s");
    await running;

    expect(order).toEqual(["cleaned up", "over"]);
  });

  it("throws nothing into a body that is closed: its catch blocks stay out of it", async () => {
    const caught: unknown[] = [];
    const story = toolOf(async function* () {
      try {
        yield* ask.text("Name?");
      } catch (error) {
        caught.push(error);
      }
    });
    const running = startRun(story, {});
    await askedBy(running);

    await running.close();

    expect(caught).toEqual([]);
  });

  it("performs what a finally block emits", async () => {
    const shown: Emit[] = [];
    const story = toolOf(async function* () {
      try {
        yield* ask.text("Name?");
      } finally {
        yield emit.status("cleaning up");
      }
    });
    const running = startRun(story, {}, { emit: (effect) => void shown.push(effect) });
    await askedBy(running);

    await running.close();

    expect(shown).toEqual([{ emit: "status", message: "cleaning up" }]);
  });

  it(verifies("B2", "drops an answer that comes after the timeout"), async () => {
    const host = script({ "Name?": later("10m", "Ada"), "Then?": later("10m", "Grace") });
    const story = toolOf(async function* () {
      try {
        return yield* ask.text("Name?");
      } catch {
        return yield* ask.text("Then?", { timeout: "1h" });
      }
    });

    const running = host.run(story);
    await host.advance("1h");

    expect(await running).toBe("Grace");
  });
});
