import { expect, it } from "vitest";
import { withoutEmpty } from "../../src/forms/without-empty.ts";

const schema = {
  type: "object",
  required: ["must"],
  properties: {
    must: { type: "object" },
    may: { $ref: "#/$defs/guest" },
    rooms: { type: "array", items: { type: "object", properties: { guest: { type: "object" } } } },
  },
  $defs: { guest: { type: "object", properties: { name: { type: "string" } } } },
};

it("leaves out what nobody filled in, and keeps what has to be there", () => {
  expect(withoutEmpty(schema, { must: {}, may: { name: undefined }, rooms: [{ guest: {} }] })).toEqual({
    must: {},
    rooms: [{}],
  });
});

it("keeps what the schema does not know: somebody put it there", () => {
  expect(withoutEmpty(schema, { must: { a: 1 }, more: {} })).toEqual({ must: { a: 1 }, more: {} });
});

it("leaves out a list whose items nobody filled in, and keeps one that is empty", () => {
  expect(withoutEmpty(schema, { must: {}, rooms: [undefined, null] })).toEqual({ must: {} });
  expect(withoutEmpty(schema, { must: {}, rooms: [] })).toEqual({ must: {}, rooms: [] });
});
