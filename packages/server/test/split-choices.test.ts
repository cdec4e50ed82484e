import { ask } from "@photon/core";
import { describe, expect, it } from "vitest";
import { parseResult } from "../src/protocol/elicitation.ts";
import { formFor } from "../src/protocol/elicitation-form.ts";
import { featuresOf } from "../src/protocol/revisions.ts";
import { verifies } from "../../../test/requirements.ts";

const FIRST = { key: "ask-1", attempt: 1 };
const question = ask.multiselect("Which?", ["a", "b"]);
const told = (content: object): unknown =>
  parseResult(Object.assign({}, question, FIRST), { action: "accept", content }, featuresOf("2025-06-18"));

describe("several choices on 2025-06-18, a yes or no for each", () => {
  it(verifies("C3", "are those that were ticked"), () => {
    expect(told({ "value.a": true, "value.b": false })).toEqual({
      value: { action: "accept", value: ["a"] },
    });
    expect(told({})).toEqual({ value: { action: "accept", value: [] } });
  });

  it(verifies("C3", "say in words what they are for, and how many may be chosen"), () => {
    const { properties } = formFor(
      ask.multiselect("Which?", ["a", "b"], { description: "Extras of the room.", min: 1, max: 2 }),
      featuresOf("2025-06-18"),
    );

    expect(properties).toEqual({
      "value.a": {
        type: "boolean",
        title: "a",
        description: "Extras of the room. Choose at least 1. Choose at most 2.",
      },
      "value.b": { type: "boolean", title: "b" },
    });
  });

  it(verifies("C3", "carry the title of their field in a form of several"), () => {
    const { properties } = formFor(
      ask.form("Book", { extras: ask.multiselect("Extras", ["wifi"]), name: ask.text("Name") }),
      featuresOf("2025-06-18"),
    );

    expect(properties["extras.wifi"]).toEqual({ type: "boolean", title: "Extras: wifi" });
  });

  it(verifies("C3", "are understood as newer revisions spell them"), () => {
    expect(told({ value: ["a", "b"] })).toEqual({ value: { action: "accept", value: ["a", "b"] } });
  });

  it.each([{ "value.a": "true" }, { "value.a": 1, "value.b": true }])(
    verifies("B1", "are no answer where one of them is neither yes nor no: %j"),
    (content) => {
      expect(told(content)).toEqual({ value: { action: "accept", value: null } });
    },
  );

  describe("whose names are those of other fields", () => {
    const features = featuresOf("2025-06-18");
    const form = ask.form("Book", {
      extras: ask.multiselect("Extras", ["wifi", "wifi (2)"]),
      "extras.wifi": ask.text("Password"),
      // Its choice `b.c` would be called as the choice `c` of the next is.
      a: ask.multiselect("A", ["b.c"]),
      "a.b": ask.multiselect("A B", ["c"]),
    });

    it(verifies("C3", "have names of their own, always the same"), () => {
      const names = Object.keys(formFor(form, features).properties);

      expect(names).toEqual(["extras.wifi (2)", "extras.wifi (2) (2)", "extras.wifi", "a.b.c", "a.b.c (2)"]);
      expect(Object.keys(formFor(form, features).properties)).toEqual(names);
    });

    it(verifies("C3", "are read back exactly"), () => {
      const content = { "extras.wifi (2)": true, "extras.wifi": "secret", "a.b.c (2)": true };

      expect(parseResult(Object.assign({}, form, FIRST), { action: "accept", content }, features)).toEqual({
        value: {
          action: "accept",
          value: { extras: ["wifi"], "extras.wifi": "secret", a: [], "a.b": ["c"] },
        },
      });
    });
  });
});
