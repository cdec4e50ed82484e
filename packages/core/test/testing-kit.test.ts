import { afterEach, describe, expect, expectTypeOf, it, vi } from "vitest";
import {
  ask,
  AskCancelled,
  AskDeclined,
  AskTimedOut,
  AskUnsupported,
  emit,
  type Context,
  InvalidAnswer,
  InvalidDefinition,
  ActiveTimeExceeded,
  prompt,
  roots,
  RunCancelled,
  run,
  sample,
  step,
  tool,
  UnyieldedEffect,
  type OpenQuestion,
} from "@photon/core";
import {
  acceptEmpty,
  cancel,
  decline,
  everyBranch,
  sequence,
  later,
  never,
  restartEverywhere,
  script,
  testClock,
  timeout,
  unsupported,
  Unscripted,
  type Branch,
  type RestartReport,
} from "@photon/core/testing";
import { verifies } from "../../../test/requirements.ts";

/** Asks two questions and says what came of them. */
const greet = tool({
  name: "greet",
  async *run() {
    const name = yield* ask.text("Name?", { id: "name" });
    const loud = yield* ask.confirm("Loudly?");
    return loud ? name.toUpperCase() : name;
  },
});

/** Asks one question and returns the answer. */
const nights = tool({
  name: "nights",
  async *run() {
    return yield* ask.number("How many nights?", { id: "nights", max: 30, retries: 2 });
  },
});

/** Asks until it is cancelled. */
const nag = tool({
  name: "nag",
  async *run() {
    for (;;) if (yield* ask.confirm("Enough?")) return "enough";
  },
});

/** The error of a run. Handled from now on, so that an error while the clock moves is not an unhandled rejection. */
function failureOf(running: Promise<unknown>): Promise<unknown> {
  return running.then(
    () => "It did not fail.",
    (error: unknown) => error,
  );
}

// First in its file on purpose: here nothing has been loaded yet that a run loads when it first needs it.
describe("a clock moved while a run is still getting ready", () => {
  it(
    verifies("A13", "ends a question of the first run, though the test did not wait for it"),
    async () => {
      const host = script({ "How many nights?": never() });

      const failure = failureOf(host.run(nights));
      await host.advance("6m");

      expect(await failure).toBeInstanceOf(AskTimedOut);
    },
    1000,
  );
});

