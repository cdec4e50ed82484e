import type { ElicitRequestParams } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { questionOf, formatElicitResult } from "../../src/call/elicitation.ts";

/** A form with these fields. */
const form = (properties: object, required?: readonly string[]): ElicitRequestParams =>
  // The client has checked what comes from a server; here we write it ourselves.
  ({
    mode: "form",
    message: "Well?",
    requestedSchema: { type: "object", properties, required },
  }) as ElicitRequestParams;

describe("an elicitation", () => {
  it.each([
    [
      { type: "string", minLength: 2 },
      { ask: "text", minLength: 2 },
    ],
    [
      { type: "string", format: "email" },
      { ask: "text", format: "email" },
    ],
    [
      { type: "string", format: "date" },
      { ask: "date", time: false },
    ],
    [
      { type: "integer", minimum: 1, default: 2 },
      { ask: "number", integer: true, min: 1, default: 2 },
    ],
    [{ type: "boolean" }, { ask: "confirm" }],
    [
      { type: "string", enum: ["a"], enumNames: ["A"] },
      { ask: "select", options: [{ value: "a", title: "A" }] },
    ],
    [
      { type: "array", items: { anyOf: [{ const: "a", title: "A" }] }, maxItems: 1 },
      { ask: "multiselect", options: [{ value: "a", title: "A" }], max: 1 },
    ],
  ])("of one required value is a question of its own: %j", (field, question) => {
    expect(questionOf(form({ value: field }, ["value"]))).toEqual({
      emit: "ask",
      message: "Well?",
      ...question,
    });
  });

  it("says the label of its value only where that is not the question itself", () => {
    const labelled = { type: "string", title: "Your name", description: "As in your passport" };

    expect(questionOf(form({ value: labelled }, ["value"]))).toMatchObject({
      description: "Your name: As in your passport",
    });
    expect(questionOf(form({ value: { type: "string", title: "Well?" } }, ["value"]))).not.toHaveProperty(
      "description",
    );
  });

  it("with other fields, or with a value that may be left out, is a form", () => {
    expect(questionOf(form({ value: { type: "string" } }))).toMatchObject({ ask: "form" });
    expect(questionOf(form({ name: { type: "string" } }, ["name"]))).toMatchObject({
      ask: "form",
      schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    });
  });

  it("of a list that is not required, since none may be chosen, is that question", () => {
    const list = { type: "array", items: { type: "string", enum: ["a", "b"] } };

    expect(questionOf(form({ value: list }))).toMatchObject({ ask: "multiselect" });
    expect(questionOf(form({ value: { ...list, minItems: 1 } }))).toMatchObject({ ask: "form" });
  });

  it("keeps of its bounds only those that have a meaning, and the right type", () => {
    const bounds = {
      value: {
        pattern: "(",
        patternMessage: 1,
        hasOwnProperty: "pattern",
        formatMinimum: "soon",
        maxLength: 1,
      },
    };
    const params = form({ value: { type: "string" } }, ["value"]);

    expect(questionOf(params, { isDangerous: false, bounds })).toEqual(
      questionOf(params, { isDangerous: false }),
    );
    expect(questionOf(params, { isDangerous: false, bounds: { value: { pattern: "^a" } } })).toHaveProperty(
      "pattern",
      "^a",
    );
  });

  it("keeps of its fields only what a form may say", () => {
    const field = { type: "string", pattern: "(", format: "phone", $ref: "#", maxLength: 3 };

    expect(questionOf(form({ code: field }))).toMatchObject({
      schema: { properties: { code: { type: "string", maxLength: 3 } } },
    });
  });

  it("is answered in the fields it was asked in, and in no others", () => {
    const asked = questionOf(form({ name: { type: "string" }, age: { type: "number" } }, ["name"]));

    expect(formatElicitResult(asked, { name: "Ada", age: undefined, shoe: 38 })).toEqual({
      action: "accept",
      content: { name: "Ada" },
    });
    expect(formatElicitResult(questionOf(form({ value: { type: "boolean" } }, ["value"])), false)).toEqual({
      action: "accept",
      content: { value: false },
    });
  });

  it("of a web address is answered without anything", () => {
    const asked = questionOf({
      mode: "url",
      message: "Sign in",
      url: "https://example.com/",
      elicitationId: "1",
    });

    expect(asked).toEqual({ emit: "ask", ask: "url", message: "Sign in", url: "https://example.com/" });
    expect(formatElicitResult(asked, undefined)).toEqual({ action: "accept" });
  });
});
