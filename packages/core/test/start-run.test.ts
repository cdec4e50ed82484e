import {
  ask,
  emit,
  InvalidReply,
  InvalidDefinition,
  RunBusy,
  memoryJournal,
  MissingCapabilities,
  RunCancelled,
  RunDetached,
  startRun,
  step,
  tool,
  type Client,
  type Journal,
  type Run,
} from "@photon/core";
import { testClock } from "@photon/core/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { accept, askedBy, endOf, loadChecks, reread, thrownBy, toolOf } from "./run-helpers.ts";

beforeAll(loadChecks);

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

const greeting = toolOf(async function* () {
  return `Hello, ${yield* ask.text("Name?", { id: "name" })}`;
});

describe("a run", () => {
  it("does nothing until its first next()", async () => {
    const journal = memoryJournal();
    let began = false;
    const story = toolOf(async function* () {
      began = true;
    });

    const running = startRun(story, {}, { journal });
    await testClock().advance("1s");

    expect(began).toBe(false);
    expect(journal.entries).toEqual([]);
    await running.next();
    expect(began).toBe(true);
  });

  it("has an id: its own, or the one it is given", () => {
    expect(startRun(greeting, {}, { runId: "r-1" }).id).toBe("r-1");
    expect(startRun(greeting, {}).id).not.toBe(startRun(greeting, {}).id);
  });

  it("gives the body its input, its id, its client and a signal", async () => {
    const client: Client = {
      name: "inspector",
      version: "3",
      can: { form: true, url: false, sample: false, roots: true },
    };
    const curious = tool({
      input: { type: "object", properties: { city: { type: "string" } } },
      async *run(input, { runId, client: other, signal }) {
        return { input, runId, other, aborted: signal.aborted };
      },
    });

    expect(await endOf(startRun(curious, { city: "Rome" }, { runId: "r", client }))).toEqual({
      input: { city: "Rome" },
      runId: "r",
      other: client,
      aborted: false,
    });
  });

  it("ends with what was returned, emitted to join it, and streamed", async () => {
    const story = toolOf(async function* () {
      yield emit.text("on the way");
      yield emit.stream("once ");
      yield emit.stream("upon");
      return 42;
    });

    expect(await startRun(story, {}).next()).toEqual({
      done: true,
      value: 42,
      artifacts: [{ type: "text", text: "on the way" }],
      streamed: "once upon",
    });
  });

  it("rejects with the very error that the body threw", async () => {
    const mine = new TypeError("mine");
    const story = toolOf(async function* () {
      throw mine;
    });

    expect(await thrownBy(startRun(story, {}).next())).toBe(mine);
  });

  it("refuses a body that is not a generator, and not before it is run", async () => {
    let isCalled = false;
    const plain = { name: "plain", run: (async () => (isCalled = true)) as never };
    const running = startRun(plain, {});

    expect(isCalled).toBe(false);
    const error = await thrownBy(running.next());
    expect(error).toBeInstanceOf(InvalidDefinition);
    expect(error).toMatchObject({
      message: expect.stringMatching(/plain returned a Promise; write its run as an async generator/),
    });
  });
});

