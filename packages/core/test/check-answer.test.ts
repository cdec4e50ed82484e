import { describe, expect, it } from "vitest";
import {
  ask,
  InvalidReply,
  InvalidAnswer,
  memoryJournal,
  roots,
  sample,
  Secret,
  startRun,
  type Body,
  type OpenQuestion,
  type Question,
  type Reply,
  type Run,
} from "@photon/core";
import * as z from "zod";
import { verifies } from "../../../test/requirements.ts";
import { checkAnswer } from "../src/check-answer.ts";

/** A run that asks one question and returns its answer. */
function asking(question: Question): Run<unknown> {
  async function* run(): Body<unknown> {
    const given: unknown = yield question;
    return given;
  }
  return startRun({ run }, {});
}

/** The one question that a run waits for. */
async function openIn(run: Run<unknown>, replies?: Record<string, Reply>): Promise<OpenQuestion> {
  const turn = await run.next(replies);
  if (turn.done) throw new Error("The run has ended.");
  const [question] = Object.values(turn.round);
  if (question === undefined) throw new Error("The round is empty.");
  return question;
}

const accept = (value: unknown): Record<string, Reply> => ({ "ask-1": { action: "accept", value } });

/** What is wrong with an answer; nothing where it was let through. */
async function problemWith(question: Question, answer: unknown): Promise<string | undefined> {
  const verdict = await checkAnswer(question, answer);
  return "problem" in verdict ? verdict.problem : undefined;
}

const bytes = Uint8Array.of(104, 105);
const kinds = ask.multiselect("Which?", ["a", "b", "c"], { min: 1, max: 2 });

/** A form of one field, as JSON Schema has it. */
const formOf = (field: object, required = true): Question =>
  ask.form("Well?", {
    type: "object",
    properties: { field },
    ...(required ? { required: ["field"] } : {}),
  } as never);

describe("§2.3 A malformed reply", () => {
  it.each<[string, unknown]>([
    ["no record", "yes"],
    ["a list", []],
    ["nothing", null],
    ["a bare value", { "ask-1": 3 }],
    ["no action", { "ask-1": { value: 3 } }],
    ["an action there is not", { "ask-1": { action: "maybe", value: 3 } }],
    ["an action that is a list", { "ask-1": { action: ["accept"], value: 3 } }],
    ["an action by inheritance", { "ask-1": { action: "constructor" } }],
    ["a reply that is nothing", { "ask-1": null }],
  ])(verifies("B3", "is an InvalidReply, and the run is untouched: %s"), async (_, malformed) => {
    const run = asking(ask.number("How many?"));
    await run.next();

    await expect(run.next(malformed as never)).rejects.toThrow(InvalidReply);

    expect(await run.next(accept(3))).toMatchObject({ done: true, value: 3 });
  });

  it(verifies("B3", "leaves the other answers of its round untaken"), async () => {
    async function* body(): Body<unknown> {
      return yield* ask.all({ a: ask.text("A?"), b: ask.text("B?") });
    }
    const run = startRun({ run: body }, {});
    await run.next();

    const half = { a: { action: "accept", value: "x" }, b: { action: "maybe" } };
    await expect(run.next(half as never)).rejects.toThrow(/reply to b .*maybe/);

    expect(Object.keys((await openAll(run)) ?? {})).toEqual(["a", "b"]);
  });

  it("uses up no attempt", async () => {
    const run = asking(ask.number("How many?", { max: 5, retries: 1 }));
    await run.next();

    await expect(run.next({ "ask-1": "9" } as never)).rejects.toThrow(InvalidReply);

    expect(await openIn(run, accept(9))).toMatchObject({ attempt: 2 });
  });
});

/** Everything that a run waits for, asked again. */
async function openAll(run: Run<unknown>): Promise<object | undefined> {
  const turn = await run.next({});
  return turn.done ? undefined : turn.round;
}

