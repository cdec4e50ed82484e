import { describe, expect, it } from "vitest";
import {
  ask,
  emit,
  InvalidAsk,
  InvalidDefinition,
  interpret,
  PhotonError,
  roots,
  sample,
  step,
  UnknownEffect,
  type Body,
  type Effect,
  type Emit,
} from "@photon/core";
import * as z from "zod";
import { verifies } from "../../../test/requirements.ts";
import { isAskEffect, parseEffect } from "../src/runtime/parse-effect.ts";

/** What the gate throws at something that means nothing. */
function refusalOf(yielded: unknown): Error {
  try {
    parseEffect(yielded);
  } catch (error) {
    if (error instanceof PhotonError) return error;
    throw error;
  }
  throw new Error("It was let through.");
}

/** What an effect says, without what makes it take `yield*`. */
const dataOf = (effect: object): object => Object.fromEntries(Object.entries(effect));

/** Plays a body to its end for a person who accepts every question with this value. */
async function accepting<Result>(value: unknown, body: Body<Result>): Promise<Result> {
  const rounds = interpret(body);
  let turn = await rounds.next();
  while (turn.done !== true) {
    const accepted = Object.keys(turn.value).map((key) => [key, { action: "accept", value }] as const);
    turn = await rounds.next(Object.fromEntries(accepted));
  }
  return turn.value;
}

/** A body that yields one thing, and returns what it was resumed with. */
async function* yieldingOnce(yielded: unknown): Body<unknown> {
  const resumed: unknown = yield yielded as Effect;
  return resumed;
}

/** A proxy that cannot be looked at: every trap throws. */
function trapped(target: object): object {
  const trap = (): never => {
    throw new Error("trap");
  };
  return new Proxy(target, { get: trap, has: trap, getPrototypeOf: trap, ownKeys: trap });
}

const looped: Record<string, unknown> = { name: "loop" };
looped["self"] = looped;

const one = (): number => 1;

const unreadable = {
  get emit(): string {
    throw new Error("getter");
  },
};

class Mood {
  readonly emit = "status";
  readonly message = "fine";
}

describe("the gate", () => {
  it.each([
    ["a status", emit.status("Working")],
    ["a progress", emit.progress(0.5, "Half")],
    ["a log", emit.log("info", { rows: 3 })],
    ["an artifact", emit.image("aGk=", "image/png")],
    ["a stream", emit.stream("So ")],
  ])("lets through %s that a constructor made", (_, effect) => {
    expect(parseEffect(effect)).toEqual(effect);
  });

  it.each([
    ["an ask", ask.text("Name?")],
    ["a round", ask.all({ name: ask.text("Name?") })],
    ["an outcome", ask.outcome(ask.text("Name?"))],
    ["a step", step("reserve", () => 1)],
    ["a sample", sample("Say hi")],
    ["a request for roots", roots()],
  ])("lets through %s that a constructor made, as the same object", (_, effect) => {
    expect(parseEffect(effect)).toBe(effect);
  });

  it("distinguishes effects that wait for an answer", () => {
    const waiting = [ask.text("Name?"), ask.all({ a: ask.text("A?") }), sample("Say hi"), roots()];

    expect(waiting.map(isAskEffect)).toEqual([true, true, true, true]);
    expect([emit.status("Working"), step.now()].map(isAskEffect)).toEqual([false, false]);
  });
});

