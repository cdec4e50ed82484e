import {
  ask,
  emit,
  interpret,
  memoryJournal,
  resultOf,
  run,
  startRun,
  step,
  StepFailed,
  tool,
  SecretRedactor,
  type Body,
  type Journal,
} from "@photon/core";
import { restartEverywhere } from "@photon/core/testing";
import { inspect } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { prefill } from "../src/check-answer.ts";
import { findProblem } from "../src/schema/validator.ts";
import { verifies } from "../../../test/requirements.ts";
import { accept, thrownBy } from "./run-helpers.ts";

describe("a SecretRedactor that outlives its run", () => {
  it(verifies("B6", "gives each secret back to its own question, whatever their ids look like"), async () => {
    const journal = memoryJournal();
    const secrets = new SecretRedactor();
    const lengths = tool({
      async *run() {
        const first = yield* ask.secret("First?", { id: "pw" });
        const second = yield* ask.secret("Second?", { id: "pw@1" });
        return [first.reveal().length, second.reveal().length];
      },
    });
    const live = startRun(lengths, {}, { journal, secrets });
    await live.next();
    await live.next({ pw: accept("four") });
    await live.next({ "pw@1": accept("seven!!") });

    const replayed = await startRun(lengths, {}, { journal: memoryJournal(journal.entries), secrets }).next();

    expect(replayed).toMatchObject({ value: [4, 7] });
  });
});

describe("a step in a finally block", () => {
  it(verifies("E1", "is done once, also if the closed run is replayed"), async () => {
    const journal = memoryJournal();
    let cleanups = 0;
    const cleaning = tool({
      async *run() {
        try {
          yield* ask.text("Name?");
        } finally {
          yield* step("cleanup", () => void (cleanups += 1));
        }
      },
    });
    const live = startRun(cleaning, {}, { journal });
    await live.next();
    await live.close();

    await thrownBy(startRun(cleaning, {}, { journal: memoryJournal(journal.entries) }).next());

    expect(cleanups).toBe(1);
  });
});

describe("a reply from a program", () => {
  it("that contains itself many times over is read in no time", async () => {
    async function* body(): Body<unknown> {
      return yield* ask.outcome(ask.text("Name?"));
    }
    const loop: Record<string, unknown> = {};
    for (const name of ["a", "b", "c"]) loop[name] = loop;
    const rounds = interpret(body(), { journal: memoryJournal() });
    await rounds.next();

    expect(await rounds.next({ "ask-1": accept(loop) })).toMatchObject({ value: { action: "invalid" } });
  });

  it("reaches the body as JSON, with a journal and without", async () => {
    async function* body(): Body<number> {
      return yield* ask.number("How far?");
    }
    for (const journal of [memoryJournal(), undefined]) {
      const rounds = interpret(body(), { journal });
      await rounds.next();
      const { value } = await rounds.next({ "ask-1": accept(-0) });
      expect(Object.is(value, 0)).toBe(true);
    }
  });
});

describe("a journal that never answers", () => {
  it(verifies("B8", "does not prevent closing the run, from its first entry on"), async () => {
    const stuck: Journal = { entries: [], append: () => new Promise(() => {}) };
    const controller = new AbortController();
    const running = run(
      tool({
        async *run() {
          return 1;
        },
      }),
      {},
      { journal: stuck, signal: controller.signal },
    );

    controller.abort(new Error("gone"));

    await expect(running).rejects.toThrow("gone");
  });
});

describe("what a tool returns", () => {
  const ended = (value: unknown) => ({ done: true as const, value, artifacts: [], streamed: "" });

  it(verifies("A8", "is JSON where it has more in it than an envelope has"), async () => {
    const page = { content: [], page: 1, author: "Ada" };

    expect(await resultOf({ name: "read" }, ended(page))).toMatchObject({ structured: page });
  });

  it(verifies("A8", "is JSON where its output schema promises an object with content"), async () => {
    const reading = tool({
      output: { type: "object", properties: { content: { type: "array" } }, required: ["content"] },
      async *run() {
        return { content: [] };
      },
    });

    expect(await resultOf(reading, ended({ content: [] }))).toMatchObject({ structured: { content: [] } });
  });
});

describe("what a step throws", () => {
  it("is the author's own, whatever its name", async () => {
    async function* body(): Body<void> {
      yield* step("pay", () => {
        throw Object.assign(new Error("mine"), { name: "SecretInStep" });
      });
    }

    const error = await thrownBy(interpret(body()).next());

    expect(error).toBeInstanceOf(StepFailed);
    expect(error).toMatchObject({ name: "SecretInStep", message: "mine" });
  });
});