describe("script", () => {
  it(verifies("A13", "answers by key and by message"), async () => {
    const host = script({ name: "Ada", "Loudly?": true });

    const said = await host.run(greet);

    expect(said).toBe("ADA");
    expectTypeOf(said).toEqualTypeOf<string>();
  });

  it(verifies("A13", "answers by the key that a question without an id has (§2.8)"), async () => {
    expect(await script({ name: "Ada", "ask-2": false }).run(greet)).toBe("Ada");
  });

  it(verifies("A13", "answers in order"), async () => {
    expect(await script(["Ada", true]).run(greet)).toBe("ADA");
  });

  it(verifies("A13", "answers by a function of the question"), async () => {
    const host = script((question) => (question.key === "name" ? "Ada" : decline()));

    expect(await host.run(greet)).toBe("Ada");
  });

  it(verifies("A13", "answers one question by a function, which may take its time"), async () => {
    const host = script({
      name: async ({ key }: OpenQuestion) => `the ${key}`,
      "Loudly?": () => false,
    });

    expect(await host.run(greet)).toBe("the name");
  });

  it(verifies("A13", "gives the tool its input, checked"), async () => {
    const echo = tool({
      name: "echo",
      input: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
      async *run({ word }) {
        return word;
      },
    });

    expect(await script().run(echo, { word: "hi" })).toBe("hi");
    // @ts-expect-error the schema requires a word
    await expect(script().run(echo, {})).rejects.toThrow("word is required");
  });

  it.each([
    ["decline", decline(), AskDeclined],
    ["cancel", cancel(), AskCancelled],
    ["timeout", timeout(), AskTimedOut],
    ["unsupported", unsupported(), AskUnsupported],
    ["acceptEmpty", sequence(acceptEmpty()), InvalidAnswer],
    ["a value that does not fit", 31, InvalidAnswer],
  ])(
    verifies(["A13", "B1"], "says %s, which the body sees as an error of its own"),
    async (_, answer, error) => {
      await expect(script({ nights: answer }).run(nights)).rejects.toThrow(error);
    },
  );

  it(verifies("A13", "answers the attempts at one question in turn, and stays with the last"), async () => {
    expect(await script({ nights: sequence(31, "two", 3) }).run(nights)).toBe(3);
    await expect(script({ nights: sequence(31) }).run(nights)).rejects.toThrow(InvalidAnswer);
  });

  it(
    verifies("A13", "answers a question that is asked again in a loop in turn, by its message"),
    async () => {
      const guess = tool({
        async *run() {
          const guesses: number[] = [];
          while (guesses.length < 3) guesses.push(yield* ask.number("Your guess?"));
          return guesses;
        },
      });

      expect(await script({ "Your guess?": sequence(1, 2, 3) }).run(guess)).toEqual([1, 2, 3]);
    },
  );

  it(verifies("A13", "answers every question of a round"), async () => {
    const book = tool({
      async *run() {
        return yield* ask.all({ city: ask.text("Where?"), sure: ask.confirm("Sure?") });
      },
    });

    expect(await script({ city: "Rome", "Sure?": true }).run(book)).toEqual({ city: "Rome", sure: true });
  });

  it(verifies(["A13", "A10"], "answers for the client's model and for its folders"), async () => {
    const look = tool({
      async *run() {
        const { model } = yield* sample("Hello?");
        const [folder] = yield* roots();
        return { model, folder: folder?.uri };
      },
    });
    const answer = { role: "assistant", content: { type: "text", text: "Hi." }, model: "small" };

    expect(await script({ sample: answer, roots: [{ uri: "file:///a" }] }).run(look)).toEqual({
      model: "small",
      folder: "file:///a",
    });
  });

  it.each([
    ["a record", script({ name: "Ada" })],
    ["a list", script(["Ada"])],
  ])(verifies("A13", "fails the run where %s has nothing for a question, and names it"), async (_, host) => {
    const running = host.run(greet);

    await expect(running).rejects.toThrow(Unscripted);
    await expect(running).rejects.toThrow('The script has no answer to "ask-2" ("Loudly?").');
  });

  it("names the answers of the script that no question has taken", async () => {
    await expect(script({ "Name?": "Ada", lodly: true }).run(greet)).rejects.toThrow(
      'No question has taken its answers to "lodly".',
    );
  });

  it("does not let the body take a missing script for an answer", async () => {
    let caught = false;
    const careful = tool({
      async *run() {
        try {
          return yield* ask.text("Name?", { fallback: { cancel: "nobody" } });
        } catch {
          caught = true;
          return "nobody";
        }
      },
    });

    await expect(script().run(careful)).rejects.toThrow('The script has no answer to "ask-1" ("Name?").');
    expect(caught).toBe(false);
  });

  it("does not take what every object inherits for a script", async () => {
    const build = tool({
      async *run() {
        return yield* ask.text("Who builds?", { id: "constructor" });
      },
    });

    await expect(script({}).run(build)).rejects.toThrow(Unscripted);
  });

  it(verifies(["A13", "A11"], "plays a client that can do only some things"), async () => {
    const look = tool({
      async *run(_, { client }) {
        return client.can;
      },
    });

    expect(await script({}, { can: { form: false, sample: false } }).run(look)).toEqual({
      form: false,
      url: true,
      sample: false,
      roots: true,
    });
  });

  it(verifies(["A13", "B4"], "replies unsupported for a client that cannot show the question"), async () => {
    const book = tool({
      async *run() {
        const room = yield* ask.text("Which room?", { fallback: { unsupported: "any" } });
        const said = yield* ask.outcome(sample("Hello?"));
        return { room, said: said.action };
      },
    });
    const host = script({ "Which room?": "double" }, { can: { form: false, sample: false } });

    expect(await host.run(book)).toEqual({ room: "any", said: "unsupported" });
  });

  it(verifies("A13", "makes what would differ from run to run the same"), async () => {
    const chance = tool({
      async *run(_, { runId: id }) {
        return {
          id,
          at: yield* step.now(),
          roll: yield* step.random(),
          ids: [yield* step.uuid(), yield* step.uuid()],
          key: yield* step("pay", ({ key }) => key),
        };
      },
    });

    const first = await script().run(chance);

    expect(await script().run(chance)).toEqual(first);
    expect(first.ids[0]).not.toBe(first.ids[1]);
  });

  it(
    verifies(["A13", "A8"], "fails a tool that returns something else than its output schema promises"),
    async () => {
      const broken = tool({
        name: "broken",
        output: { type: "object", properties: { ref: { type: "string", pattern: "^R" } }, required: ["ref"] },
        async *run() {
          return { ref: "1" };
        },
      });

      await expect(script().run(broken)).rejects.toThrow("ref does not have the expected form");
    },
  );

  it(verifies("A13", "ends with an error where a loop asks forever"), async () => {
    let asked = 0;
    const host = script(() => {
      // Without it, a script that never ends would take the whole test runner with it.
      if (++asked > 2000) throw new Error("It was asked 2,000 times.");
      return false;
    });

    await expect(host.run(nag)).rejects.toThrow("The tool asks more than 1000 questions.");
  });

  it("passes further settings on to the run", async () => {
    const shown: unknown[] = [];
    const tell = tool({
      async *run(_, { runId: id }) {
        yield emit.status("working");
        return id;
      },
    });
    const host = script({}, { host: { runId: "mine", emit: (effect) => void shown.push(effect) } });

    expect(await host.run(tell)).toBe("mine");
    expect(shown).toEqual([{ emit: "status", message: "working" }]);
    expect(host.transcript).toEqual([{ emit: "status", message: "working" }, { returned: "mine" }]);
  });
});