describe("raw emits", () => {
  it.each([
    [{ emit: "status", message: "Working" }, emit.status("Working")],
    [{ emit: "progress", value: 0.25 }, emit.progress(0.25)],
    [{ emit: "progress", value: 1, message: "Done" }, emit.progress(1, "Done")],
    [{ emit: "log", level: "error", data: [1] }, emit.log("error", [1])],
    [{ emit: "log", message: "hello" }, emit.log("info", "hello")],
    [{ emit: "log", message: "hello", data: 7 }, emit.log("info", { message: "hello", data: 7 })],
    [{ emit: "stream", text: "So " }, emit.stream("So ")],
  ])(verifies("A1", "are read in their long form: %j"), (raw, effect) => {
    expect(parseEffect(raw)).toEqual(effect);
  });

  it.each([
    [{ emit: "toast", message: "Saved", type: "success" }, emit.status("Saved")],
    [{ emit: "thinking", active: true }, emit.status("Thinking")],
    [{ emit: "thinking", active: false }, emit.status("Done thinking")],
    [{ emit: "stream", data: "So " }, emit.stream("So ")],
    [{ emit: "stream", data: { rows: 3 } }, emit.stream('{"rows":3}')],
    [{ emit: "log", level: "warn", message: "Low" }, emit.log("warning", "Low")],
  ])(verifies("A2", "are understood as other Photon runtimes write them: %j"), (raw, effect) => {
    expect(parseEffect(raw)).toEqual(effect);
  });

  it.each([
    ["ours, in content", { content: { type: "text", text: "hi" } }, { type: "text", text: "hi" }],
    ["ours, beside emit", { type: "text", text: "hi" }, { type: "text", text: "hi" }],
    [
      "MCP's image",
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
    ],
    [
      "MCP's resource",
      { content: { type: "resource", resource: { uri: "file:///a", blob: "aGk=" } } },
      { type: "resource", uri: "file:///a", data: "aGk=" },
    ],
    [
      "MCP's link",
      { type: "resource_link", uri: "file:///a", name: "a" },
      { type: "link", uri: "file:///a", name: "a" },
    ],
    [
      "another runtime's code",
      { type: "code", language: "ts", content: "let a;" },
      { type: "text", text: "let a;" },
    ],
    [
      "another runtime's image",
      { type: "image", url: "https://a.example/b.png", title: "B", mimeType: "image/png" },
      { type: "link", uri: "https://a.example/b.png", name: "B", mimeType: "image/png" },
    ],
    [
      "another runtime's document without a title",
      { type: "document", url: "https://a.example/c.pdf" },
      { type: "link", uri: "https://a.example/c.pdf", name: "https://a.example/c.pdf" },
    ],
  ])(verifies("A2", "take an artifact in every spelling: %s"), (_, fields, content) => {
    expect(parseEffect({ emit: "artifact", ...fields })).toEqual({ emit: "artifact", content });
  });

  it.each([
    [{ emit: "status" }, "message"],
    [{ emit: "status", message: 42 }, "message"],
    [{ emit: "toast", message: null }, "message"],
    [{ emit: "progress" }, "from 0 to 1"],
    [{ emit: "progress", value: 50 }, "from 0 to 1"],
    [{ emit: "progress", value: Number.NaN }, "from 0 to 1"],
    [{ emit: "progress", value: "0.5" }, "from 0 to 1"],
    [{ emit: "log", level: "loud", data: 1 }, "loud"],
    [{ emit: "artifact" }, "artifact"],
    [{ emit: "artifact", type: "image", data: 42, mimeType: "image/png" }, "artifact"],
  ])("are refused, and the error names the problem: %j", (raw, words) => {
    expect(refusalOf(raw)).toBeInstanceOf(UnknownEffect);
    expect(refusalOf(raw).message).toContain(words);
  });
});