describe("a validator that was let go", () => {
  it("is compiled again once, and kept like any other", async () => {
    const first = { type: "string", maxLength: 7 };
    await findProblem(first, "x");
    for (let count = 0; count < 1100; count++)
      await findProblem({ type: "string", minLength: 10_000 + count }, "x");

    expect(await findProblem(first, "12345678")).toBe("must have at most 7 characters");
    expect(await findProblem({ maxLength: 7, type: "string" }, "12345678")).toBe(
      "must have at most 7 characters",
    );
  });
});

describe("a question asked again", () => {
  it("suggests only what can be chosen", () => {
    const question = ask.form("Which?", {
      type: "object",
      properties: { pick: { type: "array", items: { anyOf: [{ const: "a", title: "A" }] } } },
    });

    expect(prefill(question, { pick: ["zzz"] })).toMatchObject({
      schema: { properties: { pick: expect.not.objectContaining({ default: expect.anything() }) } },
    });
  });
});

describe("a question with a default that contains itself", () => {
  it("is refused in words", () => {
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;

    expect(() => ask.form("Which?", { a: ask.text("A?") }, { default: loop })).toThrow('"Which?"');
  });
});

describe("what a body does to what it was given", () => {
  it(
    verifies("E5", "does not change its journal: a step's result and an answer are its own to change"),
    async () => {
      const cart = tool({
        async *run() {
          const { items } = yield* step("load", () => ({ items: ["a"] }));
          items.push(...(yield* ask.multiselect("Add?", ["b", "c"])));
          yield* ask.confirm("Sure?");
          return items;
        },
      });

      expect(await restartEverywhere(cart, { answers: [["b"], true] })).toMatchObject({
        outcome: { returned: ["a", "b"] },
      });
    },
  );

  it("does not change a fallback or a default, which are its own to change too", async () => {
    const picking = tool({
      input: {
        type: "object",
        properties: { tags: { type: "array", items: { type: "string" }, default: ["x"] } },
      },
      async *run({ tags }) {
        const picked = yield* ask.multiselect("Which?", ["a", "b"], { fallback: { decline: ["a"] } });
        picked.push("b");
        tags.push("y");
        return { picked, tags };
      },
    });
    const host = { ask: () => ({ action: "decline" as const }) };

    for (let count = 0; count < 2; count++) {
      expect(await run(picking, {}, host)).toEqual({ picked: ["a", "b"], tags: ["x", "y"] });
    }
  });
});

describe("an answer that no JSON can hold", () => {
  const form = ask.form("F?", { a: ask.optional(ask.number("A?", { default: 5 })) });

  it.each([
    ["bytes for a text", ask.text("T?"), new Uint8Array([1, 2, 3])],
    ["NaN in a form", form, { a: Number.NaN }],
    ["a function in a form", form, { a: () => 1 }],
  ])(verifies("B1", "is invalid, with a journal and without: %s"), async (_, question, value) => {
    async function* body(): Body<unknown> {
      return yield* ask.outcome(question as typeof form);
    }
    for (const journal of [memoryJournal(), undefined]) {
      const rounds = interpret(body(), { journal });
      await rounds.next();
      expect(await rounds.next({ "ask-1": accept(value) })).toMatchObject({ value: { action: "invalid" } });
    }
  });
});

describe("a field of a form", () => {
  it.each(["dangerous", "timeout", "retries", "fallback", "id"])(
    verifies("B5", "refuses %s, which a form cannot keep for it"),
    (option) => {
      const values: Record<string, unknown> = {
        dangerous: true,
        timeout: "1m",
        retries: 1,
        fallback: {},
        id: "d",
      };
      const field = ask.confirm("Delete?", { [option]: values[option] });

      expect(() => ask.form("F?", { d: field })).toThrow(`its field "d" has the option ${option}`);
    },
  );
});

describe("a moment", () => {
  const before = { time: true, max: "2026-06-01T00:00:00Z" } as const;

  it.each(["2099-12-31T23:59:60Z", "2099-12-31T23:00:00+01"])(
    verifies("A3", "that cannot be compared does not get past its bound: %s"),
    async (moment) => {
      async function* body(): Body<string> {
        return yield* ask.date("When?", before);
      }
      const rounds = interpret(body());
      await rounds.next();

      expect(await thrownBy(rounds.next({ "ask-1": accept(moment) }))).toMatchObject({
        code: "INVALID_ANSWER",
      });
    },
  );

  it.each(["2026-06-01T00:00:00+01", "2026-05-31T23:59:60Z"])(
    "is no bound where it cannot be compared: %s",
    (max) => {
      expect(() => ask.date("When?", { time: true, max })).toThrow('"When?"');
    },
  );
});