describe("a tool without a definition", () => {
  /** As an author exports it: `photon` reads name and input from the source. */
  async function* hail({ name }: { name?: string }, { client }: Context) {
    const loud = yield* ask.confirm("Loudly?", { id: "loud" });
    const greeting = `${name ?? "World"}, says ${client.name}`;
    return loud ? greeting.toUpperCase() : greeting;
  }

  /** The first parameter is no object, and there is no context. */
  async function* count(bars = 4) {
    yield emit.status("Counting");
    return Array.from({ length: bars }, () => "1 2 3 4");
  }

  class Stage {
    #lights = "off";

    async *light(colour: "red" | "blue", times: number) {
      for (let time = 1; time <= times; time++)
        if (yield* ask.confirm(`Shall the lights be ${colour}?`, { id: `sure-${time}` }))
          this.#lights += ` ${colour}`;
      return this.#lights;
    }
  }

  it(verifies("A13", "is run as a generator function, with its input and the context"), async () => {
    expect(await script([false]).run(hail, { name: "Ada" })).toBe("Ada, says script");
    expect(await script([true]).run(hail)).toBe("WORLD, SAYS SCRIPT");
    expect(await script().run(count, 1)).toEqual(["1 2 3 4"]);
    expect(await script().run(count, undefined)).toHaveLength(4);
  });

  it(verifies("A13", "is run by a function that calls a method of a class"), async () => {
    const stage = new Stage();
    const host = script({ "sure-1": true, "sure-2": false });

    expect(await host.run(() => stage.light("red", 2))).toBe("off red");
    expect(host.transcript.at(-1)).toEqual({ returned: "off red" });
    expect(await host.run(() => stage.light("blue", 1))).toBe("off red blue");
  });

  it(verifies("A13", "passes the context on to a function"), async () => {
    const named = (_: unknown, context: Context) => hail({ name: context.runId }, context);

    expect(await script([false]).run(named)).toBe("test-run, says script");
  });

  it(verifies("A13", "is run on every path, each with an object of its own"), async () => {
    const branches = await everyBranch(
      () => new Stage().light("red", 2),
      {},
      { "sure-1": [true, false], "sure-2": [true, false] },
    );

    expect(branches.map(({ outcome }) => outcome)).toEqual([
      { returned: "off red red" },
      { returned: "off red" },
      { returned: "off red" },
      { returned: "off" },
    ]);
  });

  it(
    verifies(["A13", "E5"], "is restarted everywhere, which finds an object that outlives the run"),
    async () => {
      const answers = { "sure-1": true, loud: false };
      const stage = new Stage();

      expect(await restartEverywhere(() => new Stage().light("red", 1), { answers })).toMatchObject({
        outcome: { returned: "off red" },
        restarts: 2,
      });
      expect(await restartEverywhere(hail, { input: { name: "Ada" }, answers })).toMatchObject({
        outcome: { returned: "Ada, says program" },
      });
      await expect(restartEverywhere(() => stage.light("red", 1), { answers })).rejects.toThrow(
        "The tool ends differently at 2 of 2 restarts.",
      );
    },
  );

  it("has the name of its function in errors", async () => {
    async function* restless() {
      yield emit.status("Working");
      return Date.now();
    }

    await expect(restartEverywhere(restless)).rejects.toThrow("restless ends differently at");
  });

  it("fails where an effect is not yielded", async () => {
    async function* careless() {
      void ask.confirm("Delete everything?");
    }

    await expect(script().run(careless)).rejects.toThrow(UnyieldedEffect);
  });

  const hello = prompt({
    name: "hello",
    async *run() {
      return "Hello";
    },
  });

  it.each([
    ["nothing", undefined, "undefined"],
    ["an object", { hail }, "hail"],
    ["a prompt", hello, "prompt"],
    ["a function that returns no body", async () => "Hello", "a Promise"],
  ])(verifies("D5", "is refused where it is %s"), async (_, tested, found) => {
    // @ts-expect-error as a test in JavaScript may
    const running = script().run(tested);

    await expect(running).rejects.toThrow(InvalidDefinition);
    await expect(running).rejects.toThrow(found);
  });
});