describe("a malformed reply (§2.3)", () => {
  const malformed: readonly (readonly [string, unknown])[] = [
    ["no record", "yes"],
    ["a list", [accept("Ada")]],
    ["null", null],
    ["a reply that is no object", { name: "Ada" }],
    ["a reply without an action", { name: { value: "Ada" } }],
    ["a reply with another action", { name: { action: "maybe", value: "Ada" } }],
    ["a reply whose action is a list", { name: { action: ["accept"], value: "Ada" } }],
    ["a reply whose action is an object", { name: { action: { toString: () => "decline" } } }],
    ["a reply whose action is inherited", { name: Object.create({ action: "accept" }) as unknown }],
    ["a reply to another question", { other: 42 }],
  ];

  it.each(malformed)(verifies("B3", "is refused and leaves the run untouched: %s"), async (_, replies) => {
    const journal = memoryJournal();
    const running = startRun(greeting, {}, { journal });
    const round = await askedBy(running);
    const before = [...journal.entries];

    const error = await thrownBy(running.next(replies as never));

    expect(error).toBeInstanceOf(InvalidReply);
    expect(error).toMatchObject({ code: "ILLEGAL_REPLY" });
    expect(journal.entries).toEqual(before);
    expect(await askedBy(running)).toEqual(round);
    expect(await endOf(running, { name: accept("Ada") })).toBe("Hello, Ada");
  });

  it("rejects the valid ones beside it, too", async () => {
    const story = toolOf(async function* () {
      return yield* ask.all({ a: ask.text("A?"), b: ask.text("B?") });
    });
    const running = startRun(story, {});
    await askedBy(running);

    await thrownBy(running.next({ a: accept("a"), b: "b" as never }));

    expect(Object.keys(await askedBy(running))).toEqual(["a", "b"]);
  });
});

describe("a run that is busy", () => {
  it("refuses a second next(), and the first continues", async () => {
    let finish: (value: string) => void = () => {};
    const story = toolOf(async function* () {
      return yield* step(
        "slow",
        () =>
          new Promise<string>((resolve) => {
            finish = resolve;
          }),
      );
    });
    const running = startRun(story, {}, { runId: "r" });
    const first = endOf(running);
    await testClock().advance("1s");

    const error = await thrownBy(running.next());
    finish("done");

    expect(error).toBeInstanceOf(RunBusy);
    expect(error).toMatchObject({ code: "RUN_BUSY" });
    expect(await first).toBe("done");
  });
});

describe("a run that is over", () => {
  const over = async (running: Run<unknown>): Promise<unknown> =>
    thrownBy(running.next({ name: accept("late") }));

  it("says so after it returned", async () => {
    const running = startRun(greeting, {});
    await askedBy(running);
    await endOf(running, { name: accept("Ada") });

    expect(await over(running)).toBeInstanceOf(RunCancelled);
    expect(await over(running)).toMatchObject({
      code: "RUN_CANCELLED",
      message: expect.stringContaining("is over"),
    });
  });

  it("goes no further after it threw", async () => {
    const running = startRun(greeting, {});
    await askedBy(running);
    await thrownBy(running.next({ name: { action: "cancel" } }));

    expect(await over(running)).toBeInstanceOf(Error);
  });

  it("says why after it was closed", async () => {
    const running = startRun(greeting, {});
    await askedBy(running);
    await running.close(new Error("server stops"));

    expect(await over(running)).toMatchObject({ message: "server stops" });
  });

  it(verifies("B2", "drops a late answer: the body does not see it, nor does the journal"), async () => {
    const journal = memoryJournal();
    const seen: unknown[] = [];
    const story = toolOf(async function* () {
      seen.push(yield* ask.text("Name?", { id: "name" }));
    });
    const running = startRun(story, {}, { journal });
    await askedBy(running);
    await running.close();

    await over(running);

    expect(seen).toEqual([]);
    expect(journal.entries.filter((entry) => "key" in entry)).toEqual([]);
  });
});

describe("what a tool needs (§3)", () => {
  const can = { form: true, url: false, sample: false, roots: true };
  const client: Client = { name: "bare", version: "1", can };

  it(verifies("A11", "is looked at before the body starts, and all that is missing is named"), () => {
    let began = false;
    const needy = tool({
      name: "needy",
      needs: ["form", "url", "sample"],
      async *run() {
        began = true;
      },
    });

    expect(() => startRun(needy, {}, { client })).toThrow(MissingCapabilities);
    expect(() => startRun(needy, {}, { client })).toThrow("needy needs a client that can do: url, sample.");
    expect(began).toBe(false);
  });

  it("is met by a client that can do it, and by a program", async () => {
    const needy = tool({
      needs: ["form", "roots"],
      async *run() {
        return "fine";
      },
    });

    expect(await endOf(startRun(needy, {}, { client }))).toBe("fine");
    expect(await endOf(startRun(needy, {}))).toBe("fine");
  });
});