describe("a secret", () => {
  const PASSWORD = "hunter2-PW";
  const asking = tool({
    async *run() {
      return yield* ask.secret("Password?");
    },
  });

  it(verifies("B6", "reaches neither journal nor error with a reply other than accept"), async () => {
    const journal = memoryJournal();
    const running = startRun(asking, {}, { journal });
    await running.next();

    const error = await thrownBy(running.next({ "ask-1": { action: "decline", value: PASSWORD } as never }));

    expect(JSON.stringify(journal.entries)).not.toContain(PASSWORD);
    expect(String(error)).not.toContain(PASSWORD);
  });

  it(verifies("B6", "is taken out of an error however deep it carries it"), async () => {
    class Headers {
      readonly authorization: string;
      constructor(value: string) {
        this.authorization = value;
      }
    }
    const failing = tool({
      async *run() {
        const secret = (yield* ask.secret("Password?")).reveal();
        const error = Object.assign(new Error("401"), {
          config: { headers: new Headers(`Bearer ${secret}`) },
          seen: new Map([["last", secret]]),
          failures: [{ error: new Error(secret) }],
        });
        throw error;
      },
    });
    const running = startRun(failing, {});
    await running.next();

    const error = await thrownBy(running.next({ "ask-1": accept(PASSWORD) }));

    expect(inspect(error, { depth: 9 })).not.toContain(PASSWORD);
  });

  it(verifies("B6", "is taken out of the name and the code of what a step threw"), async () => {
    const journal = memoryJournal();
    const failing = tool({
      async *run() {
        const secret = (yield* ask.secret("Password?")).reveal();
        yield* step("sign in", () => {
          throw Object.assign(new Error("no"), { name: secret, code: secret });
        });
      },
    });
    const running = startRun(failing, {}, { journal });
    await running.next();
    await thrownBy(running.next({ "ask-1": accept(PASSWORD) }));

    expect(JSON.stringify(journal.entries)).not.toContain(PASSWORD);
  });
});

describe("a schema that refers to itself", () => {
  it(verifies("A7", "is understood"), async () => {
    const tree = { type: "object", properties: { children: { type: "array", items: { $ref: "#" } } } };

    expect(await findProblem(tree, { children: [{ children: [] }] })).toBeUndefined();
    expect(await findProblem(tree, { children: [{ children: [5] }] })).toContain("must be an object");
  });
});

describe("a question that is asked for ever", () => {
  it(verifies("B8", "can be stopped"), async () => {
    const controller = new AbortController();
    const nagging = tool({
      async *run() {
        yield* ask.number("How many?", { retries: 1e9 });
      },
    });
    setTimeout(() => controller.abort(new Error("enough")), 0);

    await expect(
      run(nagging, {}, { signal: controller.signal, ask: () => ({ action: "accept", value: "many" }) }),
    ).rejects.toThrow("enough");
  });
});

describe("ask.all", () => {
  it("takes a limited number of questions", () => {
    const many = Object.fromEntries(
      Array.from({ length: 1001 }, (_, index) => [`q${index}`, ask.text("Q?")]),
    );

    expect(() => ask.all(many)).toThrow("at most 1000");
  });
});

describe("a fallback of nothing", () => {
  it(verifies("B4", "is not a fallback, except for a url"), async () => {
    const decline = { "ask-1": { action: "decline" as const } };
    async function* text(): Body<unknown> {
      return yield* ask.text("T?", { fallback: { decline: undefined as never } });
    }
    async function* url(): Body<unknown> {
      return yield* ask.url("U?", "https://example.com/", { fallback: { decline: undefined } });
    }
    const [asking, opening] = [interpret(text()), interpret(url())];
    await asking.next();
    await opening.next();

    expect(await thrownBy(asking.next(decline))).toMatchObject({ code: "ASK_DECLINED" });
    expect(await opening.next(decline)).toEqual({ done: true, value: undefined });
  });
});

describe("a body that is a plain generator", () => {
  it("is run like any other", async () => {
    const plain = tool({
      run: function* () {
        return (yield ask.text("Name?")) as string;
      } as never,
    });

    expect(await run(plain, {}, { ask: () => ({ action: "accept", value: "Ada" }) })).toBe("Ada");
  });

  it("is closed like any other: its finally blocks run", async () => {
    const events: string[] = [];
    const plain = tool({
      run: function* () {
        try {
          yield ask.text("Name?");
        } finally {
          events.push("cleaned up");
          yield emit.status("Bye");
        }
      } as never,
    });
    const running = startRun(plain, {}, { emit: (effect) => void events.push(effect.emit) });
    await running.next();

    await running.close();

    expect(events).toEqual(["cleaned up", "status"]);
  });
});

describe("restartEverywhere", () => {
  it(verifies("A13", "ends where a test has stopped the real clock"), async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      const asking = tool({
        async *run() {
          return yield* ask.text("Name?");
        },
      });
      expect(await restartEverywhere(asking, { answers: ["Ada"] })).toMatchObject({ restarts: 2 });
    } finally {
      vi.useRealTimers();
    }
  });
});
