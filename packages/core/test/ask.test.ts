import { describe, expect, it } from "vitest";
import { ask, interpret, Secret, type Yieldable, type Body, type Question, type Round } from "@photon/core";
import * as z from "zod";
import { verifies } from "../../../test/requirements.ts";

const bytes = Uint8Array.of(1, 2, 3);

/** Every kind of question, the data that it is, and an answer that fits. */
const kinds: readonly [string, Yieldable<Question, unknown>, object, unknown][] = [
  [
    "text",
    ask.text("Name?", { minLength: 1, maxLength: 9, pattern: "^A", format: "email" }),
    { minLength: 1, maxLength: 9, pattern: "^A", format: "email" },
    "A@b.de",
  ],
  [
    "number",
    ask.number("Nights?", { min: 1, max: 30, integer: true, default: 2 }),
    { min: 1, max: 30, integer: true, default: 2 },
    3,
  ],
  ["rating", ask.rating("How good was it?", { max: 3, default: 2 }), { max: 3, default: 2 }, 3],
  [
    "confirm",
    ask.confirm("Sure?", { dangerous: true, default: false }),
    { dangerous: true, default: false },
    true,
  ],
  ["select", ask.select("Which?", ["a"]), { options: [{ value: "a", title: "a" }] }, "a"],
  [
    "multiselect",
    ask.multiselect("Which?", { a: "A", b: "B" }, { min: 1, max: 2, default: ["a"] }),
    {
      options: [
        { value: "a", title: "A" },
        { value: "b", title: "B" },
      ],
      min: 1,
      max: 2,
      default: ["a"],
    },
    ["b"],
  ],
  [
    "date",
    ask.date("When?", { min: "2026-01-01", max: "2026-12-31" }),
    { min: "2026-01-01", max: "2026-12-31" },
    "2026-07-28",
  ],
  ["secret", ask.secret("Key?", { minLength: 3 }), { minLength: 3 }, "abcdef"],
  [
    "file",
    ask.file("File?", { accept: ["image/*"], maxBytes: 10 }),
    { accept: ["image/*"], maxBytes: 10 },
    { name: "a.png", type: "image/png", bytes },
  ],
  [
    "form",
    ask.form("Who?", { name: ask.text("Name?"), age: ask.optional(ask.number("Age?")) }),
    {
      schema: {
        type: "object",
        properties: { name: { type: "string", title: "Name?" }, age: { type: "number", title: "Age?" } },
        required: ["name"],
      },
    },
    { name: "Ada" },
  ],
  ["url", ask.url("Sign in", "https://a.example/"), { url: "https://a.example/" }, undefined],
];

/** Plays a body to its end for a person who accepts every question with this value; notes what was open. */
async function accepting<Result>(
  value: unknown,
  body: Body<Result>,
): Promise<{ returned: Result; rounds: Round[] }> {
  const rounds: Round[] = [];
  const playing = interpret(body);
  let turn = await playing.next();
  while (turn.done !== true) {
    rounds.push(turn.value);
    const accepted = Object.keys(turn.value).map((key) => [key, { action: "accept", value }] as const);
    turn = await playing.next(Object.fromEntries(accepted));
  }
  return { returned: turn.value, rounds };
}

/** What is in an answer, so that two secrets can be compared. */
const revealed = (answer: unknown): unknown => (answer instanceof Secret ? answer.reveal() : answer);

/** Every object in a value that could still be changed. */
function changeableIn(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null || value instanceof Secret) return [];
  const inside = Object.values(value).flatMap(changeableIn);
  return Object.isFrozen(value) ? inside : [value, ...inside];
}

describe.each(kinds)("ask.%s", (kind, question, fields, answer) => {
  it(verifies("A3", "is frozen data, with its limits"), () => {
    expect(question).toEqual({ emit: "ask", ask: kind, message: expect.any(String), ...fields });
    expect(changeableIn(question)).toEqual([]);
  });

  it("hides its iterator from the data", () => {
    expect(Object.getOwnPropertyDescriptor(question, Symbol.iterator)?.enumerable).toBe(false);
    expect(Reflect.ownKeys(Object.assign({}, question))).toEqual(Object.keys(question));
    expect(JSON.parse(JSON.stringify(question))).toEqual(question);
  });

  it("has an iterator with next, throw and return", () => {
    const iterator = question[Symbol.iterator]();

    expect(iterator).toMatchObject({
      next: expect.any(Function),
      throw: expect.any(Function),
      return: expect.any(Function),
    });
    expect(iterator.next(undefined)).toEqual({ done: false, value: question });
    expect(iterator.next("answer")).toEqual({ done: true, value: "answer" });
  });

  it(verifies("A5", "gives the same answer by yield and by yield*"), async () => {
    async function* byYield(): Body<unknown> {
      const given: unknown = yield question;
      return given;
    }
    async function* byDelegation(): Body<unknown> {
      return yield* question;
    }

    const one = await accepting(answer, byYield());
    const other = await accepting(answer, byDelegation());

    expect(revealed(other.returned)).toEqual(revealed(one.returned));
    expect(other.rounds.map((round) => Object.keys(round))).toEqual([["ask-1"]]);
  });

  it("can be asked twice, and is another question the second time", async () => {
    async function* body(): Body<unknown[]> {
      return [yield* question, yield* question];
    }

    const { returned, rounds } = await accepting(answer, body());

    expect(returned).toHaveLength(2);
    expect(rounds.map((round) => Object.keys(round))).toEqual([["ask-1"], ["ask-2"]]);
  });
});

