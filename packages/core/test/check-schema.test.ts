/** A JSON Schema that cannot be used is refused where its tool is defined. */
import { describe, expect, it } from "vitest";
import { findProblem } from "../src/schema/validator.ts";
import { prompt, tool, withName, InvalidDefinition, type JsonSchema } from "../src/index.ts";

const define = (input: JsonSchema, name = "book") => tool({ name, input, async *run() {} });

const field = (schema: unknown): JsonSchema => ({ type: "object", properties: { it: schema as JsonSchema } });

const invalid: readonly JsonSchema[] = [
  field({ type: "strng" }),
  field({ type: [] }),
  field({ type: ["string", "string"] }),
  field({ type: ["string", "nothing"] }),
  field({ type: "string", minLength: -1 }),
  field({ type: "string", maxLength: "3" }),
  field({ type: "string", pattern: "(" }),
  field({ type: "number", minimum: "1" }),
  field({ type: "number", exclusiveMinimum: true }),
  field({ type: "number", multipleOf: 0 }),
  field({ enum: [] }),
  field({ enum: "a" }),
  field({ anyOf: [] }),
  field({ oneOf: { type: "string" } }),
  field({ allOf: [{ type: "text" }] }),
  field({ not: "x" }),
  field({ type: "array", items: { type: "list" } }),
  field({ type: "array", items: "string" }),
  field({ type: "array", uniqueItems: "yes" }),
  field({ type: "array", prefixItems: [{ type: "list" }] }),
  field({ type: "object", required: "name" }),
  field({ type: "object", required: ["a", "a"] }),
  field({ type: "object", properties: [] }),
  field({ type: "object", patternProperties: { "(": {} } }),
  field({ type: "object", additionalProperties: "no" }),
  field({ $ref: "#/$defs/nowhere" }),
  field({ $ref: 3 }),
  field("string"),
  field({ title: 3 }),
  field({ format: 3 }),
  { type: "object", $defs: { it: { type: "strng" } } },
];

const valid: readonly JsonSchema[] = [
  field({}),
  field(true),
  field({ type: ["string", "null"], nullable: true, "x-hint": 3 }),
  field({ enum: ["a", 1, null] }),
  field({ const: { type: "strng" }, default: { type: "strng" }, examples: [{ type: "strng" }] }),
  field({ type: "string", format: "of-my-own", pattern: "^\\p{L}+$" }),
  {
    type: "object",
    properties: { a: { type: "string" }, b: { $ref: "#/properties/a", description: "As a" } },
  },
  field({ $ref: "#" }),
  field({ type: "array", items: false, prefixItems: [{ type: "string" }], contains: {}, minContains: 0 }),
  field({ type: "object", required: [], properties: { type: { type: "string" }, $ref: { type: "string" } } }),
  field({ if: { type: "string" }, then: { minLength: 1 }, else: false }),
  { type: "object", properties: { a: { $ref: "#/$defs/a~1b" } }, $defs: { "a/b": { type: "integer" } } },
  {
    $schema: "http://json-schema.org/draft-07/schema#",
    ...field({ type: "array", items: [{ type: "string" }] }),
  },
  { $schema: "https://json-schema.org/draft/2020-12/schema", ...field({ type: "integer", multipleOf: 0.5 }) },
];

/** Whether ajv takes it: then a call can be checked. */
const isTakenByAjv = (schema: JsonSchema): Promise<boolean> =>
  Promise.resolve()
    .then(() => findProblem(schema, {}))
    .then(
      () => true,
      () => false,
    );

describe("a tool whose input is", () => {
  it.each(invalid)("refused by ajv is refused by name: %j", async (schema) => {
    expect(await isTakenByAjv(schema)).toBe(false);
    expect(() => define(schema)).toThrow(InvalidDefinition);
    expect(() => define(schema)).toThrow(/^The input of the tool book is not a valid JSON Schema: /);
  });

  it.each(valid)("taken by ajv is taken: %j", async (schema) => {
    expect(await isTakenByAjv(schema)).toBe(true);
    expect(() => define(schema)).not.toThrow();
  });
});

it("the place and the remedy are named", () => {
  expect(() => define(field({ type: "array", items: { type: "strng" } }))).toThrow(
    /properties\.it\.items\.type must be one of string, number.*, not the string "strng"/,
  );
});

it("an output is looked at as well", () => {
  const output = field({ type: "strng" });

  expect(() => tool({ name: "book", output, async *run() {} })).toThrow(/^The output of the tool book is no/);
});

it("a tool that is named after its export is refused when it gets its name", () => {
  const unnamed = tool({ input: field({ type: "strng" }), async *run() {} });

  expect(() => withName(unnamed, "book")).toThrow(/^The input of the tool book is not a valid JSON Schema: /);
  expect(
    withName(
      prompt({
        async *run() {
          return "";
        },
      }),
      "greet",
    ).name,
  ).toBe("greet");
});