describe("raw asks", () => {
  it.each([
    ["text", { maxLength: 3 }],
    ["number", { min: 1, max: 30, integer: true }],
    ["rating", { max: 3 }],
    ["confirm", { dangerous: true }],
    ["select", { options: ["a", "b"] }],
    ["multiselect", { options: { a: "A", b: "B" }, min: 1 }],
    ["date", { time: true }],
    ["secret", { minLength: 8 }],
    ["file", { accept: ["image/*"], maxBytes: 10 }],
    ["form", { schema: { type: "object", properties: { name: { type: "string" } } } }],
    ["url", { url: "https://a.example/" }],
  ])(verifies(["A1", "A2", "A3"], "are the same in long and short form: %s"), (kind, fields) => {
    const long = parseEffect({ emit: "ask", ask: kind, message: "Well?", ...fields });
    const short = parseEffect({ ask: kind, message: "Well?", ...fields });

    expect(dataOf(short)).toEqual(dataOf(long));
    expect(long).toMatchObject({ emit: "ask", ask: kind, message: "Well?" });
    expect(Object.isFrozen(long)).toBe(true);
  });

  it(verifies("A1", "are a form where they have a message and a schema"), () => {
    const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };

    expect(parseEffect({ emit: "ask", message: "Who?", schema })).toEqual({
      emit: "ask",
      ask: "form",
      message: "Who?",
      schema,
    });
  });

  it.each([
    [{ ask: "password", message: "Key?" }, ask.secret("Key?")],
    [{ ask: "select", message: "Which?", options: ["a"], multi: true }, ask.multiselect("Which?", ["a"])],
    [{ ask: "select", message: "Which?", options: ["a"], multi: false }, ask.select("Which?", ["a"])],
    [
      { ask: "select", message: "Which?", options: [{ value: "a", label: "A" }] },
      ask.select("Which?", { a: "A" }),
    ],
    [{ ask: "date", message: "When?", includeTime: true }, ask.date("When?", { time: true })],
    [
      { ask: "file", message: "File?", accept: ".pdf, image/*", multiple: false },
      ask.file("File?", { accept: [".pdf", "image/*"] }),
    ],
    [{ ask: "text", message: "Name?", placeholder: "Ada", required: true }, ask.text("Name?")],
    [
      { ask: "number", message: "How many?", min: 0, max: 10, step: 2 },
      ask.number("How many?", { min: 0, max: 10 }),
    ],
    [
      { ask: "url", message: "Sign in", url: "https://a.example/", elicitationId: "1" },
      ask.url("Sign in", "https://a.example/"),
    ],
  ])(verifies("A2", "are understood as other Photon runtimes write them: %j"), (raw, made) => {
    expect(dataOf(parseEffect(raw))).toEqual(dataOf(made));
  });

  it.each([
    [{ ask: "text", message: "Name?", required: false }, "fallback"],
    [{ ask: "file", message: "Files?", multiple: true }, "one file"],
  ])("are refused where they ask for what there is not: %j", (raw, words) => {
    expect(refusalOf(raw)).toBeInstanceOf(InvalidAsk);
    expect(refusalOf(raw).message).toContain(words);
  });

  it("may stand in a round and in an outcome", () => {
    const raw = {
      emit: "ask",
      ask: "all",
      asks: {
        name: { ask: "text", message: "Name?" },
        sure: { ask: "outcome", of: { ask: "confirm", message: "Sure?" } },
      },
    };
    const made = ask.all({ name: ask.text("Name?"), sure: ask.outcome(ask.confirm("Sure?")) });

    expect(JSON.parse(JSON.stringify(parseEffect(raw)))).toEqual(JSON.parse(JSON.stringify(made)));
  });

  it.each([
    [{ emit: "ask" }, "it has no ask"],
    [{ emit: "ask", message: "Well?" }, "it has no ask"],
    [{ ask: "text" }, "message"],
    [{ ask: "text", message: 42 }, "message"],
    [{ emit: "ask", schema: { type: "object", properties: {} } }, "message"],
  ])("are refused where half of them is missing: %j", (raw, words) => {
    expect(refusalOf(raw)).toBeInstanceOf(UnknownEffect);
    expect(refusalOf(raw).message).toContain(words);
  });

  it.each(["colour", "Text", "__proto__", "toString", ""])(
    verifies("A2", "are refused by the name of a kind there is not: %j"),
    (kind) => {
      const refusal = refusalOf({ ask: kind, message: "Well?" });

      expect(refusal).toBeInstanceOf(UnknownEffect);
      expect(refusal.message).toContain(JSON.stringify(kind));
      expect(refusal.message).toContain('"multiselect"');
    },
  );

  it(verifies("A2", "are refused by the name of their kind however much else they say"), () => {
    expect(refusalOf({ message: "Well? ".repeat(100), ask: "colour" }).message).toContain('"colour"');
  });

  it.each([
    [{ ask: "text", message: "Name?", maxlength: 3 }, "maxlength"],
    [{ ask: "confirm", message: "Sure?", min: 1 }, "min"],
    [{ ask: "secret", message: "Key?", default: "abc" }, "default"],
    [{ emit: "ask", message: "Who?", schema: z.object({ a: z.string() }), pattern: "a" }, "pattern"],
    [{ emit: "sample", prompt: "Say hi", tempreature: 1 }, "tempreature"],
    [{ emit: "roots", under: "/home" }, "under"],
  ])("are refused by the name of an option there is not: %o", (raw, option) => {
    expect(refusalOf(raw)).toBeInstanceOf(InvalidAsk);
    expect(refusalOf(raw).message).toContain(`"${option}"`);
  });

  it("are refused under the message of the question, as it was written", () => {
    expect(refusalOf({ ask: "text", message: "Name?", maxlength: 3 }).message).toMatch(
      /^The question "Name\?" cannot be asked: ask\.text has no "maxlength"/,
    );
  });

  it.each([
    ["without questions", { ask: "all", asks: {} }],
    ["without asks", { ask: "all" }],
    ["of a status", { ask: "all", asks: { a: { emit: "status", message: "Working" } } }],
    ["of rounds", { ask: "all", asks: { a: ask.all({ b: ask.text("B?") }) } }],
    ["of nothing", { ask: "all", asks: { a: null } }],
  ])("are refused as a round %s", (_, raw) => {
    expect(refusalOf(raw)).toBeInstanceOf(PhotonError);
  });

  it.each([
    ["a status", { emit: "status", message: "Working" }],
    ["a step", { emit: "step", name: "pay", run: one }],
    ["an outcome", ask.outcome(ask.text("Name?"))],
    ["nothing", undefined],
  ])("are refused as the outcome of %s", (_, of) => {
    expect(refusalOf({ ask: "outcome", of })).toBeInstanceOf(PhotonError);
  });
});

