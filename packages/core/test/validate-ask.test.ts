import { describe, expect, it } from "vitest";
import {
  ask,
  emit,
  InvalidAsk,
  InvalidDefinition,
  interpret,
  PhotonError,
  step,
  type Yieldable,
  type Body,
  type Question,
} from "@photon/core";
import * as v from "valibot";
import * as z from "zod";
import { verifies } from "../../../test/requirements.ts";
import { checkAnswer } from "../src/check-answer.ts";

/** Options as an author without types may write them. */
const loose = (options: object): never => options as never;

/** Runs a body to its first question or its end; gives back what it ended with. */
async function endOf(body: Body<unknown>): Promise<unknown> {
  const turn = await interpret(body).next();
  return turn.done === true ? turn.value : "it waits";
}

/** Whether a question could be made. */
function isMade(make: () => unknown): boolean {
  try {
    make();
    return true;
  } catch (error) {
    if (error instanceof InvalidAsk) return false;
    throw error;
  }
}

/** Expects that the question "Well?" is refused where it is made, in these words. */
function assertRefused(make: () => unknown, words: RegExp | string): void {
  expect(make).toThrow(InvalidAsk);
  expect(make).toThrow(/^The question "Well\?" cannot be asked: /);
  expect(make).toThrow(words);
}