describe("§2.3 Legal but unfit", () => {
  it(verifies("B3", "is an InvalidAnswer at once without retries, thrown into the body"), async () => {
    async function* body(): Body<string> {
      try {
        yield* ask.number("How many?", { max: 30 });
        return "answered";
      } catch (error) {
        return error instanceof InvalidAnswer ? `${error.code} ${error.id} ${error.problem}` : "other";
      }
    }
    const run = startRun({ run: body }, {});
    await run.next();

    expect(await run.next(accept(31))).toMatchObject({
      value: "INVALID_ANSWER ask-1 must be at most 30",
    });
  });

  it(
    verifies(
      "B3",
      "is asked again with a hint and the last answer as default while retries last, then InvalidAnswer",
    ),
    async () => {
      const run = asking(ask.number("How many?", { max: 30, retries: 2, default: 1 }));

      const first = await openIn(run);
      const second = await openIn(run, accept(31));
      const third = await openIn(run, accept(99));

      expect(first).toMatchObject({ key: "ask-1", attempt: 1, default: 1 });
      expect(first).not.toHaveProperty("hint");
      expect(second).toMatchObject({ key: "ask-1", attempt: 2, hint: "must be at most 30", default: 31 });
      expect(third).toMatchObject({ key: "ask-1", attempt: 3, hint: "must be at most 30", default: 99 });
      await expect(run.next(accept(40))).rejects.toThrow(
        'The answer to "How many?" (ask-1) must be at most 30.',
      );
    },
  );

  it(verifies("B3", "names the field of a form in a whole sentence"), async () => {
    const run = asking(ask.form("Who?", { email: ask.text("Email", { format: "email" }) }, { retries: 1 }));
    await run.next();
    const mistake = "has a mistake: email must be an email address";

    expect(await openIn(run, accept({ email: "ada" }))).toMatchObject({ attempt: 2, hint: mistake });
    await expect(run.next(accept({ email: "ada" }))).rejects.toThrow(
      `The answer to "Who?" (ask-1) ${mistake}.`,
    );
  });

  it(verifies("B3", "is forgotten once an answer fits"), async () => {
    const run = asking(ask.number("How many?", { max: 30, retries: 1 }));
    await run.next();
    await openIn(run, accept(31));

    expect(await run.next(accept(30))).toMatchObject({ done: true, value: 30 });
  });

  it("suggests the last answer of every kind that can hold it", async () => {
    const suggested = async (question: Question, last: unknown): Promise<unknown> => {
      const run = asking(question);
      await run.next();
      return ((await openIn(run, accept(last))) as { default?: unknown }).default;
    };

    expect(await suggested(ask.text("?", { maxLength: 2, retries: 1 }), "abc")).toBe("abc");
    expect(await suggested(ask.number("?", { max: 2, retries: 1 }), 3)).toBe(3);
    // A field for whole numbers cannot hold it.
    expect(await suggested(ask.number("?", { integer: true, retries: 1 }), 1.5)).toBeUndefined();
    expect(await suggested(ask.rating("?", { retries: 1 }), 6)).toBe(6);
    expect(await suggested(ask.multiselect("?", ["a", "b"], { max: 1, retries: 1 }), ["a", "b"])).toEqual([
      "a",
      "b",
    ]);
    expect(await suggested(ask.date("?", { min: "2026-01-01", retries: 1 }), "2025-01-01")).toBe(
      "2025-01-01",
    );
  });

  it("keeps the default that was there where the last answer cannot be one", async () => {
    const run = asking(ask.number("How many?", { default: 1, retries: 1 }));
    await run.next();

    expect(await openIn(run, accept("many"))).toMatchObject({ hint: "must be a number", default: 1 });
  });

  it(
    verifies("B3", "suggests to a form what was entered rather than what it suggested as a whole"),
    async () => {
      const fields = { name: ask.text("Name"), age: ask.number("Age", { max: 150 }) };
      const run = asking(ask.form("Who?", fields, { default: { name: "Bea", age: 30 }, retries: 1 }));
      await run.next();

      expect(await openIn(run, accept({ name: "Ada", age: "old" }))).toMatchObject({
        default: { name: "Ada", age: 30 },
        schema: { properties: { name: { default: "Ada" } } },
      });
    },
  );

  it("suggests to a form what was entered, field by field", async () => {
    const question = ask.form(
      "Who?",
      { name: ask.text("Name"), age: ask.number("Age", { max: 150 }), kind: ask.select("Kind", ["a", "b"]) },
      { retries: 1 },
    );
    const run = asking(question);
    await run.next();

    const again = await openIn(run, accept({ name: "Ada", age: 200, kind: "z" }));

    expect(again).toMatchObject({
      hint: "has a mistake: age must be at most 150; kind must be one of a, b",
      schema: { properties: { name: { default: "Ada" }, age: { default: 200 } } },
    });
    expect((again as { schema?: { properties?: object } }).schema?.properties).not.toHaveProperty(
      "kind.default",
    );
  });

  it("does not take a suggestion made from the last answer for an answer", async () => {
    const question = ask.form(
      "Who?",
      { name: ask.text("Name"), note: ask.optional(ask.text("Note", { maxLength: 3 })) },
      { retries: 1 },
    );
    const run = asking(question);
    await run.next();
    await openIn(run, accept({ name: "Ada", note: "too long" }));

    expect(await run.next(accept({ name: "Ada" }))).toMatchObject({ done: true, value: { name: "Ada" } });
  });

  it(verifies("B6", "never suggests a secret, nor quotes it in a hint"), async () => {
    const run = asking(ask.secret("Key?", { minLength: 12, retries: 1 }));
    await run.next();

    const again = await openIn(run, accept("hunter2xyz"));

    expect(again).toMatchObject({ attempt: 2, hint: "must have at least 12 characters" });
    expect(JSON.stringify(again)).not.toContain("hunter2xyz");
  });

  it("counts the attempts of each question of a round by itself", async () => {
    async function* body(): Body<unknown> {
      return yield* ask.all({
        a: ask.number("A?", { max: 5, retries: 1 }),
        b: ask.number("B?", { max: 5, retries: 1 }),
      });
    }
    const run = startRun({ run: body }, {});
    await run.next();

    const turn = await run.next({ a: { action: "accept", value: 9 }, b: { action: "accept", value: 1 } });

    expect(turn).toMatchObject({ done: false, round: { a: { attempt: 2, hint: "must be at most 5" } } });
    expect(await run.next({ a: { action: "accept", value: 2 } })).toMatchObject({ value: { a: 2, b: 1 } });
  });
});