describe("a question's iterator", () => {
  it("throws errors into the body at its yield*", () => {
    const iterator = ask.text("Name?")[Symbol.iterator]();
    iterator.next(undefined);

    expect(() => iterator.throw?.(new Error("declined"))).toThrow("declined");
  });

  it("ends when it is returned", () => {
    const iterator = ask.text("Name?")[Symbol.iterator]();
    iterator.next(undefined);

    expect(iterator.return?.("gone")).toEqual({ done: true, value: "gone" });
    expect(iterator.next("late").done).toBe(true);
  });

  it("is another one each time", () => {
    const question = ask.text("Name?");

    expect(question[Symbol.iterator]()).not.toBe(question[Symbol.iterator]());
  });
});

describe("every question", () => {
  it("takes id, label, description, timeout, retries and fallback", () => {
    const options = {
      id: "name",
      label: "Name",
      description: "As in your passport",
      timeout: "7d",
      retries: 2,
      fallback: { decline: "nobody", cancel: "nobody", timeout: "nobody", unsupported: "nobody" },
    } as const;

    expect(ask.text("Your name?", options)).toEqual({
      emit: "ask",
      ask: "text",
      message: "Your name?",
      ...options,
    });
  });

  it("leaves out options that are undefined", () => {
    expect(Object.keys(ask.text("Name?", { id: undefined } as object))).toEqual(["emit", "ask", "message"]);
  });

  it("is not changed by what happens later to what it was made of", () => {
    const choices = [{ value: "a", title: "A" }];
    const suggested = ["a"];
    const fallback = { decline: ["a"] };
    const question = ask.multiselect("Which?", choices, { default: suggested, fallback });
    const before = JSON.stringify(question);

    choices.push({ value: "b", title: "B" });
    suggested.push("nonsense");
    fallback.decline = ["b"];

    expect(JSON.stringify(question)).toBe(before);
  });

  it("leaves what it was made of as it was", () => {
    const fallback = { decline: "nobody" };
    const schema = { type: "object", properties: { name: { type: "string" } } } as const;

    ask.text("Name?", { fallback });
    ask.form("Who?", schema);

    expect([fallback, schema, schema.properties.name].map(Object.isFrozen)).toEqual([false, false, false]);
  });
});

describe("the options of a choice", () => {
  const options = [
    { value: "s", title: "Single" },
    { value: "d", title: "Double" },
  ];

  it.each([
    [
      "strings",
      ask.select("Which?", ["s", "d"]),
      [
        { value: "s", title: "s" },
        { value: "d", title: "d" },
      ],
    ],
    ["{ value, title }", ask.select("Which?", options), options],
    ["a record", ask.select("Which?", { s: "Single", d: "Double" }), options],
    ["{ value }", ask.select("Which?", [{ value: "s" }]), [{ value: "s", title: "s" }]],
    ["{ value, label }", ask.select("Which?", [{ value: "s", label: "Single" }]), [options[0]]],
    [
      "a mixture",
      ask.select("Which?", ["s", { value: "d", title: "Double" }]),
      [{ value: "s", title: "s" }, options[1]],
    ],
    ["multiselect", ask.multiselect("Which?", { s: "Single", d: "Double" }), options],
  ])(verifies("A4", "are given as %s"), (_, question, expected) => {
    expect(question.options).toEqual(expected);
  });

  it.each([
    ["in a list", ask.select("Which?", [{ value: "s", title: "Single", description: "One bed" }])],
    ["in a record", ask.select("Which?", { s: { title: "Single", description: "One bed" } })],
  ])(verifies("A4", "may have a description: %s"), (_, question) => {
    expect(question.options).toEqual([{ value: "s", title: "Single", description: "One bed" }]);
  });

  it("stay in the order they were given in", () => {
    const letters = ["z", "a", "m"];

    expect(ask.select("Which?", letters).options.map(({ value }) => value)).toEqual(letters);
  });
});

