/** A forgotten `yield*` as a server finds it: without the test kit, which follows every promise. */
// oxlint-disable typescript/await-thenable -- It is the mistake that is looked for.
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ask, emit, run, step, tool, UnyieldedEffect, type Body, type Effect } from "../src/index.ts";

/** Runs a body as a server does, with a yes to every question. */
const serve = (body: (deleted: () => void) => Body<unknown>, deleted: () => void): Promise<unknown> =>
  run(
    tool({ name: "careless", run: () => body(deleted) }),
    {},
    { ask: () => ({ action: "accept", value: true }) },
  );

const sure = () => ask.confirm("Delete?", { dangerous: true });
const SHARED = ask.confirm("Shared?");

async function* helper(): Body<boolean> {
  yield emit.status("Looking");
  return yield* ask.confirm("Inside?");
}

async function* deep(levels: number): Body<unknown> {
  return levels === 0 ? yield* helper() : yield* deep(levels - 1);
}

function* sync(): Generator<Effect, boolean, unknown> {
  return yield* ask.confirm("Inside?");
}

describe("what comes after a question that was not yielded is not done", () => {
  const bodies: Readonly<Record<string, (deleted: () => void) => Body<unknown>>> = {
    async *"at the beginning"(deleted) {
      if (sure()) yield* step("delete", deleted);
    },
    async *"after a question"(deleted) {
      yield* ask.confirm("Go?");
      if (sure()) yield* step("delete", deleted);
    },
    async *"after a step"(deleted) {
      yield* step("first", () => 1);
      if (sure()) yield* step("delete", deleted);
    },
    async *"after a question without yield*"(deleted) {
      yield ask.confirm("Go?");
      if (sure()) yield* step("delete", deleted);
    },
    async *"after an emit"(deleted) {
      yield emit.status("Working");
      const question = sure();
      yield emit.status("Still working");
      if (question) yield* step("delete", deleted);
    },
    async *"after an error that was caught"(deleted) {
      try {
        yield* step("first", () => {
          throw new Error("The disk is full");
        });
      } catch {
        // The body goes on.
      }
      if (sure()) yield* step("delete", deleted);
    },
    async *"after a helper that asks"(deleted) {
      yield* helper();
      if (sure()) yield* step("delete", deleted);
    },
    async *"after helpers of helpers"(deleted) {
      yield* deep(3);
      if (sure()) yield* step("delete", deleted);
    },
    async *"after a helper that is no async one"(deleted) {
      yield* sync();
      if (sure()) yield* step("delete", deleted);
    },
    async *"with an await between them"(deleted) {
      if (await sure()) {
        await nextTurn();
        yield* step("delete", deleted);
      }
    },
    async *"with an await and an emit between them"(deleted) {
      if (sure()) {
        await nextTurn();
        yield emit.status("Deleting");
        await nextTurn();
        yield* step("delete", deleted);
      }
    },
    async *"before a question of the module"(deleted) {
      if (sure() && (yield* SHARED)) yield* step("delete", deleted);
    },
    async *"before raw data"(deleted) {
      if (sure() && (yield { emit: "ask", ask: "all", asks: { a: SHARED } }) !== undefined)
        yield* step("delete", deleted);
    },
    async *"as an outcome"(deleted) {
      yield* ask.confirm("Go?");
      if (ask.outcome(sure())) yield* step("delete", deleted);
    },
    async *"as an outcome, with an await between"(deleted) {
      if (await ask.outcome(sure())) {
        await nextTurn();
        yield* step("delete", deleted);
      }
    },
    async *"in a round"(deleted) {
      yield* ask.confirm("Go?");
      if (ask.all({ sure: sure() })) yield* step("delete", deleted);
    },
    async *"in a round, with an await between"(deleted) {
      if (await ask.all({ sure: sure() })) {
        await nextTurn();
        yield* step("delete", deleted);
      }
    },
  };

  it.each(Object.entries(bodies))("%s", async (_, body) => {
    let isDeleted = false;
    const running = serve(body, () => void (isDeleted = true));

    await expect(running).rejects.toThrow(UnyieldedEffect);
    expect(isDeleted).toBe(false);
  });

  it("in each of a hundred runs at once, and in none of the careful ones among them", async () => {
    const deleted: string[] = [];
    const names = Object.keys(bodies);
    const careful = async function* (): Body<string> {
      const questions = [ask.confirm("One?"), ask.confirm("Two?")] as const;
      yield emit.status("Working");
      yield* questions[0];
      yield* helper();
      await nextTurn();
      yield* questions[1];
      yield* step("done", () => 1);
      return "careful";
    };
    const runs = Array.from({ length: 100 }, (_, index) => {
      const name = names[index % names.length] ?? "";
      return [
        serve(bodies[name] ?? careful, () => void deleted.push(name)),
        serve(careful, () => {}),
      ] as const;
    });

    const careless = await Promise.allSettled(runs.map(([one]) => one));
    const results = await Promise.all(runs.map(([, other]) => other));

    expect(careless.filter(({ status }) => status === "fulfilled")).toEqual([]);
    expect(deleted).toEqual([]);
    expect(new Set(results)).toEqual(new Set(["careful"]));
  });
});

it("a body that wakes another one leaves the other's questions to it", async () => {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  const waiting = serve(
    async function* () {
      await promise;
      return yield* ask.confirm("Mine?");
    },
    () => {},
  );
  const waking = serve(
    async function* () {
      yield* ask.confirm("First?");
      resolve();
      yield* step("work", () => 1);
      return "woke";
    },
    () => {},
  );

  await expect(Promise.all([waiting, waking])).resolves.toEqual([true, "woke"]);
});