describe("§2.3 Missing", () => {
  it.each([
    ["nothing at all", {}],
    ["an answer to something else", { "ask-7": { action: "accept", value: 3 } }],
  ] as [string, Record<string, Reply>][])("is asked again, the same way: %s", async (_, replies) => {
    const run = asking(ask.number("How many?", { retries: 0 }));
    const first = await openIn(run);

    expect(await openIn(run, replies)).toEqual(first);
    expect(await run.next(accept(3))).toMatchObject({ done: true, value: 3 });
  });

  it("is asked again alone where the rest of its round was answered", async () => {
    async function* body(): Body<unknown> {
      return yield* ask.all({ a: ask.text("A?"), b: ask.text("B?") });
    }
    const run = startRun({ run: body }, {});
    await run.next();

    const turn = await run.next({ a: { action: "accept", value: "x" } });

    expect(turn).toMatchObject({ done: false, round: { b: { attempt: 1 } } });
    expect(turn).not.toHaveProperty("round.a");
    expect(await run.next({ b: { action: "accept", value: "y" } })).toMatchObject({
      value: { a: "x", b: "y" },
    });
  });
});

describe("§2.3 Defaults fill optional form fields that were left empty", () => {
  it("of a field map", async () => {
    const question = ask.form("Book", {
      name: ask.text("Name"),
      nights: ask.optional(ask.number("Nights", { default: 2 })),
      extras: ask.optional(ask.multiselect("Extras", ["bed"], { default: ["bed"] })),
      sure: ask.optional(ask.confirm("Sure?", { default: false })),
      note: ask.optional(ask.text("Note")),
    });

    expect(await checkAnswer(question, { name: "Ada" })).toEqual({
      value: { name: "Ada", nights: 2, extras: ["bed"], sure: false },
    });
  });

  it.each<[string, Question]>([
    ["zod", ask.form("Who?", z.object({ name: z.string(), kind: z.string().default("a") }))],
    [
      "JSON Schema",
      ask.form("Who?", {
        type: "object",
        properties: { name: { type: "string" }, kind: { type: "string", default: "a" } },
        required: ["name"],
      }),
    ],
  ])("of %s", async (_, question) => {
    expect(await checkAnswer(question, { name: "Ada" })).toEqual({ value: { name: "Ada", kind: "a" } });
  });

  it("where the form was accepted without any content", async () => {
    const question = ask.form("Book", { nights: ask.optional(ask.number("Nights", { default: 2 })) });

    expect(await checkAnswer(question, undefined)).toEqual({ value: { nights: 2 } });
  });

  it("and not those that were filled in", async () => {
    const question = ask.form("Book", { nights: ask.optional(ask.number("Nights", { default: 2 })) });

    expect(await checkAnswer(question, { nights: 0 })).toEqual({ value: { nights: 0 } });
  });

  it(
    verifies("B1", "and nothing else: a required field with a default is unfit without a value"),
    async () => {
      const question = ask.form("Book", { nights: ask.number("Nights", { default: 2 }) });

      expect(await problemWith(question, {})).toBe("nights is required");
      expect(await problemWith(question, undefined)).toBe("nights is required");
    },
  );
});