describe("the clock of a script", () => {
  it(
    verifies(["A13", "B2"], "stands still until it is moved, and then ends a question in its time (§2.4)"),
    async () => {
      const host = script({ nights: never() });
      const running = host.run(nights);
      const question = await host.asked;

      await host.advance("4m");
      expect(await Promise.race([running, host.asked])).toBe(question);
      const failure = failureOf(running);
      await host.advance("2m");

      expect(await failure).toBeInstanceOf(AskTimedOut);
      expect(host.clock.now()).toBe(Date.UTC(2026, 0, 1, 0, 6));
    },
  );

  it(verifies("A13", "moves six minutes in no time"), async () => {
    const host = script({ "How many nights?": never() });
    const running = host.run(nights);
    const failure = failureOf(running);

    await host.asked;
    await host.advance("6m");

    expect(await failure).toHaveProperty(
      "message",
      'No answer to "How many nights?" (nights) arrived in time.',
    );
  });

  it(verifies(["A13", "B2"], "gives durable tools seven days"), async () => {
    const patient = tool({
      durable: true,
      async *run() {
        return yield* ask.text("Name?");
      },
    });
    const host = script({ "Name?": later("6d", "Ada") });
    const running = host.run(patient);

    await host.asked;
    await host.advance("6d");

    expect(await running).toBe("Ada");
  });

  it(verifies("A13", "lets an answer come later"), async () => {
    const host = script({ nights: later("2m", 3) });
    const running = host.run(nights);

    await host.asked;
    await host.advance("2m");

    expect(await running).toBe(3);
  });

  it(verifies(["A13", "B2"], "drops an answer that comes too late"), async () => {
    const host = script({ nights: later("7m", 3) });
    const running = host.run(nights);
    const failure = failureOf(running);

    await host.asked;
    await host.advance("10m");

    expect(await failure).toBeInstanceOf(AskTimedOut);
    expect(host.transcript).toContainEqual({ answered: "nights", action: "timeout" });
  });

  it(verifies(["A13", "B9"], "does not count the time of a person as the tool's own (§2.5)"), async () => {
    const slow = tool({
      name: "slow",
      limit: "30s",
      async *run() {
        yield* ask.text("Name?");
        await new Promise(() => {});
      },
    });
    const host = script({ "Name?": later("4m", "Ada") });
    const running = host.run(slow);
    const failure = failureOf(running);

    await host.asked;
    await host.advance("4m");
    expect(host.transcript.at(-1)).toEqual({ answered: "ask-1", action: "accept", value: "Ada" });
    // The limit, and the grace period of a body that does not end.
    await host.advance("36s");

    expect(await failure).toBeInstanceOf(ActiveTimeExceeded);
  });

  it(verifies("A13", "is one clock for two runs of one host"), async () => {
    const name = tool({
      name: "name",
      version: "2",
      async *run() {
        return yield* ask.text("Name?", { timeout: "1m" });
      },
    });
    const host = script({ nights: later("2m", 3), "Name?": never() });

    const both = Promise.allSettled([host.run(nights), host.run(name)]);
    await host.asked;
    await host.advance("2m");

    expect(await both).toEqual([
      { status: "fulfilled", value: 3 },
      { status: "rejected", reason: expect.any(AskTimedOut) },
    ]);
  });

  it(verifies("A13", "is one clock for two hosts that share it"), async () => {
    const clock = testClock();
    const ended: string[] = [];
    const wait = (name: string, time: "1m" | "2m"): Promise<void> =>
      new Promise((asked) => {
        const patient = tool({
          async *run() {
            const { action } = yield* ask.outcome(ask.text("Name?", { timeout: time }));
            ended.push(`${name} ${action}`);
          },
        });
        const silent = (): Promise<undefined> => {
          asked();
          return new Promise(() => {});
        };
        void run(patient, {}, { clock, ask: silent });
      });

    await Promise.all([wait("second", "2m"), wait("first", "1m")]);
    await clock.advance("1m");
    expect(ended).toEqual(["first timeout"]);
    await clock.advance("1m");

    expect(ended).toEqual(["first timeout", "second timeout"]);
  });

  it("lets what falls due happen in its order, also what falls due on the way", async () => {
    const clock = testClock(0);
    const happened: [string, number][] = [];
    const note = (what: string): void => void happened.push([what, clock.now()]);

    clock.after(3000, () => note("third"));
    clock.after(1000, () => {
      note("first");
      clock.after(1000, () => note("second"));
    });
    const stop = clock.after(1500, () => note("never"));
    stop();
    clock.after(5000, () => note("not yet"));
    await clock.advance("4s");

    expect(happened).toEqual([
      ["first", 1000],
      ["second", 2000],
      ["third", 3000],
    ]);
    expect(clock.now()).toBe(4000);
  });
});

describe("the transcript of a script", () => {
  it(verifies("A13", "has everything that happened, in its order"), async () => {
    const book = tool({
      async *run() {
        yield emit.status("Looking");
        const count = yield* ask.number("How many nights?", { id: "nights", max: 30, retries: 1 });
        yield emit.progress(0.5);
        const ref = yield* step("reserve", () => `R${count}`);
        yield emit.text("A voucher");
        return { ref };
      },
    });
    const host = script({ nights: sequence(31, 2) });

    await host.run(book);

    expect(host.transcript).toEqual([
      { emit: "status", message: "Looking" },
      { asked: "nights", message: "How many nights?" },
      { answered: "nights", action: "accept", value: 31 },
      { asked: "nights", message: "How many nights?", attempt: 2, hint: "must be at most 30" },
      { answered: "nights", action: "accept", value: 2 },
      { emit: "progress", value: 0.5 },
      { step: "reserve", value: "R2" },
      { emit: "artifact", content: { type: "text", text: "A voucher" } },
      { returned: { ref: "R2" } },
    ]);
  });

  it(verifies("A13", "ends with what was thrown"), async () => {
    const host = script({ nights: decline() });

    await expect(host.run(nights)).rejects.toThrow(AskDeclined);

    expect(host.transcript).toEqual([
      { asked: "nights", message: "How many nights?" },
      { answered: "nights", action: "decline" },
      { threw: "AskDeclined", message: 'The person declined to answer "How many nights?" (nights).' },
    ]);
  });

  it(verifies("A13", "has a step that failed"), async () => {
    const pay = tool({
      async *run() {
        yield* step("pay", () => {
          throw new Error("No money.");
        });
      },
    });
    const host = script();

    await expect(host.run(pay)).rejects.toThrow("No money.");

    expect(host.transcript[0]).toEqual({ step: "pay", error: "No money." });
  });

  it(verifies(["A13", "B6"], "has no secret in it, and neither has the journal"), async () => {
    const login = tool({
      async *run() {
        const key = yield* ask.secret("API key?", { id: "key" });
        yield emit.status(`using ${key.reveal()}`);
        return key.reveal();
      },
    });
    const host = script({ key: "hunter2-hunter2" });

    await host.run(login);

    expect(JSON.stringify([host.transcript, host.journal])).not.toContain("hunter2");
    expect(host.transcript).toContainEqual({ answered: "key", action: "accept", value: "[secret]" });
    expect(host.journal).toContainEqual({ key: "key", secret: true });
  });
});

