import {
  ask,
  emit,
  memoryJournal,
  ReplayDiverged,
  run,
  startRun,
  step,
  tool,
  ToolVersionChanged,
  SecretRedactor,
  type Body,
  type Emit,
  type Round,
} from "@photon/core";
import { testClock } from "@photon/core/testing";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { accept, askedBy, endOf, reread, thrownBy, toolOf } from "./run-helpers.ts";

/** The journal of a body whose questions are answered by key, up to the first that is not. */
async function journalOf(
  body: () => Body<unknown>,
  answers: { readonly [key: string]: unknown } = {},
): Promise<ReturnType<typeof memoryJournal>> {
  const journal = memoryJournal();
  const running = startRun(toolOf(body), {}, { journal });
  let turn = await running.next();
  while (!turn.done) {
    const given = Object.keys(turn.round).filter((key) => Object.hasOwn(answers, key));
    if (given.length === 0) break;
    turn = await running.next(Object.fromEntries(given.map((key) => [key, accept(answers[key])])));
  }
  return journal;
}

/** What a changed body does with the journal of the body it was before. */
async function divergence(
  journal: Awaited<ReturnType<typeof journalOf>>,
  body: () => Body<unknown>,
): Promise<string> {
  const error = await thrownBy(startRun(toolOf(body), {}, { journal: reread(journal) }).next());
  expect(error).toBeInstanceOf(ReplayDiverged);
  expect(error).toMatchObject({ code: "REPLAY_DIVERGED" });
  return error instanceof Error ? error.message : "";
}

