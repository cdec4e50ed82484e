import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  ask,
  parseInput,
  errorResult,
  InvalidDefinition,
  InvalidInput,
  MissingCapabilities,
  prompt,
  run,
  tool,
  withName,
  type Capability,
  type Body,
  type Client,
  type Duration,
  type JsonSchema,
  type StandardSchema,
  type Tool,
} from "@photon/core";
import { script } from "@photon/core/testing";
import { verifies } from "../../../test/requirements.ts";

describe("the schemas of a tool", () => {
  it(verifies("A7", "takes a zod schema, which types the input and describes it"), async () => {
    const book = tool({
      input: z.object({ city: z.string(), nights: z.number().int().max(30).optional() }),
      output: z.object({ booked: z.string() }),
      async *run(input) {
        expectTypeOf(input).toEqualTypeOf<{ city: string; nights?: number | undefined }>();
        return { booked: input.city };
      },
    });

    expectTypeOf(book).toEqualTypeOf<
      Tool<
        { city: string; nights?: number | undefined },
        { booked: string },
        { city: string; nights?: number | undefined }
      >
    >();
    expect(book.input.json).toMatchObject({
      type: "object",
      properties: { city: { type: "string" }, nights: { type: "integer", maximum: 30 } },
      required: ["city"],
    });
    expect(book.output?.json).toMatchObject({ properties: { booked: { type: "string" } } });
    expect(await run(book, { city: "Rome" })).toEqual({ booked: "Rome" });
  });

  it(verifies("A7", "takes a valibot schema in toStandardJsonSchema()"), async () => {
    const book = tool({
      input: toStandardJsonSchema(v.object({ city: v.string(), nights: v.optional(v.number(), 1) })),
      output: toStandardJsonSchema(v.object({ nights: v.number() })),
      async *run(input) {
        expectTypeOf(input).toEqualTypeOf<{ city: string; nights: number }>();
        return { nights: input.nights };
      },
    });

    expectTypeOf(book).toEqualTypeOf<
      Tool<
        { city: string; nights: number },
        { nights: number },
        { city: string; nights?: number | undefined }
      >
    >();
    expect(book.input.json).toMatchObject({ properties: { city: { type: "string" } }, required: ["city"] });
    expect(book.output?.json).toMatchObject({ properties: { nights: { type: "number" } } });
    expect(await run(book, { city: "Rome" })).toEqual({ nights: 1 });
  });

  it(verifies("A7", "takes an arktype schema"), async () => {
    const book = tool({
      input: type({ city: "string", "nights?": "number.integer <= 30" }),
      output: type({ booked: "string" }),
      async *run(input) {
        expectTypeOf(input).toEqualTypeOf<{ city: string; nights?: number }>();
        return { booked: input.city };
      },
    });

    expectTypeOf(book).toEqualTypeOf<
      Tool<{ city: string; nights?: number }, { booked: string }, { city: string; nights?: number }>
    >();
    expect(book.input.json).toMatchObject({
      type: "object",
      properties: { city: { type: "string" }, nights: { type: "integer", maximum: 30 } },
      required: ["city"],
    });
    expect(book.output?.json).toMatchObject({ properties: { booked: { type: "string" } } });
    expect(await run(book, { city: "Rome" })).toEqual({ booked: "Rome" });
  });

  it(
    verifies("A7", "takes JSON Schema, which types the input as far as it is written in place"),
    async () => {
      const book = tool({
        input: {
          type: "object",
          properties: {
            city: { type: "string" },
            room: { type: "string", enum: ["single", "double"] },
            nights: { type: "integer", default: 1 },
            tags: { type: "array", items: { type: "string" } },
          },
          required: ["city", "room"],
        },
        output: { type: "object", properties: { booked: { type: "string" } } },
        async *run({ city, room, nights, tags }) {
          expectTypeOf(city).toEqualTypeOf<string>();
          expectTypeOf(room).toEqualTypeOf<"single" | "double">();
          expectTypeOf(nights).toEqualTypeOf<number>();
          expectTypeOf(tags).toEqualTypeOf<string[] | undefined>();
          return { booked: `${city}, ${room}, ${nights}` };
        },
      });

      expectTypeOf(book.run).returns.toEqualTypeOf<Body<{ booked: string }>>();
      expect(book.input.json).toMatchObject({
        type: "object",
        properties: { city: { type: "string" } },
        required: ["city", "room"],
      });
      expect(await run(book, { city: "Rome", room: "single" })).toEqual({ booked: "Rome, single, 1" });
    },
  );

  it(
    verifies("A7", "types the input of JSON Schema from elsewhere as a record of unknown values"),
    async () => {
      const fromElsewhere: JsonSchema = { type: "object", properties: { city: { type: "string" } } };
      const book = tool({
        input: fromElsewhere,
        async *run(input) {
          expectTypeOf(input).toEqualTypeOf<Record<string, unknown>>();
          return input["city"];
        },
      });

      expect(await run(book, { city: "Rome" })).toBe("Rome");
    },
  );

  it("takes JSON Schema of draft-07 where it says so", async () => {
    const greet = tool({
      input: {
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "object",
        // A tuple as draft-07 spells it; 2020-12 calls it `prefixItems`.
        properties: { pair: { type: "array", items: [{ type: "string" }, { type: "number" }] } },
      },
      async *run() {
        return "fine";
      },
    });

    expect(await run(greet, { pair: ["a", 1] })).toBe("fine");
    await expect(run(greet, { pair: ["a", "b"] })).rejects.toThrow("pair.1 must be a number");
  });

  it("takes no input at all where it names none", async () => {
    const ping = tool({
      name: "ping",
      async *run() {
        return "pong";
      },
    });

    expect(await run(ping, {})).toBe("pong");
    await expect(run(ping, { extra: 1 })).rejects.toThrow(InvalidInput);
    await expect(run(ping, { extra: 1 })).rejects.toThrow("extra");
  });

  it("types what the body returns, also where it asks on the way", () => {
    const guess = tool({
      async *run() {
        if (yield* ask.confirm("Sure?")) return "yes";
        return { picked: yield* ask.select("Which?", ["a", "b"]) };
      },
    });

    expectTypeOf(guess.run).returns.toEqualTypeOf<Body<"yes" | { picked: "a" | "b" }>>();
  });

  it("gives the body what the schema makes of the input", async () => {
    const measure = tool({
      input: z.object({ text: z.string().transform((text) => text.length) }),
      async *run({ text }) {
        expectTypeOf(text).toEqualTypeOf<number>();
        return text;
      },
    });

    expect(measure.input.json.properties?.["text"]).toEqual({ type: "string" });
    expect(await run(measure, { text: "four" })).toBe(4);
  });

  it(verifies("A7", "refuses a plain valibot schema and says how to wrap it"), () => {
    const define = (): unknown =>
      tool({
        name: "book",
        input: v.object({ city: v.string() }),
        async *run() {},
      });

    expect(define).toThrow(InvalidDefinition);
    expect(define).toThrow(
      "The input of the tool book (valibot) cannot describe itself as JSON Schema; wrap it in toStandardJsonSchema() of @valibot/to-json-schema.",
    );
  });

  it(
    verifies("A7", "refuses a schema of an unknown library that cannot describe itself and says what to do"),
    () => {
      const mute: StandardSchema<{ city: string }> = {
        "~standard": { version: 1, vendor: "mute", validate: () => ({ issues: [] }) },
      };

      expect(() => tool({ name: "book", input: mute, async *run() {} })).toThrow(
        "The input of the tool book (mute) cannot describe itself as JSON Schema; use a version of the library",
      );
    },
  );

  it(
    verifies(["A7", "D5"], "refuses a zod schema with a part that JSON Schema lacks and says what to do"),
    () => {
      const define = (): unknown =>
        tool({
          name: "book",
          input: z.object({ from: z.date() }),
          async *run() {},
        });

      expect(define).toThrow(InvalidDefinition);
      expect(define).toThrow(/^The input of the tool book \(zod\) .*Date cannot be represented/);
      expect(define).toThrow(/\b(use|give|write)\b/);
    },
  );

  it("refuses an output that cannot describe itself", () => {
    const define = (): unknown =>
      tool({
        name: "book",
        output: v.object({ ref: v.string() }),
        async *run() {
          return { ref: "R1" };
        },
      });

    expect(define).toThrow("The output of the tool book (valibot) cannot describe itself");
  });

  it.each([
    ["a text", z.string()],
    ["a list", z.array(z.string())],
    ["one of two objects", z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
    ["no type", { properties: { city: { type: "string" } } }],
  ])("refuses an input that is not an object but %s", (_, input) => {
    expect(() => tool({ name: "book", input, async *run() {} })).toThrow(
      "The input of the tool book must be the schema of an object",
    );
  });

  it.each([["a text"], [5], [[]], [new Map()], [{ type: "object", default: new Date(0) }]])(
    "refuses %j as a schema",
    (input) => {
      expect(() => tool({ name: "book", input: input as unknown as JsonSchema, async *run() {} })).toThrow(
        /^The input of the tool book is .*; give a Standard Schema \(zod, valibot, arktype\) or JSON Schema\.$/,
      );
    },
  );

  it(verifies("D5", "names the tool whose JSON Schema cannot be used"), () => {
    const define = () =>
      tool({
        name: "book",
        input: { type: "object", properties: { city: { type: "strin" } } },
        async *run() {},
      });

    expect(define).toThrow(InvalidDefinition);
    expect(define).toThrow("book");
  });
});

describe("a tool's definition", () => {
  it("keeps what it was given, and is frozen", () => {
    const book = tool({
      name: "book",
      title: "Book",
      description: "Book a room",
      annotations: { destructiveHint: true },
      version: "2",
      durable: true,
      limit: "30s",
      needs: ["form"],
      async *run() {},
    });

    expect(book).toMatchObject({
      kind: "tool",
      name: "book",
      title: "Book",
      description: "Book a room",
      annotations: { destructiveHint: true },
      version: "2",
      durable: true,
      limit: 30_000,
      needs: ["form"],
    });
    expect(Object.isFrozen(book)).toBe(true);
    expect(Object.isFrozen(book.input.json)).toBe(true);
  });

  it("has nothing in it that was not given", () => {
    const bare = tool({ async *run() {} });

    expect(Object.keys(bare).toSorted()).toEqual(["input", "kind", "run"]);
  });

  it("does not change with the objects it was made of", () => {
    const input = { type: "object", properties: { city: { type: "string" } } };
    const needs: Capability[] = ["form"];
    const book = tool({ input, needs, async *run() {} });

    input.properties.city.type = "number";
    needs.push("roots");

    expect(book.input.json.properties?.["city"]?.type).toBe("string");
    expect(book.needs).toEqual(["form"]);
  });

  it.each(["a", "Book_room-2.0", "x".repeat(128), "..", "-", "0"])("may be called %j", (name) => {
    expect(tool({ name, async *run() {} }).name).toBe(name);
  });

  it.each(["", "x".repeat(129), "book room", "book/room", "größe", "a\n", "book#2", "$book"])(
    "may not be called %j",
    (name) => {
      const define = (): unknown => tool({ name, async *run() {} });

      expect(define).toThrow(InvalidDefinition);
      expect(define).toThrow('use 1 to 128 letters, digits, "_", "-" and "."');
    },
  );

  it.each([7, null, {}])("must have a string as its name", (name) => {
    expect(() => tool({ name: name as unknown as string, async *run() {} })).toThrow(InvalidDefinition);
  });

  it.each([
    ["500ms", 500],
    ["1.5s", 1500],
    ["2h", 7_200_000],
    [250, 250],
  ] as const)("has a limit of %j in milliseconds", (limit, expected) => {
    expect(tool({ limit, async *run() {} }).limit).toBe(expected);
  });

  it.each(["30", "-1s", "soon", "", 0, -5])("refuses a limit of %j", (limit) => {
    expect(() => tool({ name: "book", limit: limit as Duration, async *run() {} })).toThrow(
      `The limit of the tool book is ${JSON.stringify(limit)}; write it like "500ms", "30s", "5m", "2h" or "7d".`,
    );
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])("refuses a limit of %d and shows it as it is", (limit) => {
    expect(() => tool({ name: "book", limit, async *run() {} })).toThrow(
      `The limit of the tool book is ${limit};`,
    );
  });

  it("refuses to need an unknown capability", () => {
    const needs = ["form", "forms"] as Capability[];

    expect(() => tool({ name: "book", needs, async *run() {} })).toThrow(
      'The needs of the tool book must be form, url, sample or roots, not the string "forms".',
    );
  });

  it("refuses to need undefined, as a misspelled constant is", () => {
    const needs = [undefined] as unknown as Capability[];

    expect(() => tool({ name: "book", needs, async *run() {} })).toThrow(
      "The needs of the tool book must be form, url, sample or roots, not undefined.",
    );
  });

  it("refuses needs that are no list", () => {
    const needs = "form" as unknown as Capability[];

    expect(() => tool({ name: "book", needs, async *run() {} })).toThrow(InvalidDefinition);
  });

  it("refuses a version that is not a string", () => {
    expect(() => tool({ name: "book", version: 2 as unknown as string, async *run() {} })).toThrow(
      "The version of the tool book must be a string, not the number 2.",
    );
  });

  it("refuses a run that is not a function", () => {
    const nothing = undefined as unknown as () => Body<void>;

    expect(() => tool({ name: "book", run: nothing })).toThrow(
      "The run of the tool book must be an async generator function, not undefined.",
    );
  });

  it("says how to write a run that turns out to be no generator", async () => {
    const book = tool({ name: "book", run: (async () => "done") as unknown as () => Body<string> });

    await expect(run(book, {})).rejects.toThrow(InvalidDefinition);
    await expect(run(book, {})).rejects.toThrow(
      "book returned a Promise; write its run as an async generator: async *run(…).",
    );
  });
});

describe("withName", () => {
  it("names a tool after its export, and leaves the original as it was", () => {
    const book = tool({ async *run() {} });
    const named = withName(book, "book");

    expect(named.name).toBe("book");
    expect(Object.isFrozen(named)).toBe(true);
    expect(book.name).toBeUndefined();
    expectTypeOf(named).toEqualTypeOf<typeof book>();
  });

  it("leaves a tool that has a name as it is", () => {
    const book = tool({ name: "book", async *run() {} });

    expect(withName(book, "other")).toBe(book);
  });

  it("does not look at the export of a tool that has a name", () => {
    const size = tool({ name: "size", async *run() {} });

    expect(withName(size, "größe")).toBe(size);
  });

  it("refuses a name that clients do not take", () => {
    expect(() => withName(tool({ async *run() {} }), "größe")).toThrow(
      'A tool cannot be called the string "größe"',
    );
  });

  it("calls a prompt a prompt when it refuses its name", () => {
    const review = prompt({
      async *run() {
        return "Review this.";
      },
    });

    expect(() => withName(review, "größe")).toThrow('A prompt cannot be called the string "größe"');
  });
});

describe("the input of a call", () => {
  const book = tool({
    name: "book",
    input: z.object({
      nights: z.number().int().min(1).max(30),
      guest: z.object({ name: z.string(), email: z.email().optional() }),
      tags: z.array(z.string()).min(1).optional(),
    }),
    async *run(input) {
      return input;
    },
  });

  it(verifies("A7", "reaches the body when it fits, whatever is nested in it"), async () => {
    const input = { nights: 2, guest: { name: "Ada", email: "ada@example.com" }, tags: ["quiet"] };

    expect(await run(book, input)).toEqual(input);
  });

  it.each([
    ["nights is required", { guest: { name: "Ada" } }],
    ["nights must be at most 30", { nights: 31, guest: { name: "Ada" } }],
    ["nights must be a whole number", { nights: 1.5, guest: { name: "Ada" } }],
    ["nights must be a whole number", { nights: "two", guest: { name: "Ada" } }],
    ["guest.name is required", { nights: 2, guest: {} }],
    ["guest.email must be an email address", { nights: 2, guest: { name: "Ada", email: "ada" } }],
    ["tags.0 must be text", { nights: 2, guest: { name: "Ada" }, tags: [7] }],
  ])(verifies("A7", "is refused as %j before the body starts"), async (problem, input) => {
    const running = run(book, input);

    await expect(running).rejects.toThrow(InvalidInput);
    await expect(running).rejects.toThrow(`Invalid input for book: ${problem}`);
  });

  it(verifies("A7", "names every field that is wrong at once"), async () => {
    await expect(run(book, { nights: 0, guest: {} })).rejects.toThrow(
      /nights must be at least 1.*guest\.name is required|guest\.name is required.*nights must be at least 1/,
    );
  });

  it(verifies("A7", "that does not fit makes a result that is an error and names the field"), async () => {
    const failure: unknown = await run(book, { nights: 31, guest: { name: "Ada" } }).catch(
      (error: unknown) => error,
    );

    expect(errorResult(failure)).toEqual({
      content: [{ type: "text", text: "Invalid input for book: nights must be at most 30." }],
      isError: true,
    });
  });

  it("speaks of items, not of choices, where a list is too short", async () => {
    const running = run(book, { nights: 2, guest: { name: "Ada" }, tags: [] });

    await expect(running).rejects.toThrow("tags must have at least 1");
    await expect(running).rejects.not.toThrow("choice");
  });

  it.each([[undefined], [null], ["Rome"], [5], [[]], [new Map()]])("is an object, not %j", async (input) => {
    await expect(run(book, input)).rejects.toThrow(/^Invalid input for book: it must be an object, not /);
  });

  it("is checked by what only the Standard Schema knows, naming the field", async () => {
    const trip = tool({
      name: "trip",
      input: z
        .object({ from: z.string(), to: z.string() })
        .refine(({ from, to }) => from !== to, { message: "you are there already", path: ["to"] }),
      async *run() {},
    });

    await expect(run(trip, { from: "Rome", to: "Rome" })).rejects.toThrow(
      "Invalid input for trip: to: you are there already.",
    );
  });

  it("is waited for where the Standard Schema looks it up", async () => {
    const visit = tool({
      name: "visit",
      input: z.object({ city: z.string().refine(async (city) => city === "Rome", "is nowhere") }),
      async *run({ city }) {
        return city;
      },
    });

    expect(await run(visit, { city: "Rome" })).toBe("Rome");
    await expect(run(visit, { city: "Atlantis" })).rejects.toThrow("city: is nowhere");
  });

  it.each([
    ["has a property too many", { extra: 1, from: 1, to: 2 }],
    ["is wrong as a whole", { from: 2, to: 1 }],
  ])("gets a whole sentence when it %s", async (_, input) => {
    const span = tool({
      name: "span",
      input: z
        .strictObject({ from: z.number(), to: z.number() })
        .refine(({ from, to }) => from <= to, "ends early"),
      async *run() {},
    });

    await expect(run(span, input)).rejects.toThrow(/^Invalid input for span: it (has|is) /);
  });

  it("gets the defaults of what was left out of JSON Schema", async () => {
    const greet = tool({
      input: {
        type: "object",
        properties: { name: { type: "string" }, times: { type: "integer", default: 3 } },
        required: ["name"],
      },
      async *run(input) {
        return input;
      },
    });

    expect(await run(greet, { name: "Ada" })).toEqual({ name: "Ada", times: 3 });
    expect(await run(greet, { name: "Ada", times: 1 })).toEqual({ name: "Ada", times: 1 });
  });

  it("gets the defaults of nested properties, as its type says", async () => {
    const greet = tool({
      input: {
        type: "object",
        properties: {
          guest: { type: "object", properties: { title: { type: "string", default: "Dr" } } },
        },
        required: ["guest"],
      },
      async *run({ guest }) {
        expectTypeOf(guest.title).toEqualTypeOf<string>();
        return guest.title;
      },
    });

    expect(await run(greet, { guest: {} })).toBe("Dr");
  });

  it("gets no default for a required property", async () => {
    const greet = tool({
      name: "greet",
      input: {
        type: "object",
        properties: { name: { type: "string", default: "Ada" } },
        required: ["name"],
      },
      async *run() {},
    });

    await expect(run(greet, {})).rejects.toThrow("name is required");
  });

  it("gets the defaults of a Standard Schema as that library means them", async () => {
    const measure = tool({
      input: z.object({
        // The default is what comes out, not what goes in.
        size: z
          .string()
          .transform((text) => text.length)
          .default(7),
        unit: z.enum(["m", "ft"]).default("m"),
      }),
      async *run(input) {
        return input;
      },
    });

    expect(await run(measure, {})).toEqual({ size: 7, unit: "m" });
    expect(await run(measure, { size: "four", unit: "ft" })).toEqual({ size: 4, unit: "ft" });
  });

  it("is not changed by being checked", async () => {
    const greet = tool({
      input: { type: "object", properties: { times: { type: "integer", default: 3 } } },
      async *run(input) {
        return input;
      },
    });
    const input = Object.freeze({});

    await run(greet, input);

    expect(input).toEqual({});
  });

  it("cannot reach a prototype through __proto__", async () => {
    const echo = tool({
      input: { type: "object", properties: { times: { type: "integer", default: 3 } } },
      async *run(input) {
        return input;
      },
    });
    const input: unknown = JSON.parse('{ "__proto__": { "isAdmin": true } }');

    const seen = await run(echo, input);

    expect(Reflect.get(seen, "isAdmin")).toBeUndefined();
    expect(Object.getPrototypeOf(seen)).toBe(Object.prototype);
    expect(Reflect.get({}, "isAdmin")).toBeUndefined();
  });

  it("may not hold __proto__ where nothing of that name is described", async () => {
    const ping = tool({
      name: "ping",
      async *run() {
        return "pong";
      },
    });
    const input: unknown = JSON.parse('{ "__proto__": { "isAdmin": true } }');

    await expect(run(ping, input)).rejects.toThrow(InvalidInput);
  });

  it.each(["constructor", "toString", "valueOf"])(
    "may leave out an optional %s, and must give a required one",
    async (name) => {
      const properties = { [name]: { type: "string" } };
      const optional = tool({
        input: { type: "object", properties },
        async *run() {
          return "fine";
        },
      });
      const required = tool({
        name: "build",
        input: { type: "object", properties, required: [name] },
        async *run() {},
      });

      expect(await run(optional, {})).toBe("fine");
      await expect(run(required, {})).rejects.toThrow(`${name} is required`);
    },
  );

  it("is typed by parseInput as the body gets it", async () => {
    const greet = tool({ input: z.object({ name: z.string() }), async *run() {} });

    const input = await parseInput(greet, { name: "Ada" });

    expectTypeOf(input).toEqualTypeOf<{ name: string }>();
    expect(input).toEqual({ name: "Ada" });
  });
});

describe("what a client can do", () => {
  const bare: Client = {
    name: "bare",
    version: "1.0",
    can: { form: false, url: true, sample: false, roots: false },
  };

  it(verifies("A11", "is seen by the body before it asks"), async () => {
    const choose = tool({
      async *run(_, { client }) {
        expectTypeOf(client.can.form).toEqualTypeOf<boolean>();
        return client.can.form
          ? yield* ask.text("Which room?")
          : `the usual, ${client.name} ${client.version}`;
      },
    });

    expect(await run(choose, {}, { client: bare })).toBe("the usual, bare 1.0");
    expect(await script({ "Which room?": "double" }).run(choose)).toBe("double");
  });

  it(verifies("A11", "is everything for a program that names nothing else"), async () => {
    const look = tool({
      async *run(_, { client }) {
        return client.can;
      },
    });

    expect(await run(look, {})).toEqual({ form: true, url: true, sample: true, roots: true });
  });

  it(verifies(["A11", "B4"], "is compared with what the tool needs before the body starts"), async () => {
    let started = false;
    const choose = tool({
      name: "choose",
      needs: ["form", "url", "sample"],
      async *run() {
        started = true;
      },
    });

    const failure: unknown = await run(choose, {}, { client: bare }).catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(MissingCapabilities);
    expect(failure).toMatchObject({
      code: "NEEDS_UNMET",
      missing: ["form", "sample"],
      message: "choose needs a client that can do: form, sample.",
    });
    expect(started).toBe(false);
  });

  it("is named in a sentence that begins like one where the tool has no name", async () => {
    const choose = tool({ needs: ["form"], async *run() {} });

    await expect(run(choose, {}, { client: bare })).rejects.toThrow(
      "The tool needs a client that can do: form.",
    );
  });

  it("is enough where the client can do all that the tool needs", async () => {
    const open = tool({
      needs: ["url"],
      async *run() {
        return "opened";
      },
    });

    expect(await run(open, {}, { client: bare })).toBe("opened");
  });
});