describe("close (§2.4)", () => {
  it(verifies("B8", "aborts the body's signal with the reason, and runs its finally block"), async () => {
    const seen: unknown[] = [];
    const story = tool({
      async *run(_, { signal }) {
        signal.addEventListener("abort", () => seen.push(signal.reason));
        try {
          yield* ask.text("Name?");
        } finally {
          seen.push("finally");
        }
      },
    });
    const running = startRun(story, {});
    await askedBy(running);
    const reason = new Error("client left");

    await running.close(reason);

    expect(seen).toEqual([reason, "finally"]);
  });

  it("shows a signal that is aborted to a body that first looks at it in its finally block", async () => {
    let aborted = false;
    const story = tool({
      async *run(_, context) {
        try {
          yield* ask.text("Name?");
        } finally {
          ({ aborted } = context.signal);
        }
      },
    });
    const running = startRun(story, {});
    await askedBy(running);

    await running.close();

    expect(aborted).toBe(true);
  });

  it(verifies("B8", "ends a next() that is under way with the reason"), async () => {
    const running = startRun(
      toolOf(async function* () {
        yield* step("never", () => new Promise(() => {}));
      }),
      {},
      { grace: "1ms" },
    );
    const ending = thrownBy(running.next());
    await testClock().advance("1s");

    await running.close(new Error("server stops"));

    expect(await ending).toMatchObject({ message: "server stops" });
  });

  it("ends a next() with the reason although that has only just begun", async () => {
    const running = startRun(greeting, {});
    const ending = running.next();

    await running.close(new Error("server stops"));

    await expect(ending).rejects.toThrow("server stops");
  });

  it("ends a next() with the reason while its first entry is being written", async () => {
    const clock = testClock();
    let written: () => void = () => {};
    const running = startRun(
      greeting,
      {},
      {
        clock,
        journal: {
          entries: [],
          append: () =>
            new Promise<void>((resolve) => {
              written = resolve;
            }),
        },
      },
    );
    const ending = thrownBy(running.next());
    await clock.advance("1s");
    const closing = running.close(new Error("server stops"));

    written();
    await clock.advance("6s");
    await closing;

    expect(await ending).toMatchObject({ message: "server stops" });
  });

  it("rejects with RunCancelled where no reason is given", async () => {
    const running = startRun(greeting, {});
    await askedBy(running);

    await running.close();

    expect(await thrownBy(running.next())).toMatchObject({ code: "RUN_CANCELLED" });
  });
});