describe("replay (§2.7, §2.8)", () => {
  const story = toolOf(async function* () {
    yield emit.status("begins");
    const name = yield* ask.text("Name?");
    const { a, b } = yield* ask.all({ a: ask.number("A?"), b: ask.confirm("B?") });
    const sum = yield* step("sum", () => a + 1);
    yield emit.status("almost there");
    return { name, b, sum, last: yield* ask.text("Last?", { id: "last" }) };
  });

  it(verifies(["B7", "E5"], "asks the same keys again, whichever process it is on"), async () => {
    const journal = memoryJournal();
    const running = startRun(story, {}, { journal });
    await askedBy(running);
    await askedBy(running, { "ask-1": accept("Ada") });
    const live = await askedBy(running, { a: accept(1), b: accept(true) });

    const again = startRun(story, {}, { journal: reread(journal) });
    const replayed = await askedBy(again);

    expect(replayed).toEqual(live);
    expect(await endOf(again, { last: accept("x") })).toEqual(await endOf(running, { last: accept("x") }));
  });

  it("continues where the journal ends, in the middle of a round", async () => {
    const journal = memoryJournal();
    const running = startRun(story, {}, { journal });
    await askedBy(running);
    await askedBy(running, { "ask-1": accept("Ada") });
    await askedBy(running, { b: accept(true) });

    const again = startRun(story, {}, { journal: reread(journal) });

    expect(Object.keys(await askedBy(again))).toEqual(["a"]);
  });

  it("continues in the middle of the attempts at a question, with its hint", async () => {
    const nights = toolOf(async function* () {
      return yield* ask.number("Nights?", { max: 30, retries: 2 });
    });
    const journal = memoryJournal();
    const clock = testClock();
    const running = startRun(nights, {}, { journal, clock });
    await askedBy(running);
    const live = await askedBy(running, { "ask-1": accept(31) });

    const again = startRun(nights, {}, { journal: reread(journal), clock });

    expect(await askedBy(again)).toEqual(live);
    expect(live).toMatchObject({ "ask-1": { attempt: 2, hint: "must be at most 30", default: 31 } });
  });

  it("throws a recorded non-answer again", async () => {
    const body = toolOf(async function* () {
      try {
        return yield* ask.text("Name?");
      } catch (error) {
        return String(error);
      }
    });
    for (const action of ["decline", "cancel", "timeout", "unsupported"] as const) {
      const journal = memoryJournal();
      const running = startRun(body, {}, { journal });
      await askedBy(running);
      const live = await endOf(running, { "ask-1": { action } });

      expect(await endOf(startRun(body, {}, { journal: reread(journal) }))).toBe(live);
    }
  });

  it("repeats no emit that went out before the last entry, and shows those after it", async () => {
    const shown: Emit[] = [];
    const body = toolOf(async function* () {
      yield emit.status("one");
      yield* step("work", () => 1);
      yield emit.status("two");
      yield* ask.text("Name?");
      yield emit.status("three");
    });
    const journal = memoryJournal();
    await askedBy(startRun(body, {}, { journal }));

    const again = startRun(body, {}, { journal: reread(journal), emit: (effect) => void shown.push(effect) });
    await askedBy(again);
    expect(shown).toEqual([]);
    await endOf(again, { "ask-1": accept("Ada") });

    expect(shown).toEqual([{ emit: "status", message: "three" }]);
  });

  it("keeps the artifacts and streams of before in the result", async () => {
    const body = toolOf(async function* () {
      yield emit.text("first");
      yield emit.stream("once ");
      yield* ask.text("Go on?");
      yield emit.text("second");
      yield emit.stream("upon a time");
    });
    const journal = memoryJournal();
    await askedBy(startRun(body, {}, { journal }));

    const again = startRun(body, {}, { journal: reread(journal) });
    await askedBy(again);

    expect(await again.next({ "ask-1": accept("yes") })).toMatchObject({
      done: true,
      artifacts: [{ text: "first" }, { text: "second" }],
      streamed: "once upon a time",
    });
  });

  it("gives the result of a finished run again, from its journal alone", async () => {
    const journal = await journalOf(story.run as () => Body<unknown>, {
      "ask-1": "Ada",
      a: 1,
      b: true,
      last: "x",
    });
    const turn = await startRun(story, {}, { journal: reread(journal) }).next();

    expect(turn).toMatchObject({ done: true, value: { name: "Ada", b: true, sum: 2, last: "x" } });
  });

  it(verifies("E5", "adds nothing to the journal that is in it already"), async () => {
    const journal = await journalOf(story.run as () => Body<unknown>, { "ask-1": "Ada", a: 1 });
    const copy = reread(journal);

    await askedBy(startRun(story, {}, { journal: copy }));

    expect(copy.entries).toEqual(journal.entries);
  });

  it("reads each entry a few times at most: n questions cost O(n)", async () => {
    const wizard = toolOf(async function* () {
      let sum = 0;
      for (let page = 0; page < 1000; page++) {
        sum += yield* ask.number("Page?");
        if (page % 10 === 0) sum = yield* step("save", () => sum);
      }
      return sum;
    });
    const journal = memoryJournal();
    await run(wizard, {}, { journal, ask: () => accept(1) });
    let reads = 0;
    const entries = new Proxy(reread(journal).entries, {
      get(target, name, receiver): unknown {
        if (typeof name === "string" && /^\d+$/.test(name)) reads++;
        return Reflect.get(target, name, receiver);
      },
    });

    expect(await endOf(startRun(wizard, {}, { journal: { entries, append: () => {} } }))).toBe(1000);
    expect(reads).toBeLessThan(journal.entries.length * 6);
  });
});