describe("the ids of questions", () => {
  it(
    verifies("B7", "are ask-1, ask-2, … among all asks, or the id, or id#2 when asked again: §2.8"),
    async () => {
      async function* body(): Body<void> {
        yield* ask.text("A?");
        yield* ask.text("B?", { id: "b" });
        yield* ask.text("C?");
        yield* ask.text("B again?", { id: "b" });
      }

      const { rounds } = await accepting("x", body());

      expect(rounds.flatMap((round) => Object.keys(round))).toEqual(["ask-1", "b", "ask-3", "b#2"]);
    },
  );

  it(verifies(["A6", "B7"], "are the record's keys in ask.all: §2.8"), async () => {
    async function* body(): Body<object> {
      return yield* ask.all({ first: ask.text("A?"), second: ask.text("B?", { id: "mine" }) });
    }

    const { returned, rounds } = await accepting("x", body());

    expect(rounds.map((round) => Object.keys(round))).toEqual([["first", "second"]]);
    expect(returned).toEqual({ first: "x", second: "x" });
  });
});

describe("ask.form", () => {
  it.each([
    ["a field map", { name: ask.text("Name") }],
    ["a Standard Schema", z.object({ name: z.string() })],
    ["JSON Schema", { type: "object", properties: { name: { type: "string" } }, required: ["name"] }],
  ] as const)(verifies("A3", "takes %s"), (_, fields) => {
    expect(ask.form("Who?", fields as never).schema).toMatchObject({
      type: "object",
      properties: { name: { type: "string" } },
      required: ["name"],
    });
  });

  it(verifies(["A3", "A4"], "says what each field of a map is: its type, limits, words and choices"), () => {
    const { schema } = ask.form("Book", {
      mail: ask.text("Your address", { label: "Mail", description: "For the bill", format: "email" }),
      nights: ask.number("Nights", { min: 1, integer: true, default: 1 }),
      breakfast: ask.confirm("Breakfast?"),
      room: ask.select("Room", { s: "Single" }),
      extras: ask.multiselect("Extras", { b: { title: "Bed", description: "A third" } }, { max: 1 }),
      from: ask.date("From", { min: "2026-01-01" }),
    });

    expect(schema.properties).toEqual({
      mail: { type: "string", format: "email", title: "Mail", description: "For the bill" },
      nights: { type: "integer", minimum: 1, title: "Nights", default: 1 },
      breakfast: { type: "boolean", title: "Breakfast?" },
      room: { type: "string", oneOf: [{ const: "s", title: "Single" }], title: "Room" },
      extras: {
        type: "array",
        items: { anyOf: [{ const: "b", title: "Bed", description: "A third" }] },
        uniqueItems: true,
        maxItems: 1,
        title: "Extras",
      },
      from: { type: "string", format: "date", formatMinimum: "2026-01-01", title: "From" },
    });
  });

  it("stays plain data with a Standard Schema behind it", () => {
    const question = ask.form("Who?", z.object({ name: z.string() }));

    expect(JSON.stringify(question)).not.toContain("~standard");
    expect(question.schema["~standard"]?.vendor).toBe("zod");
  });
});

describe("ask.all and ask.outcome", () => {
  it(verifies("A6", "are frozen data"), () => {
    const round = ask.all({ name: ask.text("Name?"), sure: ask.outcome(ask.confirm("Sure?")) });

    expect(round).toEqual({
      emit: "ask",
      ask: "all",
      asks: {
        name: { emit: "ask", ask: "text", message: "Name?" },
        sure: { emit: "ask", ask: "outcome", of: { emit: "ask", ask: "confirm", message: "Sure?" } },
      },
    });
    expect(changeableIn(round)).toEqual([]);
    expect(changeableIn(ask.outcome(round))).toEqual([]);
  });

  it(verifies("A6", "give the same by yield and by yield*"), async () => {
    const round = ask.all({ a: ask.text("A?"), b: ask.outcome(ask.text("B?")) });
    async function* byYield(): Body<unknown> {
      const given: unknown = yield round;
      return given;
    }
    async function* byDelegation(): Body<unknown> {
      return yield* round;
    }

    const one = await accepting("x", byYield());
    const other = await accepting("x", byDelegation());

    expect(one.returned).toEqual({ a: "x", b: { action: "accept", value: "x" } });
    expect(other.returned).toEqual(one.returned);
  });
});