describe("raw steps, samples and roots", () => {
  it("are read as their constructors make them", () => {
    const run = (): number => 1;

    expect(dataOf(parseEffect({ emit: "step", name: "pay", run, onUnknown: "retry" }))).toEqual(
      dataOf(step("pay", run, { onUnknown: "retry" })),
    );
    expect(dataOf(parseEffect({ emit: "step", step: "now" }))).toEqual(dataOf(step.now()));
    expect(dataOf(parseEffect({ emit: "sample", prompt: "Say hi", maxTokens: 10 }))).toEqual(
      dataOf(sample("Say hi", { maxTokens: 10 })),
    );
    expect(dataOf(parseEffect({ emit: "roots", timeout: "1m" }))).toEqual(dataOf(roots({ timeout: "1m" })));
  });

  it.each([
    ["a step without a name", { emit: "step", run: one }, InvalidDefinition],
    ["a step without a function", { emit: "step", name: "pay" }, InvalidDefinition],
    ["a step of no kind there is", { emit: "step", step: "tomorrow", name: "a", run: one }, PhotonError],
    ["a sample without messages", { emit: "sample" }, InvalidAsk],
    ["a sample of something else", { emit: "sample", messages: 42 }, InvalidAsk],
    ["a sample of messages that are none", { emit: "sample", messages: [42] }, InvalidAsk],
    ["roots with a bad timeout", { emit: "roots", timeout: {} }, InvalidAsk],
  ])("refuse %s", (_, raw, kind) => {
    expect(refusalOf(raw)).toBeInstanceOf(kind);
  });
});

