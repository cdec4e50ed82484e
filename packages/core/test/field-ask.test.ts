import { ask, fieldAsk, type FieldMap } from "@photon/core";
import { describe, expect, it } from "vitest";

describe("a field as a question", () => {
  it.each<[string, FieldMap[string]]>([
    [
      "text",
      ask.text("Q?", {
        description: "About",
        minLength: 1,
        maxLength: 9,
        pattern: "^a",
        patternMessage: "is odd",
        default: "a",
      }),
    ],
    ["an email address", ask.text("Q?", { format: "email" })],
    ["a number", ask.number("Q?", { min: 1, max: 3, integer: false, default: 2.5 })],
    ["a whole number", ask.number("Q?", { integer: true })],
    ["stars", ask.rating("Q?", { max: 3, default: 2 })],
    ["yes or no", ask.confirm("Q?", { default: false })],
    ["a choice", ask.select("Q?", [{ value: "a", title: "A", description: "first" }], { default: "a" })],
    ["several choices", ask.multiselect("Q?", { a: "A", b: "B" }, { min: 1, max: 2, default: ["b"] })],
    ["a day", ask.date("Q?", { time: false, min: "2026-01-01", max: "2026-12-31" })],
    ["a moment", ask.date("Q?", { time: true })],
  ])("is the same question that the form was made of: %s", (_, question) => {
    const { schema } = ask.form("Form", { field: question });
    const field = schema.properties["field"];

    expect(fieldAsk("field", field ?? {})).toEqual(JSON.parse(JSON.stringify(question)));
  });

  it("is called by its name where it has no title", () => {
    expect(fieldAsk("city", { type: "string" })).toMatchObject({ ask: "text", message: "city" });
  });

  it("knows the names of choices that stand beside them", () => {
    const { options } = fieldAsk("size", {
      type: "string",
      enum: ["s", "l"],
      enumNames: ["Small", "Large"],
    }) as {
      readonly options?: unknown;
    };

    expect(options).toEqual([
      { value: "s", title: "Small" },
      { value: "l", title: "Large" },
    ]);
  });
});