describe("§2.3 A confirm, or any required value, accepted without a value", () => {
  it.each<[string, Question]>([
    ["confirm", ask.confirm("Sure?", { default: true })],
    ["text", ask.text("Name?", { default: "Ada" })],
    ["number", ask.number("How many?", { default: 1 })],
    ["rating", ask.rating("How good?", { default: 1 })],
    ["select", ask.select("Which?", ["a"], { default: "a" })],
    ["multiselect", ask.multiselect("Which?", ["a"], { default: ["a"] })],
    ["date", ask.date("When?", { default: "2026-07-28" })],
    ["secret", ask.secret("Key?")],
    ["file", ask.file("File?")],
  ])(verifies("B1", "is unfit, whatever its default: %s"), async (_, question) => {
    const run = asking(question);
    await run.next();

    await expect(run.next({ "ask-1": { action: "accept" } })).rejects.toThrow(/needs a (value|file)\.$/);
  });

  it.each<[unknown]>([["true"], [1], ["yes"], [null], [{}], [[true]]])(
    verifies("B1", "is true on nothing but true: %j"),
    async (value) => {
      expect(await problemWith(ask.confirm("Sure?"), value)).toBe("must be true or false");
    },
  );
});

it.each(["maybe", "", "1"])("a text that is neither yes nor no is invalid: %j", async (text) => {
  expect(await problemWith(ask.confirm("Sure?"), text)).toBe("must be yes or no");
});

describe("an answer that fits", () => {
  it.each<[string, Question, unknown]>([
    ["text", ask.text("?"), ""],
    ["text of two characters", ask.text("?", { maxLength: 2 }), "👩👩"],
    ["text of a pattern", ask.text("?", { pattern: "^[a-z]+$" }), "ada"],
    ["an email address", ask.text("?", { format: "email" }), "ada@a.example"],
    ["a uri", ask.text("?", { format: "uri" }), "https://a.example/b"],
    ["number", ask.number("?", { min: 1, max: 30 }), 1],
    ["a fraction", ask.number("?"), -1.5],
    ["integer", ask.number("?", { integer: true }), 30],
    ["one star", ask.rating("?"), 1],
    ["ten stars", ask.rating("?", { max: 10 }), 10],
    ["yes", ask.confirm("?"), true],
    ["no", ask.confirm("?"), false],
    ["select", ask.select("?", { a: "A" }), "a"],
    ["multiselect", kinds, ["c", "a"]],
    ["no choice at all", ask.multiselect("?", ["a"]), []],
    ["date", ask.date("?", { min: "2026-01-01", max: "2026-01-01" }), "2026-01-01"],
    ["date-time", ask.date("?", { time: true }), "2026-07-28T12:00:00+02:00"],
    [
      "a moment within bounds of another zone",
      ask.date("?", { time: true, min: "2026-07-28T12:00:00Z" }),
      "2026-07-28T14:30:00+02:00",
    ],
  ])(verifies(["A3", "B3"], "goes through as it is: %s"), async (_, question, answer) => {
    expect(await checkAnswer(question, answer)).toEqual({ value: answer });
  });

  it(verifies("B6", "is a Secret where a secret was asked for"), async () => {
    const verdict = await checkAnswer(ask.secret("Key?"), "hunter2");
    const value = "value" in verdict ? verdict.value : undefined;

    expect(value).toBeInstanceOf(Secret);
    expect((value as Secret).reveal()).toBe("hunter2");
    expect(JSON.stringify(verdict)).toBe('{"value":"[secret]"}');
  });

  it("is nothing where something was to be done at a url", async () => {
    expect(await checkAnswer(ask.url("Sign in", "https://a.example/"), { extra: 1 })).toEqual({
      value: undefined,
    });
  });
});