describe("cutting a scripted run", () => {
  it(
    verifies(
      ["A13", "B8"],
      "runs the body's finally block when it is aborted while a question is open (§2.4)",
    ),
    async () => {
      const happened: string[] = [];
      const careful = tool({
        async *run(_, { signal }) {
          try {
            yield* ask.confirm("Sure?");
          } finally {
            happened.push(`closed, aborted: ${signal.aborted}`);
          }
        },
      });
      const host = script({ "Sure?": never() });

      const running = host.run(careful);
      const question = await host.asked;
      host.abort(new Error("client left"));

      await expect(running).rejects.toThrow("client left");
      expect(question).toMatchObject({ key: "ask-1", message: "Sure?", attempt: 1 });
      expect(happened).toEqual(["closed, aborted: true"]);
      expect(host.signal.aborted).toBe(true);
    },
  );

  it(verifies("A13", "is a cancelled run where no reason is given"), async () => {
    const host = script({ nights: never() });

    const running = host.run(nights);
    await host.asked;
    host.abort();

    await expect(running).rejects.toThrow(RunCancelled);
  });

  it(verifies("A13", "waits for the next question once the one before is answered"), async () => {
    const host = script({ name: later("1m", "Ada"), "Loudly?": later("1m", true) });
    const running = host.run(greet);

    expect(await host.asked).toMatchObject({ key: "name" });
    await host.advance("1m");
    expect(await host.asked).toMatchObject({ key: "ask-2" });
    await host.advance("1m");

    expect(await running).toBe("ADA");
  });

  it(
    verifies("A13", "is not waited for in vain where the tool ends before it asks"),
    async () => {
      const broken = tool({
        async *run() {
          throw new Error("No room.");
        },
      });
      const host = script();
      const failure = failureOf(host.run(broken));

      await expect(host.asked).rejects.toThrow(Error);
      expect(await failure).toHaveProperty("message", "No room.");
    },
    1000,
  );

  it(
    verifies("A13", "has no unhandled rejection if the test awaits the run after moving the clock"),
    async () => {
      const unhandled: unknown[] = [];
      const note = (reason: unknown): void => void unhandled.push(reason);
      process.on("unhandledRejection", note);
      const host = script({ nights: never() });

      const running = host.run(nights);
      await host.asked;
      await host.advance("6m");

      await expect(running).rejects.toThrow(AskTimedOut);
      process.off("unhandledRejection", note);
      expect(unhandled).toEqual([]);
    },
  );
});

