import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../../src/desk/offer.ts";
import type { Drafts } from "../../src/views/questions/draft.ts";
import { readDrafts } from "../../src/views/questions/read-drafts.ts";
import { readFields } from "../../src/views/questions/read-fields.ts";

/** A form with one field that must be filled in, or may be left empty. */
const form = (value: JsonSchema, required = true): JsonSchema => ({
  type: "object",
  properties: { value },
  ...(required ? { required: ["value"] } : {}),
});

const answer = (schema: JsonSchema, drafts: Drafts = {}, bounds?: JsonSchema): unknown => {
  const details = bounds === undefined ? {} : { bounds: { value: bounds } };
  const { content, problems } = readDrafts(readFields(schema, details), drafts);
  return problems["value"] ?? content;
};

describe("the fields of a question", () => {
  it.each([
    [{ type: "string" }, "text"],
    [{ type: "integer", minimum: 1 }, "number"],
    [{ type: "boolean" }, "yes-no"],
    [{ type: "string", enum: ["a"], enumNames: ["A"] }, "choice"],
    [{ type: "string", oneOf: [{ const: "a", title: "A" }] }, "choice"],
    [{ type: "array", items: { anyOf: [{ const: "a", title: "A" }] } }, "choices"],
    [{ type: "array", items: { type: "string", enum: ["a"] } }, "choices"],
    [{ type: "string", format: "date" }, "date"],
    [{ type: "object" }, "json"],
  ])("are read from %j as %s", (schema, kind) => {
    expect(readFields(form(schema), {}).map((field) => field.kind)).toEqual([kind]);
  });

  it("are stars only where a Photon server says so, and they are at most ten", () => {
    const kindOf = (maximum: number, rating: unknown): unknown => {
      const schema = form({ type: "integer", minimum: 1, maximum });
      return readFields(schema, { bounds: { value: { rating } } })[0]?.kind;
    };

    expect(kindOf(5, true)).toBe("rating");
    expect(kindOf(5, undefined)).toBe("number");
    expect(kindOf(1e9, true)).toBe("number");
  });

  it("have the descriptions of choices beside the choices, and only there", () => {
    const schema = {
      type: "string",
      description: "Listen first. Up: four notes.",
      oneOf: [{ const: "u", title: "Up" }],
    };
    const [field] = readFields(form(schema), { options: { u: "four notes" } });
    expect(field).toMatchObject({
      description: "Listen first.",
      choices: [{ value: "u", title: "Up", description: "four notes" }],
    });
  });
});

describe("an answer", () => {
  it("is what was suggested, where nobody changed it", () => {
    expect(answer(form({ type: "integer", default: 3 }))).toEqual({ value: 3 });
  });

  it("leaves out an optional field that was left empty", () => {
    expect(answer(form({ type: "string", format: "email" }, false), { value: "" })).toEqual({});
    expect(answer(form({ type: "boolean" }, false))).toEqual({});
    expect(answer(form({ type: "array", minItems: 1, items: { enum: ["a"] } }, false))).toEqual({});
  });

  it("is a number of stars, and not the text of it", () => {
    const stars = form({ type: "integer", minimum: 1, maximum: 5 });

    expect(answer(stars, { value: "4" }, { rating: true })).toEqual({ value: 4 });
    expect(answer(stars, { value: "" }, { rating: true })).toBe("Choose one.");
  });

  it("may be none of several choices, where none has to be chosen", () => {
    expect(answer(form({ type: "array", items: { enum: ["a"] } }))).toEqual({ value: [] });
  });

  it("gives a moment in UTC, whatever the time of the place", () => {
    const { value } = Object(
      answer(form({ type: "string", format: "date-time" }), { value: "2026-12-24T10:30" }),
    );
    expect(value).toBe(new Date(2026, 11, 24, 10, 30).toISOString());
    expect(answer(form({ type: "string", format: "date-time", default: "2026-12-24T10:00:00Z" }))).toEqual({
      value: "2026-12-24T10:00:00.000Z",
    });
  });

  it.each([
    [{ type: "string" }, " ", "Fill this in."],
    [{ type: "boolean" }, "", "Choose one."],
    [{ type: "string", minLength: 2 }, "👍", "Must have at least 2 characters; it has 1."],
    [{ type: "string", format: "email" }, "ada", "Must be an email address."],
    [{ type: "string", format: "uri" }, "example.org", "Must be a web address, with its https://."],
    [{ type: "integer" }, "1.5", "Must be a whole number."],
    [{ type: "number", maximum: 2 }, "3", "Must be at most 2."],
    [{ type: "array", minItems: 2, items: { enum: ["a", "b"] } }, ["a"], "Choose at least 2."],
    [{ type: "array", maxItems: 1, items: { enum: ["a", "b"] } }, ["a", "b"], "Choose at most 1."],
    [{ type: "object" }, "{", "Must be JSON."],
  ])("to %j is not %j: %s", (schema, draft, problem) => {
    expect(answer(form(schema), { value: draft })).toBe(problem);
  });

  it.each([
    [{ type: "string" }, { pattern: "^[a-z]$" }, "A", "a"],
    [{ type: "string", format: "date" }, { formatMinimum: "2027-01-02" }, "2027-01-01", "2027-01-02"],
    [{ type: "string", format: "date" }, { formatMaximum: "2027-01-02" }, "2027-01-03", "2027-01-02"],
    [{ type: "number" }, { exclusiveMinimum: 0 }, "0", "1"],
    [{ type: "number" }, { exclusiveMaximum: 1 }, "1", "0"],
  ])("to %j within %j is not %j, and is %j", (schema, bounds, unfit, fitting) => {
    expect(answer(form(schema), { value: unfit }, bounds)).toEqual(expect.any(String));
    expect(answer(form(schema), { value: fitting }, bounds)).toEqual({ value: expect.anything() });
  });

  it("is left to the server where its pattern is none, or might be tried for ever", () => {
    for (const pattern of ["(", "^(a+)+$"])
      expect(answer(form({ type: "string" }), { value: `${"a".repeat(40)}!` }, { pattern })).toEqual({
        value: expect.any(String),
      });
  });
});