describe("a question without a possible answer", () => {
  it.each<[string, () => unknown, RegExp | string]>([
    ["a select without options", () => ask.select("Well?", []), "no options"],
    ["a select from an empty record", () => ask.select("Well?", {}), "no options"],
    ["a select from nothing", () => ask.select("Well?", loose(undefined as never)), "options"],
    ["a select from a number", () => ask.select("Well?", loose(42 as never)), "42"],
    ["a select from numbers", () => ask.select("Well?", loose([1, 2])), "the number 1"],
    ["a select from values without titles", () => ask.select("Well?", loose({ a: 1 })), "options"],
    ["a select with a value twice", () => ask.select("Well?", ["a", "b", "a"]), "same value"],
    [
      "a select with a value twice under two titles",
      () =>
        ask.select("Well?", [
          { value: "a", title: "A" },
          { value: "a", title: "B" },
        ]),
      "same value",
    ],
    ["a multiselect without options", () => ask.multiselect("Well?", []), "no options"],
    ["a multiselect with a value twice", () => ask.multiselect("Well?", ["a", "a"]), "same value"],
    [
      "a multiselect of more than there are",
      () => ask.multiselect("Well?", ["a"], { min: 2 }),
      "above its number of options (1)",
    ],
    [
      "a multiselect whose min is above its max",
      () => ask.multiselect("Well?", ["a", "b"], { min: 2, max: 1 }),
      /min \(2\).*max \(1\)/,
    ],
    ["a multiselect of half a choice", () => ask.multiselect("Well?", ["a"], { min: 0.5 }), "0.5"],
    ["a multiselect of a negative number", () => ask.multiselect("Well?", ["a"], { max: -1 }), "-1"],
    ["a rating of one star", () => ask.rating("Well?", loose({ max: 1 })), "from 2 to 10"],
    ["a rating of eleven stars", () => ask.rating("Well?", loose({ max: 11 })), "the number 11"],
    ["a rating of half stars", () => ask.rating("Well?", loose({ max: 4.5 })), "from 2 to 10"],
    ["a rating with a min", () => ask.rating("Well?", loose({ min: 2 })), 'has no "min"'],
    [
      "a number whose min is above its max",
      () => ask.number("Well?", { min: 2, max: 1 }),
      /min \(2\).*max \(1\)/,
    ],
    [
      "a whole number where there is none",
      () => ask.number("Well?", { min: 1.2, max: 1.8, integer: true }),
      "no whole number between 1.2 and 1.8",
    ],
    ["a number bounded by NaN", () => ask.number("Well?", { min: Number.NaN }), "NaN"],
    ["a number bounded by a text", () => ask.number("Well?", loose({ max: "9" })), '"9"'],
    [
      "a text whose minLength is above its maxLength",
      () => ask.text("Well?", { minLength: 3, maxLength: 2 }),
      /\(3\).*\(2\)/,
    ],
    ["a text of negative length", () => ask.text("Well?", { minLength: -1 }), "-1"],
    ["a text of half a character", () => ask.text("Well?", { maxLength: 1.5 }), "1.5"],
    ["a text with a pattern that is none", () => ask.text("Well?", { pattern: "[" }), '"["'],
    ["a text with a pattern that is no text", () => ask.text("Well?", loose({ pattern: /^a/ })), "pattern"],
    ["a text in a format there is not", () => ask.text("Well?", loose({ format: "phone" })), "phone"],
    [
      "a secret whose minLength is above its maxLength",
      () => ask.secret("Well?", { minLength: 3, maxLength: 2 }),
      /\(3\).*\(2\)/,
    ],
    [
      "a date whose min is after its max",
      () => ask.date("Well?", { min: "2026-02-01", max: "2026-01-01" }),
      /2026-02-01.*after.*2026-01-01/,
    ],
    ["a date bounded by what is no date", () => ask.date("Well?", { min: "tomorrow" }), "tomorrow"],
    ["a date bounded by a day there is not", () => ask.date("Well?", { max: "2026-02-30" }), "2026-02-30"],
    ["a day bounded by a moment", () => ask.date("Well?", { min: "2026-01-01T12:00:00Z" }), "2026-01-01T12"],
    ["a moment bounded by a day", () => ask.date("Well?", { time: true, min: "2026-01-01" }), "2026-01-01"],
    ["a file of no type", () => ask.file("Well?", { accept: [] }), "no kind of file"],
    ["a file of types that are no texts", () => ask.file("Well?", loose({ accept: [42] })), "42"],
    ["a file of undefined types", () => ask.file("Well?", loose({ accept: [undefined] })), "undefined"],
    ["a file of no bytes", () => ask.file("Well?", { maxBytes: 0 }), "maxBytes"],
    ["a file of NaN bytes", () => ask.file("Well?", { maxBytes: Number.NaN }), "maxBytes"],
    ["a url that is none", () => ask.url("Well?", "a.example"), "a.example"],
    ["a url of another scheme", () => ask.url("Well?", "file:///etc/passwd"), "file:///etc/passwd"],
    ["a url that runs a script", () => ask.url("Well?", "javascript:alert(1)"), "javascript"],
    ["a url with nothing behind its scheme", () => ask.url("Well?", "https://"), "https"],
    ["a url that no browser can read", () => ask.url("Well?", "https://["), "https"],
    ["a url that is no text", () => ask.url("Well?", loose({})), "address"],
    [
      "a confirm that falls back to yes",
      () => ask.confirm("Well?", loose({ fallback: { timeout: true } })),
      "can only be false",
    ],
    ["an id with #", () => ask.text("Well?", { id: "name#2" }), "#"],
    ["an id that is empty", () => ask.text("Well?", { id: "" }), "id"],
    ["an id that is no text", () => ask.text("Well?", loose({ id: 42 })), "id"],
    ["the id __proto__", () => ask.text("Well?", { id: "__proto__" }), "__proto__"],
    ["a timeout that is no duration", () => ask.text("Well?", loose({ timeout: "soon" })), /timeout.*"soon"/],
    ["a timeout of nothing", () => ask.text("Well?", { timeout: 0 }), /timeout.*0/],
    ["a timeout that is an object", () => ask.text("Well?", loose({ timeout: {} })), "timeout"],
    ["retries below zero", () => ask.text("Well?", { retries: -1 }), "retries"],
    ["half a retry", () => ask.text("Well?", { retries: 0.5 }), "retries"],
    ["endless retries", () => ask.text("Well?", { retries: Number.POSITIVE_INFINITY }), "retries"],
    ["a fallback that is a value", () => ask.text("Well?", loose({ fallback: "nobody" })), "fallback"],
    [
      "a fallback for what is no outcome",
      () => ask.text("Well?", loose({ fallback: { invalid: "x" } })),
      "invalid",
    ],
    ["a label that is no text", () => ask.text("Well?", loose({ label: 42 })), "label"],
    ["a description that is no text", () => ask.text("Well?", loose({ description: {} })), "description"],
    ["an option there is not", () => ask.text("Well?", loose({ maxlength: 3 })), '"maxlength"'],
    ["an option of another kind", () => ask.confirm("Well?", loose({ min: 1 })), '"min"'],
    ["a default for a secret", () => ask.secret("Well?", loose({ default: "abc" })), '"default"'],
  ])(verifies("D5", "is refused where it is made, naming the ask: %s"), (_, make, words) => {
    assertRefused(make, words);
  });

  it.each([
    ["dangerous", (flag: never) => ask.confirm("Well?", { dangerous: flag })],
    ["integer", (flag: never) => ask.number("Well?", { integer: flag })],
    ["time", (flag: never) => ask.date("Well?", { time: flag })],
  ])("is refused where %s is neither true nor false, rather than taken for false", (name, make) => {
    assertRefused(() => make("yes" as never), name);
  });

  it.each<[string, unknown]>([
    ["an empty message", ""],
    ["a blank message", "  \n"],
    ["no message", undefined],
    ["a message that is no text", 42],
  ])("is refused with %s", (_, message) => {
    expect(() => ask.text(message as string)).toThrow(InvalidAsk);
    expect(() => ask.text(message as string)).toThrow("no message");
  });

  it("is refused inside the body that makes it, which can catch that and go on", async () => {
    async function* body(): Body<string> {
      try {
        yield* ask.select("Which?", []);
      } catch (error) {
        yield emit.status("Nothing to choose from");
        return error instanceof InvalidAsk ? error.code : "something else";
      }
      return "it was asked";
    }

    expect(await endOf(body())).toBe("IMPOSSIBLE_ASK");
  });
});