describe("anything else", () => {
  it.each<[string, unknown, string]>([
    ["null", null, "null"],
    ["undefined", undefined, "undefined"],
    ["a string", "Working", '"Working"'],
    ["a number", 42, "42"],
    ["true", true, "true"],
    ["a bigint", 10n, "10"],
    ["a symbol", Symbol("mood"), "Symbol(mood)"],
    ["a function", ask.text, "text"],
    ["an empty object", {}, "{}"],
    ["an object that says nothing", { message: "Working" }, '{ message: "Working" }'],
    ["an array", [emit.status("a"), emit.status("b")], "an array of 2"],
    ["a class instance", new Mood(), "a Mood"],
    ["a date", new Date(0), "a Date"],
    ["an error", new TypeError("oops"), "a TypeError"],
    ["a cyclic object", looped, '{ name: "loop", self: {…} }'],
    ["an unknown emit", { emit: "confetti", count: 3 }, '{ emit: "confetti", count: 3 }'],
    ["an emit that is no text", { emit: 42 }, "{ emit: 42 }"],
    ["an emit that is nothing", { emit: null, ask: "text", message: "Name?" }, "emit: null"],
    ["an ask that is no text", { ask: 42, message: "Name?" }, "ask: 42"],
  ])("is refused with what was yielded and what may be: %s", (_, yielded, shown) => {
    const refusal = refusalOf(yielded);

    expect(refusal).toBeInstanceOf(UnknownEffect);
    expect(refusal.message).toContain(shown);
    expect(refusal.message).toMatch(
      /emit "status", .*"roots", with ask "confirm", .*"url", "all", "outcome"\.$/,
    );
  });

  it(verifies("A2", "is refused by the name of its emit however much else it says"), () => {
    expect(refusalOf({ data: "x".repeat(500), emit: "confetti" }).message).toContain('"confetti"');
  });

  it("is refused where it is a promise, with the hint to await it", () => {
    expect(refusalOf(Promise.resolve(emit.status("a"))).message).toContain("Await it first.");
  });

  it("is refused where it is a string, with the way to say it", () => {
    expect(refusalOf("Working").message).toContain('{ emit: "status", message: … }');
  });

  it("is refused where it is an async generator, with the hint to delegate", () => {
    async function* other(): Body<void> {
      yield emit.status("Working");
    }

    expect(refusalOf(other()).message).toContain("yield*");
  });

  it.each([
    ["a proxy whose traps throw", trapped({})],
    ["a proxy of an array whose traps throw", trapped([])],
    [
      "a proxy of a map that cannot be asked what it has",
      new Proxy(new Map(), {
        has: () => {
          throw new Error("trap");
        },
      }),
    ],
    ["a getter that throws", unreadable],
    [
      "a field whose getter throws",
      {
        ask: "text",
        get message(): string {
          throw new Error("getter");
        },
      },
    ],
  ])("is refused if it cannot be read: %s", (_, yielded) => {
    const refusal = refusalOf(yielded);

    expect(refusal).toBeInstanceOf(UnknownEffect);
    expect(refusal.message).toContain("A tool yielded a");
    expect(refusal.message).toContain('emit "status"');
  });

  it("is refused where it is a proxy that was revoked", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();

    expect(refusalOf(proxy).message).toContain("a value that cannot be read");
  });

  it("is refused where a round contains itself", () => {
    const round: Record<string, unknown> = { ask: "all" };
    round["asks"] = { again: round };

    expect(refusalOf(round)).toBeInstanceOf(UnknownEffect);
  });

  it("is refused where it only looks like what a constructor made", () => {
    const fake = Object.freeze({ emit: "confetti", *[Symbol.iterator]() {} });

    expect(refusalOf(fake)).toBeInstanceOf(UnknownEffect);
  });
});