describe("divergence (§2.9)", () => {
  const was = async function* (): Body<unknown> {
    const city = yield* ask.text("City?", { id: "city" });
    const found = yield* step("search", () => [city]);
    return [found, yield* ask.confirm("Book?", { id: "book" })];
  };

  it(verifies("E5", "is found by key, naming both questions"), async () => {
    const message = await divergence(await journalOf(was), async function* () {
      yield* ask.text("City?", { id: "town" });
    });

    expect(message).toContain('asks "town"');
    expect(message).toContain('its journal asks "city"');
  });

  it(verifies("E5", "is found by kind, naming both"), async () => {
    const message = await divergence(await journalOf(was), async function* () {
      yield* ask.number("City?", { id: "city" });
    });

    expect(message).toContain('"city" (number');
    expect(message).toContain('"city" (text');
  });

  it.each([
    ["bounds", ask.number("N?", { max: 5 }), ask.number("N?", { max: 6 })],
    ["wholeness", ask.number("N?"), ask.number("N?", { integer: true })],
    ["options", ask.select("S?", ["a", "b"]), ask.select("S?", ["a", "c"])],
    ["format", ask.text("T?", { format: "email" }), ask.text("T?", { format: "uri" })],
    ["fields", ask.form("F?", { a: ask.text("A?") }), ask.form("F?", { b: ask.text("A?") })],
  ])(verifies("E5", "is found by the answer schema: %s"), async (_, before, now) => {
    const journal = await journalOf(async function* () {
      yield* before;
    });

    const message = await divergence(journal, async function* () {
      yield* now;
    });

    expect(message.match(/"ask-1"/g)).toHaveLength(2);
  });

  it(verifies("E5", "is found by the number of questions in a round"), async () => {
    const journal = await journalOf(async function* () {
      yield* ask.all({ a: ask.text("A?"), b: ask.text("B?") });
    });

    const message = await divergence(journal, async function* () {
      yield* ask.all({ a: ask.text("A?") });
    });

    expect(message).toContain('"b"');
  });

  it(verifies("E5", "is found by a step's name, naming both"), async () => {
    const message = await divergence(await journalOf(was, { city: "Rome" }), async function* () {
      yield* ask.text("City?", { id: "city" });
      yield* step("look up", () => 1);
    });

    expect(message).toContain('does the step "look up"');
    expect(message).toContain('its journal does the step "search"');
  });

  it(verifies("E5", "is found where a step replaces a question, and vice versa"), async () => {
    const early = await divergence(await journalOf(was), async function* () {
      yield* step("search", () => 1);
    });
    const late = await divergence(await journalOf(was, { city: "Rome" }), async function* () {
      yield* ask.text("City?", { id: "city" });
      yield* ask.text("More?", { id: "more" });
    });

    expect(early).toContain('does the step "search", but its journal asks "city"');
    expect(late).toMatch(/asks "more" .* but its journal does the step "search"/);
  });

  it(verifies("E5", "is found where the body ends before its journal does"), async () => {
    const message = await divergence(await journalOf(was, { city: "Rome" }), async function* () {
      yield* ask.text("City?", { id: "city" });
      return "early";
    });

    expect(message).toContain('has ended, but its journal does the step "search"');
  });

  it("is found where the body waits longer for a question than before", async () => {
    const journal = await journalOf(
      async function* () {
        yield* ask.number("N?");
        yield* step("next", () => 1);
      },
      { "ask-1": 7 },
    );
    const entries = journal.entries.filter((entry) => !("key" in entry));

    const error = await thrownBy(
      startRun(
        toolOf(async function* () {
          yield* ask.number("N?");
        }),
        {},
        { journal: memoryJournal(entries) },
      ).next(),
    );

    expect(error).toBeInstanceOf(ReplayDiverged);
  });

  it("ends the run: no step is done, no question asked, and finally blocks run", async () => {
    const done: string[] = [];
    const journal = await journalOf(was, { city: "Rome" });
    const changed = toolOf(async function* () {
      try {
        yield* ask.text("City?", { id: "city" });
        yield* step("look up", () => done.push("look up"));
      } catch {
        done.push("caught");
      } finally {
        done.push("finally");
        try {
          yield* step("clean up", () => done.push("clean up"));
        } catch {
          done.push("not cleaned up");
        }
      }
    });

    await thrownBy(startRun(changed, {}, { journal: reread(journal) }).next());

    expect(done).toEqual(["finally", "not cleaned up"]);
  });

  it.each([
    ["message", ask.text("Town?", { id: "q" })],
    ["default", ask.text("City?", { id: "q", default: "Rome" })],
    ["label and description", ask.text("City?", { id: "q", label: "Town", description: "Any" })],
    [
      "timeout, retries and fallback",
      ask.text("City?", { id: "q", timeout: "9m", retries: 5, fallback: { cancel: "" } }),
    ],
  ])(verifies("E5", "is not seen in a changed %s"), async (_, now) => {
    const journal = await journalOf(async function* () {
      yield* ask.text("City?", { id: "q" });
    });

    const round = await askedBy(
      startRun(
        toolOf(async function* () {
          yield* now;
        }),
        {},
        { journal: reread(journal) },
      ),
    );

    expect(Object.keys(round)).toEqual(["q"]);
  });

  it.each([
    ["default", { day: ask.date("Day?", { default: "2026-01-02" }) }],
    ["message", { day: ask.date("Which day?", { default: "2026-01-01" }) }],
    ["description", { day: ask.date("Day?", { default: "2026-01-01", description: "Any" }) }],
  ])(verifies("E5", "is not seen in a changed %s of a form's field"), async (_, fields) => {
    const journal = await journalOf(async function* () {
      yield* ask.form("When?", { day: ask.date("Day?", { default: "2026-01-01" }) });
    });
    const now = toolOf(async function* () {
      yield* ask.form("When?", fields);
    });

    const round = await askedBy(startRun(now, {}, { journal: reread(journal) }));

    expect(Object.keys(round)).toEqual(["ask-1"]);
  });

  it("is not seen in the changed titles of options", async () => {
    const journal = await journalOf(async function* () {
      yield* ask.select("Room?", { single: "Single" });
    });
    const now = toolOf(async function* () {
      yield* ask.select("Room?", { single: "A single room" });
    });

    expect(Object.keys(await askedBy(startRun(now, {}, { journal: reread(journal) })))).toEqual(["ask-1"]);
  });

  it(verifies("E5", "is explained by a source that has changed, or by one that has not"), async () => {
    let names = ["first", "second"];
    const fickle = async function* (): Body<void> {
      yield* ask.text("Q?", { id: names.shift() ?? "none" });
    };
    const same = await divergence(await journalOf(fickle), fickle);
    names = ["first"];
    const changed = await divergence(await journalOf(fickle), async function* () {
      yield* ask.text("Q?", { id: "other" });
    });

    expect(same).toContain("Its source is the same as when the run began");
    expect(changed).toContain("Its source has changed since the run began");
  });

  it("is not caused by a source that has changed and asks the same", async () => {
    const journal = await journalOf(was, { city: "Rome" });
    const rewritten = toolOf(async function* () {
      const answer = yield* ask.text("City?", { id: "city" });
      yield* step("search", () => ({ answer }));
      return yield* ask.confirm("Really book?", { id: "book" });
    });

    expect(Object.keys(await askedBy(startRun(rewritten, {}, { journal: reread(journal) })))).toEqual([
      "book",
    ]);
  });
});

