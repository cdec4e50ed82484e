import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { signatureOf } from "./signature-of.ts";

const inJavaScript = (source: string): ReturnType<typeof signatureOf> =>
  signatureOf(source, { "types.ts": "export interface Room { beds: number }" }, "tool.js");

describe("the comment of a generator", () => {
  it(verifies("A7", "describes the tool and its parameters"), () => {
    const { description, input } = signatureOf(`
      /**
       * Books a room
       * in a hotel.
       *
       * It asks first:
       * - whether you are sure
       * - for how long
       *
       * @param city - where to look,
       *   in {@link https://example.com | any country}
       * @param nights How long to stay.
       * @returns the booking
       * @example f("Rome", 2)
       */
      export async function* f(city: string, nights: number) {}
    `);

    expect(description).toBe(
      "Books a room in a hotel.\n\nIt asks first:\n- whether you are sure\n- for how long",
    );
    expect(input.properties).toEqual({
      city: { type: "string", description: "where to look, in any country" },
      nights: { type: "number", description: "How long to stay." },
    });
  });

  it.each([
    ["over an exported function", "/** Books. */\nexport async function* f() {}"],
    ["over a value", "/** Books. */\nexport const f = async function* () {};"],
    ["over a function that is exported below", "/** Books. */\nasync function* f() {}\nexport { f };"],
    [
      "with other comments after it",
      "/** Books. */\n// eslint-disable-next-line\nexport async function* f() {}",
    ],
    ["in a tag", "/** @description Books. */\nexport async function* f() {}"],
  ])("is found %s", (_, source) => {
    expect(signatureOf(source).description).toBe("Books.");
  });

  it("may have the line endings of Windows", () => {
    const source =
      "/**\n * Books.\n *\n * Asks first.\n * @param nights How long. @minimum 1\n */\nexport async function* f(nights: number) {}";

    const { description, input } = signatureOf(source.replaceAll("\n", "\r\n"));

    expect(description).toBe("Books.\n\nAsks first.");
    expect(input.properties).toEqual({ nights: { type: "number", description: "How long.", minimum: 1 } });
  });

  it.each([
    ["of something else", "/** Books. */\nconst other = 1;\nexport async function* f() {}"],
    ["that is no JSDoc", "/* Books. */\nexport async function* f() {}"],
  ])("is not one %s", (_, source) => {
    expect(signatureOf(source).description).toBeUndefined();
  });

  it("describes the properties of an object that is taken apart, by either name", () => {
    const { input } = signatureOf(`
      /**
       * @param input.city where to look
       * @param nights how long
       */
      export async function* f({ city, nights }: { city: string; nights: number }) {}
    `);

    expect(input.properties).toMatchObject({
      city: { description: "where to look" },
      nights: { description: "how long" },
    });
  });

  it("gives way to what is said at the property itself", () => {
    const { input } = signatureOf(`
      interface Booking {
        /** The city. */
        city: string;
        /** How long. @minimum 1 */
        nights?: number;
      }
      /**
       * @param booking what to book
       * @param booking.city somewhere
       */
      export async function* f(booking: Booking) {}
    `);

    expect(input.properties?.["city"]).toEqual({ type: "string", description: "The city." });
  });
});

