import { ask } from "@photon/core";
import { describe, expect, it } from "vitest";
import { formFor } from "../src/protocol/elicitation-form.ts";
import { featuresOf } from "../src/protocol/revisions.ts";

/** A form with one field, whose JSON Schema an author has written. */
const formWith = (room: object) =>
  ask.form("Which room?", { type: "object", properties: { room: { type: "string", ...room } } });

describe("the choices of a field that an author has written as JSON Schema", () => {
  it("are named by their value in its description where they have no title", () => {
    const choices = [{ const: "101", description: "With a view" }, { const: "102" }];

    const { properties } = formFor(formWith({ oneOf: choices }), featuresOf("2025-11-25"));

    expect(properties["room"]).toMatchObject({ description: "101: With a view." });
  });

  it("are sent where they are written as anyOf", () => {
    const choices = [{ const: "101", title: "Garden" }, { const: "102" }];

    const { properties } = formFor(formWith({ anyOf: choices }), featuresOf("2025-11-25"));

    expect(properties["room"]).toMatchObject({
      oneOf: [
        { const: "101", title: "Garden" },
        { const: "102", title: "102" },
      ],
    });
  });
});
