import {
  ask,
  emit,
  memoryJournal,
  roots,
  run,
  sample,
  startRun,
  step,
  tool,
  type JournalEntry,
} from "@photon/core";
import { testClock } from "@photon/core/testing";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { accept, askedBy, endOf, reread, toolOf } from "./run-helpers.ts";

describe("the entries of a journal (§2.7)", () => {
  it(verifies("E5", "are JSON: a file gives back what was written"), async () => {
    const journal = memoryJournal();
    const story = tool({
      name: "everything",
      version: "1",
      async *run() {
        yield emit.status("begins");
        yield* ask.all({ text: ask.text("Text?"), many: ask.multiselect("Many?", ["a", "b"]) });
        yield* ask.file("File?");
        yield* ask.outcome(ask.form("Form?", { a: ask.number("A?") }));
        yield* ask.secret("Secret?");
        yield* ask.outcome(ask.confirm("Sure?"));
        yield* sample("Hi");
        yield* roots();
        yield* step("give", () => ({ given: [1, null] }));
        yield* step("give", () => undefined);
        yield* ask.outcome(ask.number("Last?"));
        try {
          yield* step("fail", () => {
            throw new Error("no");
          });
        } catch {
          // It is in the journal.
        }
      },
    });
    const answers: Record<string, unknown> = {
      text: "hello",
      many: ["a"],
      "ask-3": { name: "a.txt", type: "text/plain", bytes: new Uint8Array([1, 2, 255]) },
      "ask-4": { a: 1 },
      "ask-5": "hunter2-hunter2",
      "sample-1": { role: "assistant", model: "m", content: { type: "text", text: "hi" } },
      "roots-1": [{ uri: "file:///" }],
      "ask-7": 7,
    };

    await run(
      story,
      {},
      {
        journal,
        ask: ({ key }) =>
          key === "ask-6" ? { action: "decline" } : { action: "accept", value: answers[key] },
      },
    );

    expect(JSON.parse(JSON.stringify(journal.entries))).toStrictEqual(journal.entries);
    expect(journal.entries.length).toBeGreaterThan(18);
  });

  it("say how the run began, what was asked, what was answered and what was done, in order", async () => {
    const journal = memoryJournal();
    const clock = testClock(1000);
    const story = tool({
      version: "7",
      async *run() {
        yield emit.status("one");
        const name = yield* ask.text("Name?", { id: "name" });
        yield emit.status("two");
        return yield* step("greet", () => `Hello, ${name}`);
      },
    });
    await run(story, {}, { journal, clock, ask: () => accept("Ada") });

    expect(journal.entries).toEqual([
      {
        start: {
          can: { form: true, url: true, sample: true, roots: true },
          version: "7",
          source: expect.any(String),
        },
      },
      { asked: { name: ["text", expect.any(String)] }, at: 1000, emits: 1 },
      { key: "name", reply: { action: "accept", value: "Ada" } },
      { step: "greet", value: "Hello, Ada", emits: 2 },
    ]);
  });

  it("hold replies as they came, before any check", async () => {
    const journal = memoryJournal();
    const story = toolOf(async function* () {
      return yield* ask.number("Nights?", { max: 30, retries: 1 });
    });
    const running = startRun(story, {}, { journal });
    await askedBy(running);
    await askedBy(running, { "ask-1": accept("many") });
    await endOf(running, { "ask-1": accept(3) });

    expect(journal.entries.filter((entry) => "key" in entry)).toEqual([
      { key: "ask-1", reply: { action: "accept", value: "many" }, at: expect.any(Number) },
      { key: "ask-1", reply: { action: "accept", value: 3 } },
    ]);
  });

  it(verifies("B6", "hold a secret as { key, secret: true } and nothing more"), async () => {
    const journal = memoryJournal();
    const story = toolOf(async function* () {
      yield* ask.secret("Token?", { id: "token", minLength: 8, retries: 1 });
    });
    const running = startRun(story, {}, { journal });
    await askedBy(running);
    await askedBy(running, { token: accept("short") });
    await endOf(running, { token: accept("long enough") });

    expect(journal.entries.slice(2)).toStrictEqual([
      { key: "token", secret: true },
      { key: "token", secret: true },
    ]);
  });

  it(verifies("B6", "hold a secret that was declined as that"), async () => {
    const journal = memoryJournal();
    const story = toolOf(async function* () {
      yield* ask.outcome(ask.secret("Token?", { id: "token" }));
    });
    const running = startRun(story, {}, { journal });
    await askedBy(running);
    await endOf(running, { token: { action: "decline" } });

    expect(journal.entries.slice(2)).toStrictEqual([{ key: "token", reply: { action: "decline" } }]);
  });

  it("hold the bytes of a file, so that replay gives them back", async () => {
    const journal = memoryJournal();
    const story = toolOf(async function* () {
      const file = yield* ask.file("Picture?");
      return { ...file, bytes: "bytes" in file ? [...file.bytes] : [] };
    });
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const live = await run(
      story,
      {},
      {
        journal,
        ask: () => accept({ name: "p.png", type: "image/png", bytes }),
      },
    );

    expect(await run(story, {}, { journal: reread(journal) })).toEqual(live);
    expect(live.bytes).toEqual([...bytes]);
  });

  it("hold what a model answered with, bytes included, so that replay gives it back", async () => {
    const journal = memoryJournal();
    const story = toolOf(async function* () {
      const { content } = yield* sample("Draw a dot");
      return content;
    });
    const content = { type: "image", mimeType: "image/png", data: new Uint8Array([1, 2, 3]) };

    await run(story, {}, { journal, ask: () => accept({ role: "assistant", model: "m", content }) });

    expect(await run(story, {}, { journal: reread(journal) })).toMatchObject({
      type: "image",
      mimeType: "image/png",
    });
  });

  it("hold what fits a form, whatever else the host put beside it", async () => {
    const journal = memoryJournal();
    const story = toolOf(async function* () {
      return yield* ask.form("Who?", { name: ask.text("Name?") });
    });
    const live = await run(
      story,
      {},
      {
        journal,
        ask: () => accept({ name: "Ada", seen: new Date(0), open: () => {} }),
      },
    );

    expect(await run(story, {}, { journal: reread(journal) })).toEqual(live);
  });

  it("give the body the same answer live and on replay, also for a value that is not JSON", async () => {
    const story = toolOf(async function* () {
      try {
        return yield* ask.number("Nights?");
      } catch (error) {
        return String(error);
      }
    });
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, new Date(0), 1n]) {
      const journal = memoryJournal();
      const live = await run(story, {}, { journal, ask: () => accept(value) });

      expect(await run(story, {}, { journal: reread(journal) })).toBe(live);
    }
  });

  it("are appended one at a time: the next waits until the last is kept", async () => {
    let writing = 0;
    const most: number[] = [];
    const entries: JournalEntry[] = [];
    const story = toolOf(async function* () {
      yield* ask.all({ a: ask.text("A?"), b: ask.text("B?") });
      yield* step("s", () => 1);
    });
    const journal = {
      entries: [],
      async append(entry: JournalEntry) {
        most.push(++writing);
        await Promise.resolve();
        entries.push(entry);
        writing--;
      },
    };
    const running = startRun(story, {}, { journal });
    await askedBy(running);
    await endOf(running, { a: accept("a"), b: accept("b") });

    expect(most).toEqual([1, 1, 1, 1, 1]);
    expect(entries).toHaveLength(5);
  });

  it("are optional: a run needs no journal", async () => {
    const story = toolOf(async function* () {
      return [yield* ask.text("Name?"), yield* step("s", () => 1)];
    });

    expect(await run(story, {}, { ask: () => accept("Ada") })).toEqual(["Ada", 1]);
  });
});