describe("a default that does not fit", () => {
  it.each<[string, () => unknown, RegExp | string]>([
    ["text: a number", () => ask.text("Well?", loose({ default: 42 })), "42"],
    ["text: too long", () => ask.text("Well?", { maxLength: 2, default: "abc" }), '"abc"'],
    ["text: too short", () => ask.text("Well?", { minLength: 4, default: "abc" }), '"abc"'],
    ["text: off its pattern", () => ask.text("Well?", { pattern: "^a", default: "bcd" }), '"bcd"'],
    ["text: no email address", () => ask.text("Well?", { format: "email", default: "ada" }), '"ada"'],
    ["text: no uri", () => ask.text("Well?", { format: "uri", default: "a b" }), '"a b"'],
    ["number: a text", () => ask.number("Well?", loose({ default: "3" })), '"3"'],
    ["number: below its min", () => ask.number("Well?", { min: 1, default: 0 }), "0"],
    ["number: above its max", () => ask.number("Well?", { max: 1, default: 2 }), "2"],
    ["number: not whole", () => ask.number("Well?", { integer: true, default: 1.5 }), "1.5"],
    ["number: NaN", () => ask.number("Well?", { default: Number.NaN }), "NaN"],
    ["confirm: a text", () => ask.confirm("Well?", loose({ default: "yes" })), '"yes"'],
    ["select: none of its options", () => ask.select("Well?", ["a"], loose({ default: "b" })), '"b"'],
    ["select: a title", () => ask.select("Well?", { a: "A" }, loose({ default: "A" })), '"A"'],
    ["rating: too many stars", () => ask.rating("Well?", loose({ default: 6 })), "above 5"],
    ["multiselect: no list", () => ask.multiselect("Well?", ["a"], loose({ default: "a" })), '"a"'],
    [
      "multiselect: none of its options",
      () => ask.multiselect("Well?", ["a"], loose({ default: ["b"] })),
      "option",
    ],
    ["multiselect: one twice", () => ask.multiselect("Well?", ["a", "b"], { default: ["a", "a"] }), "twice"],
    ["multiselect: too few", () => ask.multiselect("Well?", ["a", "b"], { min: 2, default: ["a"] }), "2"],
    [
      "multiselect: too many",
      () => ask.multiselect("Well?", ["a", "b"], { max: 1, default: ["a", "b"] }),
      "1",
    ],
    ["date: no date", () => ask.date("Well?", { default: "today" }), "today"],
    ["date: before its min", () => ask.date("Well?", { min: "2026-01-01", default: "2025-01-01" }), "2025"],
    ["date: after its max", () => ask.date("Well?", { max: "2026-01-01", default: "2027-01-01" }), "2027"],
    ["date: a moment for a day", () => ask.date("Well?", { default: "2026-01-01T12:00:00Z" }), "2026"],
    ["form: no object", () => ask.form("Well?", { a: ask.text("A") }, loose({ default: "a" })), '"a"'],
    [
      "form: a field that does not fit",
      () => ask.form("Well?", { age: ask.number("Age") }, { default: { age: "old" } }),
      "age",
    ],
    [
      "form: a field there is not",
      () => ask.form("Well?", { age: ask.number("Age") }, { default: { name: "Ada" } }),
      "name",
    ],
  ])("is refused where it is made, naming the ask: %s", (_, make, words) => {
    assertRefused(make, words);
  });

  it.each<[string, object]>([
    ["type", { type: "string", default: 42 }],
    ["maxLength", { type: "string", maxLength: 2, default: "abc" }],
    ["pattern", { type: "string", pattern: "^a", default: "b" }],
    ["format", { type: "string", format: "email", default: "ada" }],
    ["enum", { type: "string", enum: ["a"], default: "b" }],
    ["oneOf", { type: "string", oneOf: [{ const: "a", title: "A" }], default: "b" }],
    ["const", { type: "string", const: "a", default: "b" }],
    ["minimum", { type: "number", minimum: 1, default: 0 }],
    ["exclusiveMinimum", { type: "number", exclusiveMinimum: 0, default: 0 }],
    ["exclusiveMaximum", { type: "number", exclusiveMaximum: 9, default: 9 }],
    ["multipleOf", { type: "integer", multipleOf: 5, default: 7 }],
    ["boolean", { type: "boolean", default: "yes" }],
    ["items", { type: "array", items: { type: "string", enum: ["a"] }, default: ["b"] }],
    ["maxItems", { type: "array", items: { enum: ["a", "b"] }, maxItems: 1, default: ["a", "b"] }],
  ])("is refused in a field of a form, naming the field: %s", (_, field) => {
    const make = (): unknown => ask.form("Well?", loose({ type: "object", properties: { age: field } }));

    assertRefused(make, '"age"');
    assertRefused(make, "default");
  });

  it.each<[string, (value: string) => Yieldable<Question, unknown>, string]>([
    ["a day there is not", (value) => ask.date("Well?", { default: value }), "2026-02-30"],
    ["a day there is", (value) => ask.date("Well?", { default: value }), "2028-02-29"],
    ["a moment", (value) => ask.date("Well?", { time: true, default: value }), "2026-07-28T12:00:00Z"],
    [
      "a moment without seconds",
      (value) => ask.date("Well?", { time: true, default: value }),
      "2026-07-28T12:00Z",
    ],
    [
      "a moment without a zone",
      (value) => ask.date("Well?", { time: true, default: value }),
      "2026-07-28T12:00:00",
    ],
    ["an address", (value) => ask.text("Well?", { format: "email", default: value }), "ada@a.example"],
    [
      "an address without a domain",
      (value) => ask.text("Well?", { format: "email", default: value }),
      "ada@localhost",
    ],
    [
      "an address with two dots",
      (value) => ask.text("Well?", { format: "email", default: value }),
      "a..b@a.example",
    ],
    ["a uri", (value) => ask.text("Well?", { format: "uri", default: value }), "https://a.example/b?c=d#e"],
    [
      "a uri with a stray percent",
      (value) => ask.text("Well?", { format: "uri", default: value }),
      "https://a.example/%",
    ],
    [
      "characters beyond the first plane",
      (value) => ask.text("Well?", { maxLength: 2, default: value }),
      "👩👩",
    ],
  ])("is one that would not be let through as an answer, and no other: %s", async (_, make, value) => {
    const verdict = await checkAnswer(make(undefined as never), value);

    expect(isMade(() => make(value))).toBe("value" in verdict);
  });
});

