import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterEach, beforeEach, describe, expect, it, vi, type MockInstance } from "vitest";
import { ask, InvalidDefinition, type JsonSchema } from "@photon/core";
import * as z from "zod";
import { checkAnswer } from "../src/check-answer.ts";
import { checkValue, findProblem } from "../src/schema/validator.ts";

let made = 0;

/** A schema with content that no other test has. */
const distinct = (): { type: "string"; $comment: string } => ({
  type: "string",
  $comment: `schema ${++made}`,
});

/** The same content in another object. */
const again = <Schema extends JsonSchema>(schema: Schema): Schema => structuredClone(schema);

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";

describe("a schema", () => {
  let compile: MockInstance;

  beforeEach(() => {
    compile = vi.spyOn(Ajv2020.prototype, "compile");
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("is compiled with its first check, and once for all of them", async () => {
    const schema = distinct();

    expect(await findProblem(schema, "a")).toBeUndefined();
    expect(await findProblem(schema, 42)).toBe("must be text");
    expect(await findProblem(schema, "b")).toBeUndefined();
    expect(compile).toHaveBeenCalledTimes(1);
  });

  it("is compiled once by content: another object with the same content shares it", async () => {
    const schema = distinct();
    await findProblem(schema, "a");

    expect(await findProblem(again(schema), 42)).toBe("must be text");
    expect(compile).toHaveBeenCalledTimes(1);
  });

  it("is compiled once by content, whatever the order of its properties", async () => {
    const { type, $comment } = distinct();
    await findProblem({ type, $comment }, "a");

    expect(await findProblem({ $comment, type }, 42)).toBe("must be text");
    expect(await findProblem({ $comment, type }, 42)).toBe("must be text");
    expect(compile).toHaveBeenCalledTimes(1);
  });

  it("is compiled once for checks that come at the same time", async () => {
    const schema = distinct();

    await Promise.all([1, 2, 3].map(async () => findProblem(again(schema), "a")));

    expect(compile).toHaveBeenCalledTimes(1);
  });

  it("is compiled once for a question that is asked a hundred times", async () => {
    const maxLength = 1_000_000 + ++made;

    for (let time = 0; time < 100; time++) await checkAnswer(ask.text(`Name ${time}?`, { maxLength }), "Ada");

    expect(compile).toHaveBeenCalledTimes(1);
  });

  it("with other content is compiled by itself", async () => {
    expect(await findProblem({ ...distinct(), maxLength: 1 }, "ab")).toBe("must have at most 1 character");
    expect(await findProblem({ ...distinct(), maxLength: 2 }, "ab")).toBeUndefined();
    expect(compile).toHaveBeenCalledTimes(2);
  });

  it("may have the $id of another one with other content", async () => {
    const $id = "https://a.example/schema";

    expect(await findProblem({ $id, type: "string" }, 1)).toBe("must be text");
    expect(await findProblem({ $id, type: "number" }, 1)).toBeUndefined();
    expect(await findProblem({ $id, type: "string" }, 1)).toBe("must be text");
  });

  it("is checked correctly by many at once, each with its own problem", async () => {
    const schema = { ...distinct(), minLength: 2 };
    const values = ["a", 1, "ab", "b", null];

    const problems = await Promise.all(values.map(async (value) => findProblem(schema, value)));

    expect(problems).toEqual([
      "must have at least 2 characters",
      "must be text",
      undefined,
      "must have at least 2 characters",
      "must be text",
    ]);
  });

  it("is kept among at most a thousand: what was used long ago is compiled anew", async () => {
    const unused = distinct();
    await findProblem(unused, "a");
    for (let others = 0; others < 1100; others++) await findProblem(distinct(), "a");
    compile.mockClear();

    await findProblem(again(unused), "a");

    expect(compile).toHaveBeenCalledTimes(1);
  });

  it("is not forgotten while it is used, however many others there are", async () => {
    const used = distinct();
    await findProblem(used, "a");
    for (let others = 0; others < 1100; others++) {
      await findProblem(distinct(), "a");
      if (others % 100 === 0) await findProblem(again(used), "a");
    }

    expect(compile).toHaveBeenCalledTimes(1 + 1100);
  });

  it("works after it was evicted from the cache", async () => {
    const held = { ...distinct(), minLength: 2 };
    await findProblem(held, "ab");
    for (let others = 0; others < 1100; others++) await findProblem(distinct(), "a");

    expect(await findProblem(held, "a")).toBe("must have at least 2 characters");
    expect(await findProblem(again(held), "a")).toBe("must have at least 2 characters");
  });
});

describe("a check that takes too long", () => {
  const pattern = "^(a+)+$";
  const text = `${"a".repeat(60)}!`;

  it.each<[string, JsonSchema, unknown]>([
    ["a text that must match", { pattern }, text],
    ["a text that must not match", { not: { pattern } }, text],
    ["a name of patternProperties", { patternProperties: { [pattern]: { type: "number" } } }, { [text]: 1 }],
    ["a thousand texts", { items: { pattern } }, Array.from({ length: 1000 }, () => text)],
  ])("lets nothing through: %s", async (_, schema, value) => {
    expect(await findProblem(schema, value, { subject: "it" })).toBe("it takes too long to check");
  });

  it("does not delay a check of another schema behind those that wait", async () => {
    const ended: string[] = [];
    const slow = [1, 2, 3, 4].map(async () => {
      await findProblem({ pattern }, text);
      ended.push("slow");
    });
    await findProblem({ pattern: "^(b+)+$" }, "bbb");
    ended.push("quick");
    await Promise.all(slow);

    expect(ended.indexOf("quick")).toBeLessThan(2);
  });
});

describe("the dialect of a schema", () => {
  const pair = [{ type: "string" }, { type: "number" }] as const;

  it("is 2020-12 where it does not say", async () => {
    expect(await findProblem({ type: "array", prefixItems: pair }, ["a", "b"])).toBe("1 must be a number");
  });

  it("is 2020-12 where it says so", async () => {
    const $schema = "https://json-schema.org/draft/2020-12/schema";

    expect(await findProblem({ $schema, type: "array", prefixItems: pair }, ["a", "b"])).toBe(
      "1 must be a number",
    );
  });

  it.each([DRAFT_07, "http://json-schema.org/draft-07/schema", "https://json-schema.org/draft-07/schema#"])(
    "is draft-07 where it says so: %s",
    async ($schema) => {
      const schema = { $schema, type: "array", items: pair };

      expect(await findProblem(schema, ["a", 1])).toBeUndefined();
      expect(await findProblem(schema, ["a", "b"])).toBe("1 must be a number");
    },
  );

  it("is compiled by the engine of that dialect", async () => {
    const compile = vi.spyOn(Ajv.prototype, "compile");
    await findProblem({ ...distinct(), $schema: DRAFT_07 }, "a");

    expect(compile).toHaveBeenCalledTimes(1);
    compile.mockRestore();
  });
});

describe("a schema that is broken", () => {
  it.each<[string, JsonSchema, RegExp]>([
    ["a type there is not", { type: "text" }, /type/],
    ["a pattern that is none", { type: "string", pattern: "[" }, /regular expression|pattern/],
    ["a reference to nowhere", { $ref: "#/$defs/none" }, /#\/\$defs\/none/],
    ["a bound that is no number", { type: "number", minimum: "1" }, /minimum/],
    ["a dialect nobody knows", { $schema: "https://a.example/schema", type: "string" }, /a\.example/],
  ])("is an InvalidDefinition that says why: %s", async (_, schema, words) => {
    const refusal: unknown = await Promise.resolve(findProblem(schema, "a")).catch((error: unknown) => error);

    expect(refusal).toBeInstanceOf(InvalidDefinition);
    expect(refusal).toMatchObject({ code: "INVALID_DEFINITION" });
    expect(refusal).toMatchObject({ message: expect.stringMatching(words) });
  });

  it.each<[string, JsonSchema]>([
    ["a type there is not", { type: "text", title: "again" }],
    ["a dialect nobody knows", { $schema: "https://b.example/schema", type: "string" }],
    ["words that are none", { type: "string", title: 42 }],
  ])("is refused the second time as it was the first: %s", async (_, schema) => {
    await expect(findProblem(schema, "a")).rejects.toThrow(InvalidDefinition);
    await expect(findProblem(schema, "a")).rejects.toThrow(InvalidDefinition);
  });

  it("harms no other", async () => {
    await expect(findProblem({ type: "nonsense" }, "a")).rejects.toThrow(InvalidDefinition);

    expect(await findProblem(distinct(), "a")).toBeUndefined();
  });
});

describe("keywords that are not checked", () => {
  it.each<[string, JsonSchema]>([
    ["a keyword of somebody's own", { type: "string", "x-widget": "colour" }],
    ["names for its values", { type: "string", enum: ["a"], enumNames: ["A"] }],
    ["a format nobody knows", { type: "string", format: "colour" }],
  ])("is let be, and nothing is printed about it: %s", async (_, schema) => {
    const printed = [vi.spyOn(console, "warn"), vi.spyOn(console, "error"), vi.spyOn(console, "log")];
    for (const print of printed) print.mockImplementation(() => {});

    expect(await findProblem(schema, "a")).toBeUndefined();
    expect(printed.flatMap((print) => print.mock.calls)).toEqual([]);
    vi.restoreAllMocks();
  });

  it("changes no value: defaults are not filled in, types not converted", async () => {
    const value = { n: "1" };
    const schema = { type: "object", properties: { n: { type: "number" }, a: { default: 1 } } };

    expect(await findProblem(schema, value)).toBe("n must be a number");
    expect(value).toEqual({ n: "1" });
  });
});

describe("a Standard Schema", () => {
  it("is asked after the JSON Schema has let the value through, and may change it", async () => {
    const standard = z.object({ name: z.string().transform((name) => name.length) });
    const json = {
      type: "object",
      properties: { name: { type: "string", minLength: 2 } },
      required: ["name"],
    };

    expect(await checkValue({ json, standard }, { name: "Ada" })).toEqual({ value: { name: 3 } });
    expect(await checkValue({ json, standard }, { name: "A" })).toEqual({
      problem: "name must have at least 2 characters",
    });
  });
});