describe("the start entry (§2.9)", () => {
  const versioned = (version: string | undefined, began: () => void = () => {}) =>
    tool({
      name: "booking",
      ...(version === undefined ? {} : { version }),
      async *run() {
        began();
        return yield* ask.text("Name?");
      },
    });

  it.each([
    ["1", "2"],
    ["1", undefined],
    [undefined, "1"],
  ])(
    verifies("E5", "version %s that became %s is ToolVersionChanged before anything runs"),
    async (was, is) => {
      const journal = memoryJournal();
      await askedBy(startRun(versioned(was), {}, { journal }));
      let began = false;
      const changed = versioned(is, () => {
        began = true;
      });

      const error = await thrownBy(run(changed, {}, { journal: reread(journal) }));

      expect(error).toBeInstanceOf(ToolVersionChanged);
      expect(error).toMatchObject({ code: "TOOL_CHANGED", message: expect.stringContaining("booking") });
      expect(began).toBe(false);
    },
  );

  it("lets the same version go on, whatever its source", async () => {
    const journal = memoryJournal();
    await askedBy(startRun(versioned("1"), {}, { journal }));

    const again = await askedBy(
      startRun(
        versioned("1", () => {}),
        {},
        { journal: reread(journal) },
      ),
    );

    expect(Object.keys(again)).toEqual(["ask-1"]);
  });

  it(
    verifies("A11", "shows the body the capabilities of its first client, also if another client continues"),
    async () => {
      const seen: boolean[] = [];
      const able = tool({
        async *run(_, { client }) {
          seen.push(client.can.sample);
          if (client.can.sample) yield* ask.text("With a model?");
          else yield* ask.text("Without?", { id: "without" });
        },
      });
      const can = { form: true, url: true, sample: false, roots: false };
      const journal = memoryJournal();
      await askedBy(startRun(able, {}, { journal, client: { name: "first", version: "1", can } }));

      const again = startRun(
        able,
        {},
        {
          journal: reread(journal),
          client: { name: "second", version: "1", can: { ...can, sample: true } },
        },
      );

      expect(Object.keys(await askedBy(again))).toEqual(["without"]);
      expect(seen).toEqual([false, false]);
    },
  );
});

