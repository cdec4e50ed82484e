/** A forgotten `yield*`: effects that a body makes and does not yield. */
// oxlint-disable typescript/await-thenable -- It is the mistake that is looked for.
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ask, emit, roots, run, sample, step, tool, UnyieldedEffect, type Body } from "../src/index.ts";
import { everyBranch, restartEverywhere, script } from "../src/testing/index.ts";

/** Runs a body in the test kit, with a yes for every question. */
const play = (body: () => Body<unknown>): Promise<unknown> =>
  script(() => true).run(tool({ name: "careless", run: body }));

/** Runs a body as a server does. */
const serve = (body: () => Body<unknown>): Promise<unknown> =>
  run(tool({ name: "careless", run: body }), {}, { ask: () => ({ action: "accept", value: true }) });

describe("in the test kit, a body that makes an effect and does not yield it fails", () => {
  const forgotten: Readonly<Record<string, () => Body<unknown>>> = {
    async *'ask.confirm("Delete?")'() {
      return (await ask.confirm("Delete?", { dangerous: true })) ? "deleted" : "kept";
    },
    async *'ask.text("Name?")'() {
      const name = ask.text("Name?");
      return `Hello, ${name.message}`;
    },
    async *'step("save")'() {
      step("save", () => 1);
      return "saved";
    },
    async *"step.now(…)"() {
      step.now();
      return "";
    },
    async *'emit.status("Working")'() {
      emit.status("Working");
      yield emit.progress(1);
      return "";
    },
    async *"emit.image(…)"() {
      await nextTurn();
      emit.image("aGk=", "image/png");
      return "";
    },
    async *"ask.all(…)"() {
      ask.all({ name: ask.text("Name?") });
      return "";
    },
    async *"ask.outcome(…)"() {
      ask.outcome(ask.text("Name?"));
      return "";
    },
    async *"sample(…)"() {
      sample("Hello");
      return "";
    },
    async *"roots(…)"() {
      await nextTurn();
      roots();
      return "";
    },
  };

  it.each(Object.entries(forgotten))("%s", async (name, body) => {
    await expect(play(body)).rejects.toThrow(UnyieldedEffect);
    await expect(play(body)).rejects.toThrow(name);
  });
});

it("an effect that was not yielded is named with its place and what to write", async () => {
  const failed = await play(async function* () {
    yield emit.status("Working");
    ask.confirm("Delete?");
  }).catch((error: unknown) => error);

  expect(failed).toMatchObject({ code: "UNYIELDED_EFFECT" });
  expect(String(failed)).toMatch(/unyielded-effects\.test\.ts:\d+:\d+/);
  expect(String(failed)).toContain("yield* ask.confirm(…)");
});

describe("a step is not done while a question or step that was made before it is not yielded", () => {
  for (const [host, runIn] of Object.entries({ "the test kit": play, "a server": serve })) {
    it(`in ${host}`, async () => {
      const done: string[] = [];
      const bodies: readonly (() => Body<unknown>)[] = [
        async function* awaited() {
          if (await ask.confirm("Delete?")) {
            yield emit.status("Deleting");
            yield* step("delete", () => void done.push("awaited"));
          }
        },
        async function* tested() {
          const sure = ask.confirm("Delete?");
          if (sure.emit === "ask") yield* step("delete", () => void done.push("tested"));
        },
        async function* skipped() {
          step("back up", () => 1);
          yield* step("delete", () => void done.push("skipped"));
        },
        async function* late() {
          const sure = ask.confirm("Delete?");
          yield* step("delete", () => void done.push("late"));
          return yield* sure;
        },
      ];

      for (const body of bodies) await expect(runIn(body)).rejects.toThrow(UnyieldedEffect);
      expect(done).toEqual([]);
    });
  }

  it("also where the body catches the error and returns", async () => {
    const caught = play(async function* () {
      try {
        if (await ask.confirm("Delete?")) yield* step("delete", () => 1);
      } catch {
        return "handled";
      }
      return "deleted";
    });

    await expect(caught).rejects.toThrow(UnyieldedEffect);
  });
});

it("a dangerous yes that was never asked for does not ask what comes after it", async () => {
  const host = script({ why: "because" });
  const careless = tool({
    name: "careless",
    async *run() {
      if (await ask.confirm("Delete?", { dangerous: true })) yield* ask.text("Why?", { id: "why" });
    },
  });

  await expect(host.run(careless)).rejects.toThrow(UnyieldedEffect);
  expect(host.transcript).not.toContainEqual(expect.objectContaining({ asked: "why" }));
});

it("everyBranch and restartEverywhere fail as well", async () => {
  const careless = tool({
    name: "careless",
    async *run() {
      yield* ask.confirm("Sure?");
      step("save", () => 1);
    },
  });

  await expect(everyBranch(careless, {}, () => [true])).rejects.toThrow(UnyieldedEffect);
  await expect(restartEverywhere(careless, { answers: [true] })).rejects.toThrow(UnyieldedEffect);
});

