import { expect, it } from "vitest";
import { formSchemaOf } from "../../src/forms/form-schema.ts";

it("names alternatives after their types, and leaves names that are there", () => {
  const schema = {
    properties: { note: { anyOf: [{ type: "string" }, { type: "null" }, { title: "More", type: "array" }] } },
  };
  expect(formSchemaOf(schema)).toEqual({
    properties: {
      note: {
        anyOf: [
          { type: "string", title: "a text" },
          { type: "null", title: "null" },
          { type: "array", title: "More" },
        ],
      },
    },
  });
});

it("makes a choice of constants that are all of one type, with their names beside them", () => {
  const choice = { title: "Which?", oneOf: [{ const: "x", title: "Ex" }, { const: "y" }] };
  expect(formSchemaOf({ items: choice })).toEqual({
    items: { title: "Which?", type: "string", enum: ["x", "y"], enumNames: ["Ex", "y"] },
  });
  const mixed = { oneOf: [{ const: 1 }, { const: "y" }] };
  expect(formSchemaOf(mixed)).toEqual(mixed);
});

it("takes the names of properties for names, whatever they are", () => {
  const schema = { properties: { oneOf: { type: "string" }, items: { type: "number" } } };
  expect(formSchemaOf(schema)).toEqual(schema);
});