describe("the problem of an invalid answer is a sentence for people", () => {
  it.each<[string, Question, unknown]>([
    ["must be text", ask.text("?"), 42],
    ["must be text", ask.text("?"), null],
    ["must have at least 1 character", ask.text("?", { minLength: 1 }), ""],
    ["must have at least 3 characters", ask.text("?", { minLength: 3 }), "ab"],
    ["must have at most 2 characters", ask.text("?", { maxLength: 2 }), "abc"],
    ["does not have the expected form", ask.text("?", { pattern: "^[a-z]+$" }), "A"],
    [
      "must be in small letters",
      ask.text("?", { pattern: "^[a-z]+$", patternMessage: "must be in small letters" }),
      "A",
    ],
    ["must be an email address", ask.text("?", { format: "email" }), "ada"],
    ["must be a web address", ask.text("?", { format: "uri" }), "a b"],
    ["must be a date like 2026-07-28", ask.text("?", { format: "date" }), "today"],
    ["must be a date and time like 2026-07-28T12:00:00Z", ask.text("?", { format: "date-time" }), "now"],
    ["must be a number", ask.number("?"), "3"],
    ["must be a number", ask.number("?"), true],
    ["must be a number", ask.number("?"), Number.NaN],
    ["must be a number", ask.number("?"), Number.POSITIVE_INFINITY],
    ["must be at least 1", ask.number("?", { min: 1 }), 0],
    ["must be at most 30", ask.number("?", { max: 30 }), 31],
    ["must be a whole number", ask.number("?", { integer: true }), 1.5],
    ["must be one of a, b", ask.select("?", { a: "A", b: "B" }), "A"],
    ["must be one of a", ask.select("?", ["a"]), "toString"],
    ["must have at least 1 choice", kinds, []],
    ["must have at most 2 choices", kinds, ["a", "b", "c"]],
    ["must not contain the same value twice", kinds, ["a", "a"]],
    ["must be a list", kinds, "a"],
    ["must be a day that exists: there is no 2026-02-30", ask.date("?"), "2026-02-30"],
    ["must be a day that exists: there is no 2026-13-01", ask.text("?", { format: "date" }), "2026-13-01"],
    [
      "must be a day that exists: there is no 2026-02-30",
      ask.date("?", { time: true }),
      "2026-02-30T12:00:00Z",
    ],
    [
      "must be a date and time like 2026-07-28T12:00:00Z",
      ask.date("?", { time: true }),
      "2026-07-28T25:00:00Z",
    ],
    ["must be a date like 2026-07-28", ask.date("?"), "2026-07-28T12:00:00Z"],
    ["must be a date and time like 2026-07-28T12:00:00Z", ask.date("?", { time: true }), "2026-07-28"],
    ["must have at least 8 characters", ask.secret("?", { minLength: 8 }), "short"],
    ["must have at most 8 characters", ask.secret("?", { maxLength: 8 }), "much too long"],
    ["must be text", ask.secret("?"), 42],
  ])(verifies(["A3", "B3"], "%s"), async (problem, question, answer) => {
    expect(await problemWith(question, answer)).toBe(problem);
  });

  it.each<[Question, string, RegExp]>([
    [ask.date("?", { min: "2026-01-01" }), "2025-12-31", /^must (?!be >).*2026-01-01/],
    [ask.date("?", { max: "2026-01-01" }), "2026-01-02", /^must (?!be <).*2026-01-01/],
    [
      ask.date("?", { time: true, min: "2026-07-28T12:00:00Z" }),
      "2026-07-28T13:00:00+02:00",
      /^must (?!be >).*2026-07-28T12:00:00Z/,
    ],
  ])(
    verifies(["A3", "B3"], "a day out of bounds, %#, says the bound in words"),
    async (question, answer, problem) => {
      expect(await problemWith(question, answer)).toMatch(problem);
    },
  );

  it.each([
    ["01.03.2027", "must be a date like 2026-07-28"],
    ["2027-3-1", "must be a date like 2026-07-28"],
    ["2028-02-30", "must be a day that exists: there is no 2028-02-30"],
  ])(verifies(["A3", "B3"], "%s is not a day, and its bounds are not mentioned"), async (answer, problem) => {
    const question = ask.date("?", { min: "2027-01-01", max: "2027-12-31" });

    expect(await problemWith(question, answer)).toBe(problem);
  });

  it("a choice that does not exist is named with the ones that do", async () => {
    expect(await problemWith(kinds, ["a", "z"])).toMatch(/must be one of a, b, c$/);
  });

  it.each<[string, object, unknown, string]>([
    ["exclusiveMinimum", { type: "number", exclusiveMinimum: 0 }, 0, "field must be more than 0"],
    ["exclusiveMaximum", { type: "number", exclusiveMaximum: 9 }, 9, "field must be less than 9"],
    ["multipleOf", { type: "number", multipleOf: 5 }, 7, "field must be a multiple of 5"],
    ["const", { type: "string", const: "yes" }, "no", "field must be one of yes"],
    [
      "oneOf",
      {
        type: "string",
        oneOf: [
          { const: "a", title: "A" },
          { const: "b", title: "B" },
        ],
      },
      "z",
      "field must be one of a, b",
    ],
    ["enum", { type: "string", enum: ["a", "b"] }, "z", "field must be one of a, b"],
    ["type", { type: "boolean" }, "yes", "field must be true or false"],
    ["an unknown format", { type: "string", format: "ipv4" }, "here", "field must be a valid ipv4"],
    ["required", { type: "string" }, undefined, "field is required"],
  ])("in a form it begins with the field: %s", async (_, field, value, problem) => {
    expect(await problemWith(formOf(field), { field: value })).toBe(problem);
  });

  it("several problems are in one sentence, five of them at most", async () => {
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    const question = ask.form("?", Object.fromEntries(names.map((name) => [name, ask.text(name)])));

    expect(await problemWith(question, {})).toBe(
      "a is required; b is required; c is required; d is required; e is required; and 2 more",
    );
  });

  it("many options are not all listed", async () => {
    const question = ask.select(
      "?",
      Array.from({ length: 40 }, (_, index) => `n${index}`),
    );

    expect(await problemWith(question, "z")).toMatch(/^must be one of n0, n1, .*n11, …$/);
  });

  it("where a format fails, its pattern is not mentioned", async () => {
    const question = ask.form("Who?", z.object({ mail: z.email() }));

    expect(await problemWith(question, { mail: "ada" })).toBe("mail must be an email address");
  });
});