describe("a constraint", () => {
  it.each([
    ["number", "@minimum 1", { minimum: 1 }],
    ["number", "@maximum 9.5", { maximum: 9.5 }],
    ["number", "@exclusiveMinimum 0", { exclusiveMinimum: 0 }],
    ["number", "@exclusiveMaximum -1", { exclusiveMaximum: -1 }],
    ["number", "@multipleOf 5", { multipleOf: 5 }],
    ["number", "@integer", { type: "integer" }],
    ["number", "@min 1", { minimum: 1 }],
    ["string", "@minLength 2", { minLength: 2 }],
    ["string", "@maxLength 3", { maxLength: 3 }],
    ["string", "@max 3", { maxLength: 3 }],
    ["string", "@pattern ^[a-z]{2}$", { pattern: "^[a-z]{2}$" }],
    ["string", "@format email", { format: "email" }],
    ["string | null", "@format date", { format: "date" }],
    ["string[]", "@minItems 1", { minItems: 1 }],
    ["string[]", "@maxItems 3", { maxItems: 3 }],
    ["string[]", "@uniqueItems", { uniqueItems: true }],
    ["string[]", "@min 1", { minItems: 1 }],
    ["number", "@default 3", { default: 3 }],
    ["string", "@default Rome", { default: "Rome" }],
    ["string", "@title City", { title: "City" }],
  ])("of %s is written on a line of its own, or after the text: %s", (type, tag, keywords) => {
    const block = signatureOf(
      `export async function* f(booking: {\n/**\n * About it.\n * ${tag}\n */\nx: ${type} }) {}`,
    );
    const inline = signatureOf(
      `/** @param x About it. ${tag} */\nexport async function* f(x: ${type}, y: string) {}`,
    );

    expect(block.input.properties?.["x"]).toMatchObject({ description: "About it.", ...keywords });
    expect(inline.input.properties?.["x"]).toMatchObject({ description: "About it.", ...keywords });
  });

  it("within the text is refused where it stands", () => {
    const source = "/** @param x About it, {@minimum 1}. */\nexport async function* f(x: number) {}";

    expect(() => signatureOf(source)).toThrow(
      /tool\.ts:1:5: \{@minimum …\} within a text is not read; write @minimum after the text; or give/,
    );
  });

  it("may say that a property is deprecated", () => {
    const source =
      "export async function* f(booking: {\n/**\n * About it.\n * @deprecated\n */\nx: string }) {}";

    expect(signatureOf(source).input.properties?.["x"]).toMatchObject({ deprecated: true });
  });

  it("may follow the parameter that it is for", () => {
    const { input } = signatureOf(`
      /**
       * @param city where @minLength 2
       * @maxLength 9
       * @param nights
       * @minimum 1
       * @returns something of @minimum 3
       */
      export async function* f(city: string, nights: number) {}
    `);

    expect(input.properties).toEqual({
      city: { type: "string", description: "where", minLength: 2, maxLength: 9 },
      nights: { type: "number", minimum: 1 },
    });
  });

  it("may follow the text on its line, and be followed by another", () => {
    const { input } = signatureOf(
      "export async function* f(booking: { /** Write to me@format.org. @minLength 3 letters @pattern ^\\S+@\\S+$ */ x: string }) {}",
    );

    expect(input.properties?.["x"]).toEqual({
      type: "string",
      description: "Write to me@format.org.",
      minLength: 3,
      pattern: "^\\S+@\\S+$",
    });
  });

  it.each([
    ["string", "@minimum 1", "@minimum is for numbers, which this is not"],
    ["number", "@format email", "@format is for strings"],
    ["number", "@minimum one", '@minimum takes a number, not "one"'],
    ["string", "@minLength -1", '@minLength takes a whole number, not "-1"'],
    ["string", "@minLength", '@minLength takes a whole number, not ""'],
    ["string", "@format e-mail", '"e-mail" is not a format; use one of date, time'],
    ["string", "@pattern [", '@pattern "[" is not a regular expression'],
  ])(verifies("D5", "that does not fit is refused where it stands: %s with %s"), (type, tag, problem) => {
    const source = `export async function* f(booking: {\n  /** ${tag} */\n  x: ${type};\n}) {}`;

    expect(() => signatureOf(source)).toThrow(/tool\.ts:2:\d+: /);
    expect(() => signatureOf(source)).toThrow(problem);
  });
});

