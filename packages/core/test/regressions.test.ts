import {
  ask,
  interpret,
  memoryJournal,
  resultOf,
  run,
  start,
  step,
  StepFailed,
  tool,
  Vault,
  type Body,
  type Journal,
} from "@photon/core";
import { restartEverywhere } from "@photon/core/testing";
import { describe, expect, it, vi } from "vitest";
import { suggest } from "../src/ask/suggest.ts";
import { findProblem } from "../src/schema/validate.ts";
import { verifies } from "../../../test/requirements.ts";
import { accept, thrownBy } from "./playing-host.ts";

describe("a vault that outlives its run", () => {
  it(verifies("B6", "gives each secret back to its own question, whatever their ids look like"), async () => {
    const journal = memoryJournal();
    const secrets = new Vault();
    const lengths = tool({
      async *run() {
        const first = yield* ask.secret("First?", { id: "pw" });
        const second = yield* ask.secret("Second?", { id: "pw@1" });
        return [first.reveal().length, second.reveal().length];
      },
    });
    const live = start(lengths, {}, { journal, secrets });
    await live.next();
    await live.next({ pw: accept("four") });
    await live.next({ "pw@1": accept("seven!!") });

    const replayed = await start(lengths, {}, { journal: memoryJournal(journal.entries), secrets }).next();

    expect(replayed).toMatchObject({ value: [4, 7] });
  });
});

describe("a step in a finally block", () => {
  it(verifies("E1", "is done once, also where somebody replays the run that was closed"), async () => {
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
    const live = start(cleaning, {}, { journal });
    await live.next();
    await live.close();

    await thrownBy(start(cleaning, {}, { journal: memoryJournal(journal.entries) }).next());

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

  it("is told to the body as a journal would hold it, with a journal and without", async () => {
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
  it(verifies("B8", "keeps nobody from closing the run, from its first entry on"), async () => {
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

    expect(suggest(question, { pick: ["zzz"] })).toMatchObject({
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