describe("a file", () => {
  it.each<[string, unknown, unknown]>([
    ["bytes", { name: "a.txt", type: "text/plain", bytes }, { name: "a.txt", type: "text/plain", bytes }],
    [
      "base64",
      { name: "a.txt", type: "text/plain", base64: "aGk=" },
      { name: "a.txt", type: "text/plain", bytes },
    ],
    [
      "a path",
      { name: "a.txt", type: "text/plain", path: "/a.txt" },
      { name: "a.txt", type: "text/plain", path: "/a.txt" },
    ],
    ["no type", { name: "a", bytes }, { name: "a", type: "application/octet-stream", bytes }],
    [
      "an empty file",
      { name: "a", base64: "" },
      { name: "a", type: "application/octet-stream", bytes: new Uint8Array() },
    ],
    [
      "more than was asked for",
      { name: "a", path: "/a", size: 3 },
      { name: "a", type: "application/octet-stream", path: "/a" },
    ],
  ])(verifies("A3", "is taken as %s"), async (_, answer, value) => {
    expect(await checkAnswer(ask.file("File?"), answer)).toEqual({ value });
  });

  it.each<[string, unknown, RegExp]>([
    ["a text", "a.txt", /must be a file/],
    ["a list", [], /must be a file/],
    ["nothing in it", {}, /with a name/],
    ["an empty name", { name: "", bytes }, /with a name/],
    ["a type that is no text", { name: "a", type: 42, bytes }, /file/],
    ["no content", { name: "a" }, /with a path or with bytes/],
    ["an empty path", { name: "a", path: "" }, /with a path or with bytes/],
    ["what is not base64", { name: "a", base64: "%%%" }, /with a path or with bytes/],
    ["bytes as a list", { name: "a", bytes: [1, 2] }, /with a path or with bytes/],
  ])("is unfit as %s", async (_, answer, problem) => {
    expect(await problemWith(ask.file("File?"), answer)).toMatch(problem);
  });

  it.each([
    [["image/png"], "a.png", "image/png", true],
    [["image/*"], "a.png", "image/png", true],
    [["IMAGE/*"], "a.png", "image/PNG", true],
    [["*/*"], "a", "what/ever", true],
    [[".pdf"], "A.PDF", "application/octet-stream", true],
    [["image/*", ".pdf"], "a.pdf", "application/pdf", true],
    [["text/plain"], "a.txt", "text/plain;charset=utf-8", true],
    [["image/*"], "a.txt", "text/plain", false],
    [["image/*"], "a.png", "imagex/png", false],
    [[".pdf"], "a.pdf.exe", "application/pdf", false],
  ])(verifies("A3", "of the types %j: %s of %s is let through: %s"), async (accept_, name, type, fits) => {
    const problem = await problemWith(ask.file("File?", { accept: accept_ }), { name, type, bytes });

    expect(problem).toBe(fits ? undefined : `must be of type ${accept_.join(", ")}`);
  });

  it.each([
    ["bytes", { name: "a", bytes: new Uint8Array(3) }],
    ["base64", { name: "a", base64: "YWFh" }],
  ])(verifies("A3", "has at most maxBytes: %s"), async (_, answer) => {
    expect(await problemWith(ask.file("File?", { maxBytes: 3 }), answer)).toBeUndefined();
    expect(await problemWith(ask.file("File?", { maxBytes: 2 }), answer)).toBe("must have at most 2 bytes");
  });
});

