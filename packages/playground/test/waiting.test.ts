import { describe, expect, it } from "vitest";
import { waitingIn } from "../src/client/waiting.ts";

const run = { run: "r", tool: "greet", since: 5 };

describe("what an inbox says", () => {
  it("is read as far as it is known", () => {
    const form = { type: "object", properties: { value: { type: "boolean" } } };
    const question = {
      emit: "ask",
      ask: "confirm",
      key: "sure",
      message: "Sure?",
      attempt: 2,
      hint: "was late",
      dangerous: true,
      expires: 9,
      form,
    };

    expect(waitingIn({ ...run, questions: [question] })).toEqual({
      ...run,
      questions: [
        {
          key: "sure",
          message: "Sure?",
          wanted: { by: "form", schema: form },
          details: { ask: "confirm", attempt: 2, hint: "was late", dangerous: true, deadline: 9 },
        },
      ],
    });
  });

  it("is a visit where there is an address, and a page elsewhere where there is nothing to fill in", () => {
    const questions = [
      { key: "a", ask: "url", message: "", url: "https://example.com" },
      { key: "b", ask: "secret", message: "" },
    ];

    expect(waitingIn({ ...run, questions })?.questions.map(({ wanted }) => wanted)).toEqual([
      { by: "url", url: "https://example.com" },
      { by: "page" },
    ]);
  });

  it("is left out where it is nothing of the kind", () => {
    expect([null, 5, "run", [], {}, { run: 1, tool: "greet" }, { run: "r" }].map(waitingIn)).toEqual(
      Array(7).fill(undefined),
    );
    const questions = [
      null,
      5,
      [],
      {},
      { key: 1 },
      { key: "k", message: 7, options: [1, { value: 2 }], form: [] },
    ];
    expect(waitingIn({ run: "r", tool: "greet", since: "now", questions })).toEqual({
      run: "r",
      tool: "greet",
      since: 0,
      questions: [{ key: "k", message: "", wanted: { by: "page" }, details: {} }],
    });
    expect(waitingIn({ ...run, questions: "many" })).toEqual({ ...run, questions: [] });
  });
});