describe("detach (§2.4)", () => {
  it("leaves a run at its question: no finally block runs, and its journal continues elsewhere", async () => {
    const journal = memoryJournal();
    const order: string[] = [];
    const story = toolOf(async function* () {
      try {
        return yield* ask.text("Name?", { id: "name" });
      } finally {
        yield* step("release", () => void order.push("release"));
      }
    });
    const running = startRun(story, {}, { journal });
    await askedBy(running);

    await running.detach();

    expect(order).toEqual([]);
    const elsewhere = startRun(story, {}, { journal: reread(journal) });
    await askedBy(elsewhere);
    expect(await endOf(elsewhere, { name: accept("Ada") })).toBe("Ada");
    expect(order).toEqual(["release"]);
  });

  it("waits for the step under way, which is recorded, and does nothing after it", async () => {
    const journal = memoryJournal();
    const done: string[] = [];
    let finish = (): void => {};
    const story = toolOf(async function* () {
      yield* step("pay", async ({ signal }) => {
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        done.push(signal.aborted ? "pay, told to stop" : "pay");
      });
      yield* step("send", () => void done.push("send"));
    });
    const running = startRun(story, {}, { journal });
    const ended = thrownBy(running.next());
    await expect.poll(() => journal.entries).toHaveLength(1);

    const detached = running.detach();
    finish();
    await detached;

    expect(await ended).toBeInstanceOf(RunDetached);
    expect(done).toEqual(["pay"]);
    expect(journal.entries.at(-1)).toMatchObject({ step: "pay" });
  });

  it("records every reply that the run was given before", async () => {
    const journal = memoryJournal();
    let write = (): void => {};
    const slow: Journal = {
      entries: journal.entries,
      append: (entry) => {
        if (!("key" in entry)) return journal.append(entry);
        return new Promise((resolve) => {
          write = () => resolve(journal.append(entry));
        });
      },
    };
    const story = toolOf(async function* () {
      return yield* ask.all({ name: ask.text("Name?"), city: ask.text("City?") });
    });
    const running = startRun(story, {}, { journal: slow });
    await askedBy(running);
    const ended = thrownBy(running.next({ name: accept("Ada"), city: accept("Rome") }));

    const detached = running.detach();
    for (const key of ["name", "city"]) {
      await nextTurn();
      write();
      await expect.poll(() => journal.entries.at(-1)).toMatchObject({ key });
    }
    await detached;

    expect(await ended).toBeInstanceOf(RunDetached);
    expect(await endOf(startRun(story, {}, { journal: reread(journal) }))).toEqual({
      name: "Ada",
      city: "Rome",
    });
  });

  it("stops asking answerers", async () => {
    const signals: { readonly aborted: boolean }[] = [];
    const answerer = {
      name: "slow",
      answer: (_: unknown, { signal }: { readonly signal: { readonly aborted: boolean } }) => {
        signals.push(signal);
        return new Promise<undefined>(() => {});
      },
    };
    const running = startRun(greeting, {}, { answerers: [answerer] });
    const ended = thrownBy(running.next());
    await expect.poll(() => signals).toHaveLength(1);

    await running.detach();

    expect(await ended).toBeInstanceOf(RunDetached);
    expect(signals[0]?.aborted).toBe(true);
  });
});

describe("a step whose outcome is unknown", () => {
  it("is noted once more before it is tried again", async () => {
    const begun: string[] = [];
    const story = toolOf(async function* () {
      return yield* step("pay", () => "paid", { onUnknown: "retry" });
    });
    const first = memoryJournal();
    const running = startRun(
      story,
      {},
      {
        journal: { ...first, begin: (entry) => void begun.push(entry.step) },
      },
    );
    await running.next();
    const [started] = first.entries;
    if (started === undefined) throw new Error("The journal is empty.");
    const cut: Journal = {
      ...memoryJournal([started, { step: "pay", begun: true }]),
      begin: (entry) => void begun.push(entry.step),
    };

    expect(await endOf(startRun(story, {}, { journal: cut }))).toBe("paid");

    expect(begun).toEqual(["pay", "pay"]);
  });

  it("has the outcome of its last try on replay", async () => {
    const story = toolOf(async function* () {
      return yield* step("pay", () => "paid again");
    });
    const begun = { step: "pay", begun: true } as const;
    const entries = [begun, begun, { step: "pay", value: "paid", emits: 0 }];

    expect(await endOf(startRun(story, {}, { journal: memoryJournal(entries) }))).toBe("paid");
  });
});

describe("a reply in the journal that its round did not need", () => {
  it("is skipped on replay", async () => {
    const story = toolOf(async function* () {
      const { action } = yield* ask.outcome(ask.all({ name: ask.text("Name?"), city: ask.text("City?") }));
      return `${action}, ${yield* step("send", () => "sent")}`;
    });
    const live = memoryJournal();
    const running = startRun(story, {}, { journal: live });
    await askedBy(running);
    await endOf(running, { name: { action: "decline" } });
    const entries = [...live.entries];
    entries.splice(3, 0, { key: "city", reply: { action: "accept", value: "Rome" } });

    expect(await endOf(startRun(story, {}, { journal: memoryJournal(entries) }))).toBe("decline, sent");
  });
});