describe("a form", () => {
  it(verifies(["A3", "A5"], "gives what its Standard Schema makes of the answer"), async () => {
    const schema = z.object({
      name: z.string().transform((name) => name.trim()),
      born: z.string().transform((born) => new Date(born)),
      nights: z.number().optional(),
    });

    expect(await checkAnswer(ask.form("Who?", schema), { name: " Ada ", born: "1815-12-10" })).toEqual({
      value: { name: "Ada", born: new Date("1815-12-10") },
    });
  });

  it("has the message of its Standard Schema", async () => {
    const schema = z
      .object({ one: z.string(), two: z.string().refine((two) => two !== "b", "is taken") })
      .refine(({ one, two }) => one !== two, "must differ");

    expect(await problemWith(ask.form("?", schema), { one: "a", two: "b" })).toBe("two: is taken");
    expect(await problemWith(ask.form("?", schema), { one: "a", two: "a" })).toBe(
      "it is invalid: must differ",
    );
  });

  it("waits for a Standard Schema that takes its time", async () => {
    const schema = z.object({
      name: z.string().refine((name) => Promise.resolve(name === "Ada"), "is taken"),
    });

    expect(await problemWith(ask.form("?", schema), { name: "Bob" })).toBe("name: is taken");
    expect(await problemWith(ask.form("?", schema), { name: "Ada" })).toBeUndefined();
  });

  it("explains the format of an answer that is given as text", async () => {
    const question = ask.form("Who?", { email: ask.text("Email"), age: ask.number("Age") });

    expect(await problemWith(question, "ada@example.com")).toBe(
      'it must be JSON with these fields: {"email":…,"age":…}',
    );
  });

  it.each<[unknown]>([[42], [null], [[]], [new Map()]])("is unfit as %o", async (answer) => {
    expect(await problemWith(ask.form("Who?", { name: ask.text("Name") }), answer)).toBe(
      "it must be an object with its fields",
    );
  });

  it("drops what it did not ask for", async () => {
    const question = ask.form("Who?", { name: ask.text("Name") });

    expect(await checkAnswer(question, { name: "Ada", admin: true })).toEqual({ value: { name: "Ada" } });
  });

  it("drops it the same way when it is replayed, even what no journal can hold", async () => {
    async function* run(): Body<unknown> {
      return yield* ask.form("Who?", { name: ask.text("Name") });
    }
    const journal = memoryJournal();
    const live = startRun({ run }, {}, { journal });
    await live.next();
    await live.next(accept({ name: "Ada", at: new Date(0) }));

    const replayed = await startRun({ run }, {}, { journal: memoryJournal(journal.entries) }).next();

    expect(replayed).toMatchObject({ done: true, value: { name: "Ada" } });
  });

  it("takes no harm from an answer that names __proto__ or constructor", async () => {
    const question = ask.form("Who?", { name: ask.text("Name"), note: ask.optional(ask.text("Note")) });
    const answer: unknown = JSON.parse(
      '{"name":"Ada","__proto__":{"note":"evil","admin":true},"constructor":{"prototype":{"admin":true}}}',
    );

    const verdict = await checkAnswer(question, answer);

    expect(verdict).toEqual({ value: { name: "Ada" } });
    expect(Object.getPrototypeOf("value" in verdict ? verdict.value : undefined)).toBe(Object.prototype);
    expect(Reflect.get({}, "admin")).toBeUndefined();
  });

  it("does not take what an answer inherits for a field", async () => {
    const question = ask.form("Who?", { toString: ask.text("Name") } as never);

    expect(await problemWith(question, {})).toBe("toString is required");
  });

  it("lets an optional field be empty whatever it is called", async () => {
    const question = ask.form("Who?", {
      name: ask.text("Name"),
      constructor: ask.optional(ask.text("Constructor")),
    } as never);

    expect(await checkAnswer(question, { name: "Ada" })).toEqual({ value: { name: "Ada" } });
    expect(await checkAnswer(question, { name: "Ada", constructor: "Brunel" })).toEqual({
      value: { name: "Ada", constructor: "Brunel" },
    });
  });
});