describe("everyBranch", () => {
  it(verifies("A13", "runs every combination of answers and returns each outcome"), async () => {
    const book = tool({
      async *run() {
        const room = yield* ask.select("Room?", ["single", "double"], { id: "room" });
        if (room === "single") return "single";
        return (yield* ask.confirm("With a view?")) ? "view" : "wall";
      },
    });

    const branches = await everyBranch(
      book,
      {},
      { room: ["single", "double"], "With a view?": [true, false] },
    );

    expectTypeOf(branches).toEqualTypeOf<readonly Branch<"single" | "view" | "wall">[]>();
    expect(branches.map(({ outcome }) => outcome)).toEqual([
      { returned: "single" },
      { returned: "view" },
      { returned: "wall" },
    ]);
    expect(branches[2]?.answers).toEqual([
      { answered: "room", action: "accept", value: "double" },
      { answered: "ask-2", action: "accept", value: false },
    ]);
    expect(branches[2]?.transcript.at(-1)).toEqual({ returned: "wall" });
  });

  it(verifies(["A13", "B1"], "tries non-answers as well, without waiting"), async () => {
    const branches = await everyBranch(
      nights,
      {},
      {
        nights: [
          3,
          31,
          decline(),
          cancel(),
          timeout(),
          unsupported(),
          acceptEmpty(),
          never(),
          later("6m", 3),
          later("1m", 4),
        ],
      },
    );

    // What does not fit is asked again: 31 and nothing lead to all ten answers twice more.
    const endings = new Set(
      branches.map(({ outcome }) => ("threw" in outcome ? outcome.threw : outcome.returned)),
    );
    expect(endings).toEqual(
      new Set([3, 4, "AskDeclined", "AskCancelled", "AskTimedOut", "AskUnsupported", "InvalidAnswer"]),
    );
    expect(branches).toHaveLength(8 + 2 * (8 + 2 * 10));
  });

  it(verifies("A13", "takes alternatives by a function of the question"), async () => {
    const branches = await everyBranch(greet, {}, ({ key }) => (key === "name" ? ["Ada"] : [true, false]));

    expect(branches.map(({ outcome }) => outcome)).toEqual([{ returned: "ADA" }, { returned: "Ada" }]);
  });

  it(verifies("A13", "has one way through a tool that asks nothing"), async () => {
    const hello = tool({
      async *run() {
        return "Hello.";
      },
    });

    expect(await everyBranch(hello, {}, {})).toEqual([
      { answers: [], transcript: [{ returned: "Hello." }], outcome: { returned: "Hello." } },
    ]);
  });

  it(verifies("A13", "returns the error of a branch that throws"), async () => {
    const fragile = tool({
      async *run() {
        if (yield* ask.confirm("Break it?")) throw new TypeError("broken");
        return "whole";
      },
    });

    const branches = await everyBranch(fragile, {}, { "Break it?": [true, false] });

    expect(branches.map(({ outcome }) => outcome)).toEqual([
      { threw: "TypeError", message: "broken" },
      { returned: "whole" },
    ]);
  });

  it(verifies("A13", "fails where nothing is scripted for a question, and names it"), async () => {
    const walking = everyBranch(greet, {}, { name: ["Ada"] });

    await expect(walking).rejects.toThrow('The script has no answer to "ask-2" ("Loudly?").');
    await expect(everyBranch(greet, {}, { name: [] })).rejects.toThrow("name");
  });

  it("does not take what every object inherits for alternatives", async () => {
    const build = tool({
      async *run() {
        return yield* ask.text("Who builds?", { id: "constructor" });
      },
    });

    const branches = await everyBranch(build, {}, { "Who builds?": ["Ada", "Bob"] });

    expect(branches.map(({ outcome }) => outcome)).toEqual([{ returned: "Ada" }, { returned: "Bob" }]);
  });

  const digits = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
  const dial = tool({
    name: "dial",
    input: { type: "object", properties: { length: { type: "integer" } }, required: ["length"] },
    async *run({ length }) {
      let number = "";
      while (number.length < length) number += String(yield* ask.number("Digit?"));
      return number;
    },
  });

  it(verifies("A13", "walks 1,000 branches"), async () => {
    const branches = await everyBranch(dial, { length: 3 }, { "Digit?": digits });

    expect(branches).toHaveLength(1000);
    expect(new Set(branches.map(({ outcome }) => JSON.stringify(outcome))).size).toBe(1000);
  });

  it(
    verifies("A13", "ends with an error that says so where there are more than 1,000 branches"),
    async () => {
      await expect(everyBranch(dial, { length: 4 }, { "Digit?": digits })).rejects.toThrow(
        "dial has more than 1000 branches; give it fewer answers to try.",
      );
    },
  );

  it(verifies("A13", "ends with an error where a loop asks forever"), async () => {
    await expect(everyBranch(nag, {}, { "Enough?": [false] })).rejects.toThrow(
      "The tool asks more than 1000 questions.",
    );
  });

  it(verifies("A13", "closes a tool that asks forever: its finally block runs"), async () => {
    let closed = 0;
    const careful = tool({
      async *run() {
        try {
          for (;;) yield* ask.confirm("Enough?");
        } finally {
          closed++;
        }
      },
    });

    await expect(everyBranch(careful, {}, { "Enough?": [false] })).rejects.toThrow("1000 questions");
    expect(closed).toBe(1);
  });

  it("fails with an error of a function of the script", async () => {
    const alternatives = (): never => {
      throw new Error("The script has a mistake.");
    };

    await expect(everyBranch(nights, {}, alternatives)).rejects.toThrow(/^The script has a mistake\.$/);
  });

  it("fails with InvalidInput before it runs", async () => {
    // @ts-expect-error the length is a number
    await expect(everyBranch(dial, { length: "three" }, { "Digit?": digits })).rejects.toThrow(
      "length must be a whole number",
    );
  });
});