describe("a @param", () => {
  it(verifies("A7", "may follow the description on its line, with its constraints"), () => {
    const { description, input } = signatureOf(
      "/** Counts in. @param bars how many. @minimum 1 @maximum 8 */\nexport async function* f(bars: number) {}",
    );

    expect(description).toBe("Counts in.");
    expect(input.properties).toEqual({
      bars: { type: "number", description: "how many.", minimum: 1, maximum: 8 },
    });
  });

  it("is for a property of one of several parameters", () => {
    const { input } = signatureOf(`
      /** @param stay.city where */
      export async function* f(stay: { city: string }, nights: number) {}
    `);

    expect(input.properties?.["stay"]?.properties).toEqual({
      city: { type: "string", description: "where" },
    });
  });

  it("may be for the context, or for a parameter that is destructured", () => {
    const { input } = signatureOf(`
      /**
       * @param stay what to book
       * @param stay.city where
       * @param context the run
       */
      export async function* f({ city }: { city: string }, context: any) {}
    `);

    expect(input.properties).toEqual({ city: { type: "string", description: "where" } });
  });

  it.each([
    ["one of several", "@param nigths how long", "city: string, nights: number", "city, nights"],
    [
      "the property of one",
      "@param stay.nigths how long",
      "stay: { city: string; nights: number }",
      "city, nights",
    ],
    [
      "a property that is destructured",
      "@param nigths how long",
      "{ city, nights }: { city: string; nights: number }",
      "city, nights",
    ],
    ["a property of text", "@param city.name which", "city: string, nights: number", "there are none here"],
  ])(
    verifies("D5", "that names no parameter is refused where it stands: %s"),
    (_, tag, parameters, known) => {
      const source = `/**\n * Books.\n * ${tag}\n */\nexport async function* f(${parameters}) {}`;

      expect(() => signatureOf(source)).toThrow(/tool\.ts:3:4: @param \S+ names no parameter: /);
      expect(() => signatureOf(source)).toThrow(known);
    },
  );

  it.each([
    ["@param", "it is empty"],
    ["@param {string] city", "unpaired curlies"],
  ])("that cannot be read is refused where it stands: %s", (tag, problem) => {
    const source = `/**\n * ${tag}\n */\nexport async function* f(city: string) {}`;

    expect(() => signatureOf(source)).toThrow(/tool\.ts:2:4: This @param has no name that can be read/);
    expect(() => signatureOf(source)).toThrow(problem);
  });

  it("of an object has no constraints, which would be those of a property", () => {
    const source =
      "/** @param stay where. @minLength 1 */\nexport async function* f(stay: { city: string }) {}";

    expect(() => signatureOf(source)).toThrow(/tool\.ts:1:24: @minLength is for strings, which this is not/);
  });

  it("does not follow a constraint, which would be that of the function", () => {
    const source =
      "/** Counts in. @minimum 1 @param bars how many */\nexport async function* f(bars: number) {}";

    expect(() => signatureOf(source)).toThrow(/tool\.ts:1:16: @minimum is for a parameter; write it after/);
  });
});

describe("a comment in JavaScript", () => {
  it("gives the types of parameters", () => {
    const { input } = inJavaScript(`
      /**
       * Books a room.
       * @param {string} city where to look
       * @param {number} [nights=1] how long
       * @param {"single" | "double"=} room
       * @param {string[]} [names]
       * @param {Record<string, number>} prices
       */
      export async function* f(city, nights, room, names, prices) {}
    `);

    expect(input).toEqual({
      type: "object",
      properties: {
        city: { type: "string", description: "where to look" },
        nights: { type: "number", description: "how long", default: 1 },
        room: { type: "string", enum: ["single", "double"] },
        names: { type: "array", items: { type: "string" } },
        prices: { type: "object", additionalProperties: { type: "number" } },
      },
      required: ["city", "prices"],
      additionalProperties: false,
    });
  });

  it("gives the properties of an object", () => {
    const { input, parameters } = inJavaScript(
      "/** @param {{ city: string, nights?: number }} input */\nexport async function* f({ city, nights = 2 }) {}",
    );

    expect(parameters).toEqual([{ kind: "input" }]);
    expect(input).toEqual({
      type: "object",
      properties: { city: { type: "string" }, nights: { type: "number", default: 2 } },
      required: ["city"],
      additionalProperties: false,
    });
  });

  it("names the context by its type", () => {
    const { parameters } = inJavaScript(
      '/**\n * @param {string} city\n * @param {import("@photon/core").Context} run\n */\nexport async function* f(city, run) {}',
    );

    expect(parameters).toEqual([{ kind: "property", name: "city" }, { kind: "context" }]);
  });

  it("with a type that cannot be read is refused where it stands", () => {
    const source =
      "/**\n * @param {string} city\n * @param {Strin} town\n */\nexport async function* f(city, town) {}";

    expect(() => inJavaScript(source)).toThrow(/tool\.js:3:12: The type Strin is declared neither/);
  });
});