describe("secrets on replay (§7)", () => {
  const login = toolOf(async function* () {
    const token = yield* ask.secret("Token?", { id: "token", minLength: 8, retries: 2 });
    const length = yield* step("log in", () => token.reveal().length);
    return [length, yield* ask.text("Name?", { id: "name" }), token.reveal().length];
  });

  it(verifies("B6", "are taken from the SecretRedactor if it still has them"), async () => {
    const secrets = new SecretRedactor();
    const journal = memoryJournal();
    const running = startRun(login, {}, { journal, secrets });
    await askedBy(running);
    await askedBy(running, { token: accept("hunter2-hunter2") });

    const again = startRun(login, {}, { journal: reread(journal), secrets });

    expect(Object.keys(await askedBy(again))).toEqual(["name"]);
    expect(await endOf(again, { name: accept("Ada") })).toEqual([15, "Ada", 15]);
  });

  it(
    verifies("B6", "are asked again where they are gone, in the middle of a journal, and once"),
    async () => {
      const journal = memoryJournal();
      const running = startRun(login, {}, { journal });
      await askedBy(running);
      await askedBy(running, { token: accept("hunter2-hunter2") });
      const copy = reread(journal);
      const again = startRun(login, {}, { journal: copy });

      expect(Object.keys(await askedBy(again))).toEqual(["token"]);
      expect(Object.keys(await askedBy(again, { token: accept("hunter3-hunter3") }))).toEqual(["name"]);
      expect(await endOf(again, { name: accept("Ada") })).toEqual([15, "Ada", 15]);
      expect(copy.entries.filter((entry) => "secret" in entry)).toHaveLength(1);
    },
  );

  it("are asked again with a whole new wait", async () => {
    const clock = testClock();
    const journal = memoryJournal();
    const running = startRun(login, {}, { journal, clock });
    await askedBy(running);
    await askedBy(running, { token: accept("hunter2-hunter2") });
    await clock.advance("1h");

    const round = await askedBy(startRun(login, {}, { journal: reread(journal), clock }));

    expect(round).toMatchObject({ token: { deadline: clock.now() + 300_000 } });
  });

  it(verifies("B6", "are asked again once although it took two attempts to give them"), async () => {
    const journal = memoryJournal();
    const running = startRun(login, {}, { journal });
    await askedBy(running);
    await askedBy(running, { token: accept("short") });
    await askedBy(running, { token: accept("hunter2-hunter2") });
    const again = startRun(login, {}, { journal: reread(journal) });

    expect(Object.keys(await askedBy(again))).toEqual(["token"]);
    expect(Object.keys(await askedBy(again, { token: accept("hunter2-hunter2") }))).toEqual(["name"]);
  });

  it("go through every attempt again if the SecretRedactor has them all", async () => {
    const secrets = new SecretRedactor();
    const journal = memoryJournal();
    const running = startRun(login, {}, { journal, secrets });
    await askedBy(running);
    await askedBy(running, { token: accept("short") });
    await askedBy(running, { token: accept("hunter2-hunter2") });

    expect(Object.keys(await askedBy(startRun(login, {}, { journal: reread(journal), secrets })))).toEqual([
      "name",
    ]);
  });

  it("may be mistyped when they are asked again: the run can still be replayed after that", async () => {
    const first = memoryJournal();
    const running = startRun(login, {}, { journal: first });
    await askedBy(running);
    await askedBy(running, { token: accept("hunter2-hunter2") });
    const secrets = new SecretRedactor();
    const second = reread(first);
    const restarted = startRun(login, {}, { journal: second, secrets });
    await askedBy(restarted);
    await askedBy(restarted, { token: accept("oops") });
    await askedBy(restarted, { token: accept("hunter2-hunter2") });

    const again = startRun(login, {}, { journal: reread(second), secrets });

    expect(Object.keys(await askedBy(again))).toEqual(["name"]);
  });

  it("may be declined when they are asked again, which the next replay repeats", async () => {
    const story = toolOf(async function* () {
      const { action } = yield* ask.outcome(ask.secret("Token?", { id: "token" }));
      return `${action}, ${yield* ask.text("Name?", { id: "name" })}`;
    });
    const first = memoryJournal();
    const running = startRun(story, {}, { journal: first });
    await askedBy(running);
    // The process ends between the answer and what follows it.
    const cut = memoryJournal([...first.entries, { key: "token", secret: true }]);
    const second = reread(cut);
    const restarted = startRun(story, {}, { journal: second });
    await askedBy(restarted);
    await askedBy(restarted, { token: { action: "decline" } });

    const again = startRun(story, {}, { journal: reread(second) });

    expect(Object.keys(await askedBy(again))).toEqual(["name"]);
    expect(await endOf(again, { name: accept("Ada") })).toBe("decline, Ada");
  });

  it(verifies("B6", "are asked again alone in an ask.all, whose other answers are kept"), async () => {
    const both = toolOf(async function* () {
      const { user, password, host } = yield* ask.all({
        user: ask.text("User?"),
        password: ask.secret("Password?"),
        host: ask.text("Host?"),
      });
      const done = yield* step("connect", () => true);
      return [user, password.reveal().length, host, done, yield* ask.text("Next?")];
    });
    const journal = memoryJournal();
    const running = startRun(both, {}, { journal });
    await askedBy(running);
    await askedBy(running, { user: accept("ada"), password: accept("hunter2-hunter2"), host: accept("h") });
    const again = startRun(both, {}, { journal: reread(journal) });

    expect(Object.keys(await askedBy(again))).toEqual(["password"]);
    expect(Object.keys(await askedBy(again, { password: accept("hunter2-hunter2") }))).toEqual(["ask-4"]);
    expect(await endOf(again, { "ask-4": accept("n") })).toEqual(["ada", 15, "h", true, "n"]);
  });

  it("are asked again beside the unanswered questions of a round", async () => {
    const both = toolOf(async function* () {
      return yield* ask.all({ password: ask.secret("Password?"), host: ask.text("Host?") });
    });
    const journal = memoryJournal();
    const running = startRun(both, {}, { journal });
    await askedBy(running);
    await askedBy(running, { password: accept("hunter2-hunter2") });

    const round: Round = await askedBy(startRun(both, {}, { journal: reread(journal) }));

    expect(Object.keys(round)).toEqual(["password", "host"]);
  });
});
