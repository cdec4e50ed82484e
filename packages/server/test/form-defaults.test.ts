import { ask } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../test/requirements.ts";
import { formFor } from "../src/protocol/elicitation-form.ts";
import { featuresOf } from "../src/protocol/revisions.ts";
import { fieldsFor } from "../src/pages/fields.ts";
import { questionOf } from "./pages/stage.ts";

describe("what a form suggests as a whole", () => {
  const question = ask.form(
    "Become a member",
    {
      name: ask.text("Name"),
      email: ask.text("Email", { format: "email" }),
      hours: ask.number("Hours", { default: 4 }),
    },
    { default: { email: "ada@example.com", hours: 6 } },
  );

  it(verifies("A3", "stands in its fields on the wire, before what they suggest themselves"), () => {
    const { properties } = formFor(question, featuresOf("2025-11-25"));

    expect(properties["name"]).not.toHaveProperty("default");
    expect(properties["email"]).toMatchObject({ title: "Email", default: "ada@example.com" });
    expect(properties["hours"]).toMatchObject({ default: 6 });
  });

  it(verifies("A3", "stands in its fields on a page"), () => {
    const fields = fieldsFor(questionOf(question));

    expect(fields.map(({ name, schema }) => [name, schema["default"]])).toEqual([
      ["name", undefined],
      ["email", "ada@example.com"],
      ["hours", 6],
    ]);
  });
});