describe("restartEverywhere", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const book = tool({
    name: "book",
    durable: true,
    input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    async *run({ city }) {
      yield emit.status(`Looking in ${city}`);
      const count = yield* ask.number("How many nights?", { id: "nights", max: 30, retries: 1 });
      const at = yield* step.now();
      const { room, breakfast } = yield* ask.all({
        room: ask.select("Which room?", ["single", "double"]),
        breakfast: ask.confirm("Breakfast?"),
      });
      const ref = yield* step("reserve", ({ key }) => `${room}/${key}`);
      yield* step("mail", () => {});
      return { ref, count, breakfast, at };
    },
  });
  const answers = { nights: sequence(31, 2), room: "double", "Breakfast?": true };

  it(verifies(["A13", "E1"], "passes for a tool whose side effects are in steps (§2.7)"), async () => {
    const report = await restartEverywhere(book, { input: { city: "Rome" }, answers });

    expectTypeOf(report).toEqualTypeOf<
      RestartReport<{ ref: string; count: number; breakfast: boolean; at: number }>
    >();
    expect(report).toEqual({
      outcome: {
        returned: { ref: "double/test-run/reserve", count: 2, breakfast: true, at: Date.UTC(2026, 0, 1) },
      },
      steps: { reserve: 1, mail: 1 },
      // Six yields, each interrupted before and after.
      restarts: 12,
    });
  });

  it(verifies("A13", "takes answers in order, non-answers among them"), async () => {
    const report = await restartEverywhere(greet, { answers: ["Ada", decline()] });

    expect(report).toEqual({ outcome: { returned: "Ada" }, steps: {}, restarts: 4 });
  });

  it(verifies("A13", "passes for a tool that throws, the same wherever it is interrupted"), async () => {
    const fragile = tool({
      durable: true,
      async *run() {
        yield* step("try", () => 1);
        yield* ask.text("Name?");
        throw new TypeError("broken");
      },
    });

    expect(await restartEverywhere(fragile, { answers: ["Ada"] })).toEqual({
      outcome: { threw: "TypeError", message: "broken" },
      steps: { try: 1 },
      restarts: 4,
    });
  });

  it(
    verifies(["A13", "E1"], "passes for a step that fails and is tried again, each a step of its own (§2.7)"),
    async () => {
      const stubborn = tool({
        durable: true,
        async *run() {
          const tried: string[] = [];
          for (let count = 1; count <= 3; count++) {
            try {
              return { tried, ref: yield* step("pay", ({ key }) => fail(count, key)) };
            } catch (error) {
              tried.push((error as Error).message);
            }
          }
          return { tried };
        },
      });
      const fail = (count: number, key: string): string => {
        if (count < 3) throw new Error(`no money at ${key}`);
        return key;
      };

      expect(await restartEverywhere(stubborn)).toEqual({
        outcome: {
          returned: {
            tried: ["no money at test-run/pay", "no money at test-run/pay#2"],
            ref: "test-run/pay#3",
          },
        },
        steps: { pay: 3 },
        restarts: 6,
      });
    },
  );

  it(
    verifies(["A13", "B6"], "passes for a tool that asks for a secret, which is asked for again"),
    async () => {
      const login = tool({
        durable: true,
        async *run() {
          const key = yield* ask.secret("API key?", { id: "key" });
          const ok = yield* step("login", () => key.reveal() === "hunter2-hunter2");
          yield* ask.confirm("Go on?");
          return ok;
        },
      });

      expect(await restartEverywhere(login, { answers: { key: "hunter2-hunter2", "Go on?": true } })).toEqual(
        {
          outcome: { returned: true },
          steps: { login: 1 },
          restarts: 6,
        },
      );
    },
  );

  it(verifies("A13", "passes for a tool that ends at a question a question without an answer"), async () => {
    expect(await restartEverywhere(nights, { answers: { nights: never() } })).toEqual({
      outcome: { threw: "AskTimedOut", message: 'No answer to "How many nights?" (nights) arrived in time.' },
      steps: {},
      restarts: 2,
    });
  });

  it(
    verifies(["A13", "E5"], "fails for a side effect outside of a step that changes the result"),
    async () => {
      let visits = 0;
      const count = tool({
        name: "count",
        durable: true,
        async *run() {
          visits++;
          yield* ask.confirm("Count?");
          return { visits };
        },
      });

      await expect(restartEverywhere(count, { answers: [true] })).rejects.toThrow(
        [
          "count ends differently at 2 of 2 restarts.",
          'before yield 1 ({ emit: "ask", ask: "confirm", message: "Count?" }):',
          '  - live:      returned {"visits":1}; steps: none',
          '  + restarted: returned {"visits":3}; steps: none',
          'after yield 1 ({ emit: "ask", ask: "confirm", message: "Count?" }):',
          '  - live:      returned {"visits":1}; steps: none',
          '  + restarted: returned {"visits":5}; steps: none',
        ].join("\n"),
      );
    },
  );

  it(verifies("A13", "fails for a step that is done again under another name"), async () => {
    let starts = 0;
    const restless = tool({
      name: "restless",
      durable: true,
      async *run() {
        const name = `pay-${++starts}`;
        yield* step(name, () => 1);
        yield* ask.text("Name?");
        return "paid";
      },
    });

    const restarting = restartEverywhere(restless, { answers: ["Ada"] });

    await expect(restarting).rejects.toThrow("restless ends differently at");
    await expect(restarting).rejects.toThrow(/live: +returned "paid"; steps: pay-1 ×1/);
    await expect(restarting).rejects.toThrow("ReplayDiverged");
  });

  /** Asks one thing or another, by chance. */
  const gamble = tool({
    name: "gamble",
    durable: true,
    async *run() {
      if (Math.random() < 0.5) return { lucky: yield* ask.confirm("Lucky?", { id: "lucky" }) };
      const unlucky = yield* ask.text("Unlucky?", { id: "unlucky" });
      return { unlucky };
    },
  });

  /** Decides what Math.random gives: to the live run, then at each restart to the interrupted and the restarted one. */
  function rigChance(live: number, interrupted: number, restarted: number): void {
    let calls = 0;
    vi.spyOn(Math, "random").mockImplementation(() => {
      calls++;
      if (calls === 1) return live;
      return calls % 2 === 0 ? interrupted : restarted;
    });
  }

  it.each([
    ["the restarted run", 0, 1],
    ["the interrupted run", 1, 0],
    ["both the interrupted and the restarted run", 1, 1],
  ])(
    verifies(["A13", "E5"], "fails for Math.random in a branch where %s asks something else"),
    async (_, interrupted, restarted) => {
      rigChance(0, interrupted, restarted);

      const restarting = restartEverywhere(gamble, { answers: { lucky: true, unlucky: "yes" } });

      await expect(restarting).rejects.toThrow(/^gamble ends differently at \d of 2 restarts\./);
      await expect(restarting).rejects.toThrow(/- live: +returned \{"lucky":true\}/);
      await expect(restarting).rejects.toThrow(/\+ restarted: /);
    },
  );

  it(
    verifies(["A13", "E5"], "names the question that the journal has and the one that is asked (§2.9)"),
    async () => {
      rigChance(0, 0, 1);

      const restarting = restartEverywhere(gamble, { answers: { lucky: true, unlucky: "yes" } });

      await expect(restarting).rejects.toThrow("ReplayDiverged");
      await expect(restarting).rejects.toThrow('"unlucky"');
      await expect(restarting).rejects.toThrow('"lucky"');
    },
  );

  it(
    verifies("A13", "does not say of a question that the live run never asked that it was cancelled"),
    async () => {
      rigChance(0, 1, 1);

      const restarting = restartEverywhere(gamble, { answers: { lucky: true, unlucky: "yes" } });

      await expect(restarting).rejects.toThrow("Unlucky?");
      await expect(restarting).rejects.not.toThrow("was cancelled");
    },
  );

  it.each([
    ["throws", "out of luck"],
    ["returns", undefined],
  ])(
    verifies(
      ["A13", "E5"],
      "fails with both ends side by side where the interrupted run %s before it gets to the restart",
    ),
    async (_, problem) => {
      const fickle = tool({
        name: "fickle",
        durable: true,
        async *run() {
          const isLucky = Math.random() < 0.5;
          if (!isLucky && problem !== undefined) throw new Error(problem);
          return isLucky ? yield* ask.text("Lucky?") : "none";
        },
      });
      rigChance(0, 1, 1);

      const restarting = restartEverywhere(fickle, { answers: ["yes"] });

      await expect(restarting).rejects.toThrow(/^fickle ends differently at 2 of 2 restarts\./);
      await expect(restarting).rejects.toThrow(/- live: +returned "yes"/);
    },
  );

  it(verifies("A13", "fails for Date.now in the result, however fast the tool is"), async () => {
    const stamp = tool({
      name: "stamp",
      durable: true,
      async *run() {
        yield* ask.confirm("Now?");
        return { at: Date.now() };
      },
    });

    for (let time = 1; time <= 20; time++) {
      await expect(restartEverywhere(stamp, { answers: [true] })).rejects.toThrow(
        /^stamp ends differently at \d of 2 restarts\.[^]*returned \{"at":\d+\}[^]*returned \{"at":\d+\}/,
      );
    }
  });

  it(verifies("A13", "passes for step.now, step.random and step.uuid"), async () => {
    const stamp = tool({
      durable: true,
      async *run() {
        const at = yield* step.now();
        yield* ask.confirm("Now?");
        return { at, roll: yield* step.random(), id: yield* step.uuid() };
      },
    });

    expect(await restartEverywhere(stamp, { answers: [true] })).toMatchObject({ restarts: 8 });
  });

  it(verifies("A13", "fails where nothing is scripted for a question, and names it"), async () => {
    await expect(restartEverywhere(greet, { answers: { name: "Ada" } })).rejects.toThrow(
      'The script has no answer to "ask-2" ("Loudly?").',
    );
  });

  it("fails with InvalidInput", async () => {
    // @ts-expect-error the schema requires a city
    await expect(restartEverywhere(book, { answers })).rejects.toThrow("city is required");
  });

  it("fails with an error of a function of the script", async () => {
    const answer = (): never => {
      throw new Error("The script has a mistake.");
    };

    await expect(restartEverywhere(nights, { answers: answer })).rejects.toThrow(
      /^The script has a mistake\.$/,
    );
  });

  it("shows at most five restarts that end differently", async () => {
    let visits = 0;
    const long = tool({
      name: "long",
      async *run() {
        visits++;
        for (let count = 0; count < 4; count++) yield emit.status("working");
        return visits;
      },
    });

    const failure: unknown = await restartEverywhere(long).catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(Error);
    const { message } = failure as Error;
    expect(message).toContain("long ends differently at 8 of 8 restarts.");
    expect(message.match(/- live: /g)).toHaveLength(5);
    expect(message).toContain("3 more");
  });

  it(verifies(["A13", "B8"], "runs the finally blocks of a restarted run that diverged"), async () => {
    let starts = 0;
    let asked = 0;
    let closed = 0;
    const restless = tool({
      name: "restless",
      durable: true,
      async *run() {
        // The first is the live run, then come an interrupted and a restarted one for each restart.
        const isRestarted = ++starts > 1 && starts % 2 === 1;
        try {
          if (isRestarted) asked++;
          return yield* ask.text("Name?", { id: isRestarted ? "other" : "name" });
        } finally {
          if (isRestarted) closed++;
        }
      },
    });

    await expect(restartEverywhere(restless, { answers: { name: "Ada" } })).rejects.toThrow("ReplayDiverged");
    expect({ asked, closed }).toEqual({ asked: 2, closed: 2 });
  });
});