describe("a form that cannot be filled in", () => {
  it.each<[string, () => unknown, RegExp | string]>([
    ["without fields", () => ask.form("Well?", {}), "no fields"],
    [
      "of an object without properties",
      () => ask.form("Well?", loose({ type: "object", properties: {} })),
      "no fields",
    ],
    ["of an empty zod object", () => ask.form("Well?", z.object({})), "no fields"],
    ["of what is no object", () => ask.form("Well?", loose({ type: "string" })), "object"],
    ["of nothing", () => ask.form("Well?", loose(undefined as never)), "schema"],
    ["with a field that is no ask", () => ask.form("Well?", loose({ name: "text" })), '"name"'],
    ["with a secret field", () => ask.form("Well?", loose({ key: ask.secret("Key?") })), '"key"'],
    ["with a file field", () => ask.form("Well?", loose({ file: ask.file("File?") })), '"file"'],
    ["with a url field", () => ask.form("Well?", loose({ at: ask.url("Go", "https://a.example") })), '"at"'],
    [
      "with a form in it",
      () => ask.form("Well?", loose({ inner: ask.form("In?", { a: ask.text("A") }) })),
      '"inner"',
    ],
    [
      "with nested fields",
      () => ask.form("Well?", z.object({ who: z.object({ name: z.string() }) })),
      /"who".*nested/,
    ],
    ["with a list of anything", () => ask.form("Well?", z.object({ tags: z.array(z.string()) })), '"tags"'],
    [
      "with a list of numbers to choose from",
      () =>
        ask.form(
          "Well?",
          loose({ type: "object", properties: { n: { type: "array", items: { enum: [1, 2] } } } }),
        ),
      '"n"',
    ],
    [
      "with numbers to choose from",
      () => ask.form("Well?", z.object({ n: z.union([z.literal(1), z.literal(2)]) })),
      '"n"',
    ],
    [
      "with a field of no type",
      () => ask.form("Well?", loose({ type: "object", properties: { x: {} } })),
      '"x"',
    ],
    [
      "with a field of two types",
      () => ask.form("Well?", loose({ type: "object", properties: { x: { type: ["string", "null"] } } })),
      '"x"',
    ],
    [
      "with a choice of nothing",
      () => ask.form("Well?", loose({ type: "object", properties: { x: { type: "string", enum: [] } } })),
      '"x"',
    ],
    [
      "with the same choice twice",
      () =>
        ask.form("Well?", loose({ type: "object", properties: { x: { type: "string", enum: ["a", "a"] } } })),
      '"x"',
    ],
    [
      "with a minimum above the maximum",
      () =>
        ask.form(
          "Well?",
          loose({ type: "object", properties: { x: { type: "number", minimum: 2, maximum: 1 } } }),
        ),
      '"x"',
    ],
    [
      "with a minLength above the maxLength",
      () =>
        ask.form(
          "Well?",
          loose({ type: "object", properties: { x: { type: "string", minLength: 2, maxLength: 1 } } }),
        ),
      '"x"',
    ],
    [
      "with a pattern that is none",
      () => ask.form("Well?", loose({ type: "object", properties: { x: { type: "string", pattern: "[" } } })),
      '"x"',
    ],
    [
      "with a pattern that is none, and a default",
      () =>
        ask.form(
          "Well?",
          loose({ type: "object", properties: { x: { type: "string", pattern: "[", default: "a" } } }),
        ),
      '"x"',
    ],
    [
      "that requires what it does not have",
      () =>
        ask.form("Well?", loose({ type: "object", properties: { a: { type: "string" } }, required: ["b"] })),
      '"b"',
    ],
    [
      "with a field called __proto__",
      () => ask.form("Well?", { name: ask.text("Name?"), ["__proto__"]: ask.text("?") }),
      "__proto__",
    ],
    [
      "with an optional field called __proto__",
      () => ask.form("Well?", { name: ask.text("Name?"), ["__proto__"]: ask.optional(ask.text("?")) }),
      "__proto__",
    ],
    [
      "of JSON Schema with a field called __proto__",
      () =>
        ask.form(
          "Well?",
          loose(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as object),
        ),
      "__proto__",
    ],
  ])("is refused where it is made, naming the ask: one %s", (_, make, words) => {
    expect(make).toThrow(PhotonError);
    expect(make).toThrow(/"Well\?"/);
    expect(make).toThrow(words);
  });

  it("is refused where its schema cannot describe itself, with what to do", () => {
    const make = (): unknown => ask.form("Well?", loose(v.object({ name: v.string() })));

    expect(make).toThrow(InvalidDefinition);
    expect(make).toThrow(/"Well\?".*\(valibot\).*toStandardJsonSchema/);
  });

  it("is refused where a field cannot be described, naming the library", () => {
    expect(() => ask.form("Well?", z.object({ born: z.date() }))).toThrow(/"Well\?".*\(zod\).*Date/);
  });
});

