import { expect, it } from "vitest";
import { withRequired } from "../../src/forms/with-required.ts";

const schema = {
  type: "object",
  required: ["must", "name"],
  properties: {
    must: { $ref: "#/$defs/guest" },
    may: { $ref: "#/$defs/guest" },
    name: { type: "string" },
    guests: { type: "array", items: { $ref: "#/$defs/guest" } },
  },
  $defs: {
    guest: {
      type: "object",
      required: ["address"],
      properties: { address: { type: "object", properties: { street: { type: "string" } } } },
    },
  },
};

it("adds the objects that have to be there, with those that have to be in them, and nothing else", () => {
  expect(withRequired(schema, {})).toEqual({ must: { address: {} } });
});

it("adds them to what is there", () => {
  expect(withRequired(schema, { may: {}, guests: [{}], more: 1 })).toEqual({
    must: { address: {} },
    may: { address: {} },
    guests: [{ address: {} }],
    more: 1,
  });
});

it("ends where an object needs one like itself", () => {
  const endless = { type: "object", required: ["self"], properties: { self: { $ref: "#" } } };
  expect(withRequired(endless, {})).toEqual({ self: {} });
});