describe("through the interpreter", () => {
  it.each<[string, unknown]>([
    ["null", null],
    ["undefined", undefined],
    ["a string", "Working"],
    ["a number", 42],
    ["an array", []],
    ["a class instance", new Mood()],
    ["a cyclic object", looped],
    ["an unknown emit", { emit: "confetti" }],
    ["an unknown ask", { ask: "colour", message: "Which?" }],
    ["an impossible ask", { ask: "select", message: "Which?", options: [] }],
    ["an unknown option", { ask: "text", message: "Name?", maxlength: 3 }],
    ["a getter that throws", unreadable],
  ])(
    "a refusal is thrown into the body at its yield, and the body continues after %s",
    async (_, yielded) => {
      const emitted: Emit[] = [];
      async function* body(): Body<string> {
        let caught = "nothing";
        try {
          yield yielded as Effect;
        } catch (error) {
          caught = error instanceof PhotonError ? "a refusal" : "something else";
        }
        yield emit.status("Going on");
        return caught;
      }

      const turn = await interpret(body(), { emit: (effect) => void emitted.push(effect) }).next();

      expect(turn).toEqual({ done: true, value: "a refusal" });
      expect(emitted).toEqual([emit.status("Going on")]);
    },
  );

  it("a refusal that is not caught ends the run, and runs the body's finally block", async () => {
    let closed = false;
    async function* body(): Body<void> {
      try {
        yield { emit: "confetti" };
      } finally {
        closed = true;
      }
    }

    await expect(interpret(body()).next()).rejects.toThrow(/confetti.*emit "status"/);
    expect(closed).toBe(true);
  });

  it("an async generator awaits what it yields, so a promise of an effect is that effect", async () => {
    const given = await accepting("Ada", yieldingOnce(Promise.resolve(ask.text("Name?"))));

    expect(given).toBe("Ada");
  });

  it("a promise that a body of another make yields is refused with the hint to await it", async () => {
    const thrown: unknown[] = [];
    const body = {
      next: () => Promise.resolve({ done: false, value: Promise.resolve(1) }),
      throw: (error: unknown) => {
        thrown.push(error);
        return Promise.resolve({ done: true, value: "went on" });
      },
      return: () => Promise.resolve({ done: true, value: undefined }),
    };

    const turn = await interpret(body as unknown as Body<string>).next();

    expect(turn).toEqual({ done: true, value: "went on" });
    expect(thrown).toEqual([
      expect.objectContaining({ message: expect.stringContaining("Await it first.") }),
    ]);
  });

  it.each<[string, unknown, unknown, unknown]>([
    ["text", { ask: "text", message: "Name?" }, "Ada", "Ada"],
    ["number", { emit: "ask", ask: "number", message: "How many?" }, 3, 3],
    ["confirm", { ask: "confirm", message: "Sure?" }, true, true],
    ["select", { ask: "select", message: "Which?", options: { a: "A" } }, "a", "a"],
    ["multi", { ask: "select", message: "Which?", options: ["a", "b"], multi: true }, ["b"], ["b"]],
    ["url", { ask: "url", message: "Sign in", url: "https://a.example/" }, undefined, undefined],
    [
      "a message and a JSON Schema",
      { emit: "ask", message: "Who?", schema: { type: "object", properties: { name: { type: "string" } } } },
      { name: "Ada" },
      { name: "Ada" },
    ],
    [
      "a message and a Standard Schema",
      {
        emit: "ask",
        message: "Who?",
        schema: z.object({ name: z.string().transform((name) => name.length) }),
      },
      { name: "Ada" },
      { name: 3 },
    ],
    ["roots", { emit: "roots" }, [{ uri: "file:///a" }], [{ uri: "file:///a" }]],
  ])(verifies(["A1", "A2"], "a raw ask resumes as yield* would: %s"), async (_, raw, accepted, resumed) => {
    expect(await accepting(accepted, yieldingOnce(raw))).toEqual(resumed);
  });
});