describe("correct code passes, in the test kit and in a server", () => {
  const SHARED = ask.confirm("Shared?");
  const UNUSED = ask.text("Unused?");

  async function later<T>(make: () => T): Promise<T> {
    await nextTurn();
    return make();
  }

  const correct: Readonly<Record<string, () => Body<unknown>>> = {
    async *"a module's effect, yielded many times or never"() {
      return [yield* SHARED, yield* SHARED, UNUSED.message];
    },
    async *"a question that is stored over another yield"() {
      const question = ask.confirm("Sure?", { dangerous: true });
      yield emit.status("Thinking");
      return yield* question;
    },
    async *"a list of questions with steps between them"() {
      const questions = ["a", "b", "c"].map((name) => ask.confirm(`Delete ${name}?`, { dangerous: true }));
      for (const question of questions) {
        yield emit.status("Next");
        if (yield* question) yield* step("delete", () => 1);
      }
    },
    async *"a list of questions made by async functions"() {
      const questions = await Promise.all(["a", "b"].map((name) => later(() => ask.confirm(name))));
      for (const question of questions) if (yield* question) yield* step("delete", () => 1);
    },
    async *"a record of questions"() {
      const questions = { keep: ask.confirm("Keep?"), sure: ask.confirm("Sure?") };
      return [yield* questions.keep, yield* questions.sure];
    },
    async *"a round that is gathered between emits"() {
      const asks: Record<string, typeof SHARED> = {};
      for (const name of ["a", "b"]) {
        asks[name] = ask.confirm(name);
        yield emit.progress(0.5);
      }
      return yield* ask.all(asks);
    },
    async *"a round of outcomes, and a form of fields"() {
      yield* ask.outcome(ask.all({ a: ask.confirm("A?"), b: ask.outcome(ask.confirm("B?")) }));
      const form = { name: ask.text("Name?"), nick: ask.optional(ask.text("Nickname?")) };
      return yield* ask.outcome(ask.form("Who?", form));
    },
    async *"a bare yield"() {
      yield ask.confirm("Sure?");
      yield step("save", () => 1);
      yield emit.log("info", "Saved");
    },
    async *"raw data with made questions in it, and copies of made ones"() {
      yield { emit: "ask", ask: "all", asks: { a: ask.confirm("A?") } };
      yield Object.assign({}, ask.confirm("B?"), { default: true });
    },
    async *"raw data of which a part is wrong, where the body catches that"() {
      const asks = { a: { ask: "confirm", message: "A?" }, b: { ask: "confirm" } };
      try {
        yield { emit: "ask", ask: "all", asks };
      } catch {
        return yield* step("instead", () => 1);
      }
      throw new Error("It was taken.");
    },
    async *"an async helper that makes the question"() {
      return yield* await later(() => ask.confirm("Sure?"));
    },
    async *"a helper generator, whose emits are dropped and whose steps are replaced"() {
      async function* inner(): Body<unknown> {
        yield emit.status("Quiet");
        await nextTurn();
        yield emit.status("Quiet");
        return yield* step("inner", () => 1);
      }
      const body = inner();
      for (let next = await body.next(); next.done !== true;) {
        const { value } = next;
        if (value["emit"] === "step") yield* step("outer", () => 2);
        next = await body.next();
      }
    },
    async *"a tool that runs another one, written as raw data"() {
      const inner = tool({
        name: "inner",
        async *run() {
          yield { emit: "status", message: "Inside" };
          return (yield { ask: "confirm", message: "Inside?" }) as boolean;
        },
      });
      const result: unknown = await run(inner, {}, { ask: () => ({ action: "accept", value: true }) });
      return result;
    },
  };

  it.each(Object.entries(correct))("%s", async (_, body) => {
    await expect(play(body)).resolves.not.toThrow();
    await expect(serve(body)).resolves.not.toThrow();
  });

  it("steps that are yielded without a star, in restartEverywhere", async () => {
    const saving = tool({
      name: "saving",
      durable: true,
      async *run() {
        yield step("save", () => 1);
        yield* ask.confirm("Sure?");
        yield step("send", () => 2);
        return "sent";
      },
    });

    await expect(restartEverywhere(saving, { answers: [true] })).resolves.toMatchObject({
      outcome: { returned: "sent" },
    });
  });
});

it("several bodies at once: each error names the body's own effect", async () => {
  const careless = async function* (): Body<unknown> {
    await nextTurn();
    ask.text("Forgotten?");
    await nextTurn();
    yield emit.status("Working");
    return "done";
  };
  const careful = async function* (): Body<unknown> {
    for (const name of ["a", "b", "c"]) {
      await nextTurn();
      const question = ask.confirm(name);
      await nextTurn();
      yield* question;
    }
    return "done";
  };

  const [first, second, third] = await Promise.allSettled([play(careful), play(careless), play(careful)]);

  expect([first, third]).toEqual([
    { status: "fulfilled", value: "done" },
    { status: "fulfilled", value: "done" },
  ]);
  expect(second).toMatchObject({ status: "rejected", reason: { code: "UNYIELDED_EFFECT" } });
});

it("the error of the body wins over its unyielded effect", async () => {
  const failing = play(async function* () {
    ask.text("Name?");
    yield emit.status("Working");
    throw new Error("The disk is full");
  });

  await expect(failing).rejects.toThrow("The disk is full");
});