describe("what a client answers", () => {
  const said = { role: "assistant", model: "m", content: { type: "text", text: "hi" } } as const;

  it.each<[string, unknown, unknown]>([
    ["one block", said, said],
    ["several blocks", { ...said, content: [said.content] }, { ...said, content: [said.content] }],
    ["a reason to stop", { ...said, stopReason: "endTurn", extra: 1 }, { ...said, stopReason: "endTurn" }],
  ])(verifies("A10", "to a sample goes through: %s"), async (_, answer, value) => {
    expect(await checkAnswer(sample("Say hi"), answer)).toEqual({ value });
  });

  it.each<[string, unknown, string]>([
    ["nothing", undefined, "must be a message of the model"],
    ["a text", "hi", "must be a message of the model"],
    ["no role", { ...said, role: "system" }, "must have a role"],
    ["no model", { ...said, model: undefined }, "must name its model"],
    ["no content", { ...said, content: undefined }, "must have content"],
    ["an empty list", { ...said, content: [] }, "must have content"],
    [
      "a block of no kind there is",
      { ...said, content: [said.content, { type: "smell" }] },
      "must have content",
    ],
  ])(verifies("A10", "to a sample is unfit: %s"), async (_, answer, problem) => {
    expect(await problemWith(sample("Say hi"), answer)).toBe(problem);
  });

  it(verifies("A10", "to a request for roots goes through with what belongs to it"), async () => {
    const answer = [{ uri: "file:///a", name: "a", extra: 1 }, { uri: "file:///b" }];

    expect(await checkAnswer(roots(), answer)).toEqual({
      value: [{ uri: "file:///a", name: "a" }, { uri: "file:///b" }],
    });
    expect(await checkAnswer(roots(), [])).toEqual({ value: [] });
  });

  it.each<[unknown]>([[undefined], [{}], ["file:///a"], [["file:///a"]], [[{ name: "a" }]], [[null]]])(
    verifies("A10", "to a request for roots is unfit: %j"),
    async (answer) => {
      expect(await problemWith(roots(), answer)).toMatch(/^must be a list of roots/);
    },
  );
});
