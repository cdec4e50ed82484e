import { describe, expect, it } from "vitest";
import { problemsOf } from "../../src/forms/problems.ts";
import type { JsonSchema } from "../../src/desk/offer.ts";

/** The problems as somebody reads them. */
const read = (schema: JsonSchema, value: unknown): readonly string[] =>
  problemsOf(schema, value).map(({ path, message }) => `${path.join("/")} ${message}`);

describe("what is wrong with an input", () => {
  it("is told in plain words, each at its place", () => {
    const schema = {
      type: "object",
      required: ["name"],
      properties: {
        age: { type: "integer", minimum: 1 },
        mail: { type: "string", format: "email" },
        tags: { type: "array", items: { type: "string", minLength: 2 }, maxItems: 2 },
      },
    };
    expect(read(schema, { age: 0, mail: "nobody", tags: ["a", "bc", "de"] })).toEqual([
      "name is required",
      "age must be at least 1",
      "mail must be an email address",
      "tags must have at most 2 items",
      "tags/0 must have at least 2 characters",
    ]);
  });

  it("is told of a day that does not exist as such", () => {
    const schema = {
      type: "object",
      properties: {
        first: { type: "string", format: "date" },
        last: { type: "string", format: "date" },
        at: { type: "string", format: "date-time" },
      },
    };
    expect(read(schema, { first: "2027-02-30", last: "01.03.2027", at: "2027-02-30T12:00:00Z" })).toEqual([
      "first must be a day that exists: there is no 2027-02-30",
      "last must be a date",
      "at must be a day that exists: there is no 2027-02-30",
    ]);
  });

  it("is told of what a definition says that the schema refers to", () => {
    const schema = {
      type: "object",
      properties: { room: { $ref: "#/$defs/room" } },
      $defs: { room: { type: "object", properties: { beds: { maximum: 3 } } } },
    };
    expect(read(schema, { room: { beds: 4 } })).toEqual(["room/beds must be at most 3"]);
  });

  it("names a property that may not be there", () => {
    const schema = { type: "object", properties: {}, additionalProperties: false };
    expect(read(schema, { "a/b": 1 })).toEqual(["a/b is not allowed here"]);
  });

  it("is that of the alternative that was meant, where it can be seen which", () => {
    const schema = {
      oneOf: [
        { type: "string", minLength: 5 },
        {
          type: "object",
          properties: { kind: { const: "a" }, size: { type: "number" } },
          required: ["kind"],
        },
        { type: "object", properties: { kind: { const: "b" } }, required: ["kind"] },
      ],
    };
    expect(read(schema, "abc")).toEqual([" must have at least 5 characters"]);
    expect(read(schema, { kind: "a", size: "large" })).toEqual(["size must be a number"]);
    expect(read(schema, 7)).toEqual([" must fit exactly one of the alternatives"]);
  });

  it("is told of a pattern in the author's words, and never as a regular expression", () => {
    const code = { type: "string", pattern: "^[A-Z]+$" };
    const input = (words: object) => ({ type: "object", properties: { it: { ...code, ...words } } });

    expect(read(input({ patternMessage: "must be in capitals" }), { it: "x" })).toEqual([
      "it must be in capitals",
    ]);
    expect(read(input({ description: "A code." }), { it: "x" })).toEqual([
      "it does not have the expected form (A code)",
    ]);
    expect(read(input({}), { it: "x" })).toEqual(["it does not have the expected form"]);
  });

  it("is nothing where the schema cannot be used here: the server has the last word", () => {
    expect(read({ type: "string", pattern: "(" }, "x")).toEqual([]);
    expect(read({ $ref: "https://example.org/elsewhere.json" }, {})).toEqual([]);
  });

  it("leaves the schema as it was", () => {
    const schema = Object.freeze({
      type: "object",
      properties: Object.freeze({ a: Object.freeze({ $ref: "#" }) }),
    });
    expect(read(schema, { a: { a: 1 } })).toEqual(["a/a must be an object"]);
  });
});