describe("a round that cannot be asked", () => {
  it.each<[string, () => unknown, RegExp | string]>([
    ["without questions", () => ask.all({}), "no questions"],
    ["of nothing", () => ask.all(loose(undefined as never)), "no questions"],
    ["of a list", () => ask.all(loose([ask.text("Name?")])), "ask.all"],
    ["with an id that has #", () => ask.all({ "a#1": ask.text("Name?") }), /a#1/],
    ["with an id that is empty", () => ask.all({ "": ask.text("Name?") }), "id"],
    ["with an id that is __proto__", () => ask.all({ ["__proto__"]: ask.text("Name?") }), "__proto__"],
    [
      "with a duplicate id",
      () => ask.all({ a: ask.text("A?", { id: "name" }), b: ask.text("B?", { id: "name" }) }),
      /"name"/,
    ],
    [
      "with a duplicate id in an outcome",
      () => ask.all({ a: ask.text("A?", { id: "name" }), b: ask.outcome(ask.text("B?", { id: "name" })) }),
      /"name"/,
    ],
    ["with a status in it", () => ask.all(loose({ a: emit.status("Working") })), /a.*is not a question/],
    ["with a step in it", () => ask.all(loose({ a: step.now() })), /a.*is not a question/],
    [
      "with a round in it",
      () => ask.all(loose({ a: ask.all({ b: ask.text("B?") }) })),
      /a.*is not a question/,
    ],
    [
      "with the outcome of a round in it",
      () => ask.all(loose({ a: ask.outcome(ask.all({ b: ask.text("B?") })) })),
      /a.*is not a question/,
    ],
    ["with nothing in it", () => ask.all(loose({ a: undefined })), /a.*is not a question/],
  ])("is refused where it is made: one %s", (_, make, words) => {
    expect(make).toThrow(InvalidAsk);
    expect(make).toThrow("ask.all");
    expect(make).toThrow(words);
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["a text", "Name?"],
    ["an empty object", {}],
    ["a status", emit.status("Working")],
    ["a step", step.now()],
    ["an outcome", ask.outcome(ask.text("Name?"))],
  ])("is refused where an outcome is wanted of %s", (_, of) => {
    expect(() => ask.outcome(of as never)).toThrow(PhotonError);
    expect(() => ask.outcome(of as never)).toThrow("ask.outcome");
  });

  it.each([
    ["impossible", { emit: "ask", ask: "select", message: "Which?" }],
    ["of no kind there is", { emit: "ask", ask: "colour", message: "Which?" }],
  ])("is refused where raw data in it is %s, in a round and in an outcome alike", (_, raw) => {
    expect(() => ask.all({ a: raw as never })).toThrow(PhotonError);
    expect(() => ask.outcome(raw as never)).toThrow(PhotonError);
  });
});
