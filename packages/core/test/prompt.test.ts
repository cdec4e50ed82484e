import { describe, expect, expectTypeOf, it } from "vitest";
import { ask, InvalidDefinition, prompt, startRun, type Prompt, type PromptArgument } from "@photon/core";
import { verifies } from "../../../test/requirements.ts";

describe("prompt", () => {
  it(verifies("A9", "keeps its words, its arguments and its completions, and is frozen"), () => {
    const languages = (typed: string): readonly string[] =>
      ["english", "german"].filter((one) => one.startsWith(typed));
    const review = prompt({
      name: "review",
      title: "Review",
      description: "Reviews code",
      arguments: {
        code: { description: "What to review", required: true },
        language: { title: "Language", complete: languages },
      },
      async *run({ code }) {
        return `Review ${code}.`;
      },
    });

    expect(review).toMatchObject({
      kind: "prompt",
      name: "review",
      title: "Review",
      description: "Reviews code",
      arguments: {
        code: { description: "What to review", required: true },
        language: { title: "Language" },
      },
    });
    expect(review.arguments["language"]?.complete?.("ge", {})).toEqual(["german"]);
    expect(Object.isFrozen(review)).toBe(true);
  });

  it(verifies("A9", "passes a completion the other arguments, and awaits it"), async () => {
    const pick = prompt({
      arguments: {
        country: {},
        city: { complete: async (typed, { country }) => (country === "it" ? [`${typed}me`] : []) },
      },
      async *run() {
        return "Go.";
      },
    });

    expect(await pick.arguments["city"]?.complete?.("Ro", { country: "it" })).toEqual(["Rome"]);
  });

  it(verifies("A9", "types its arguments: text where they are required, else perhaps nothing"), () => {
    const review = prompt({
      arguments: { code: { required: true }, language: {}, tone: { required: false } },
      async *run(input) {
        expectTypeOf(input).toEqualTypeOf<{
          readonly code: string;
          readonly language: string | undefined;
          readonly tone: string | undefined;
        }>();
        return "Review it.";
      },
    });

    expectTypeOf(review).toEqualTypeOf<
      Prompt<{
        readonly code: string;
        readonly language: string | undefined;
        readonly tone: string | undefined;
      }>
    >();
  });

  it(verifies("A9", "may ask before it says anything"), async () => {
    const review = prompt({
      arguments: { code: { required: true } },
      async *run({ code }) {
        const focus = yield* ask.select("Look at what?", ["speed", "safety"]);
        return [
          { role: "user", content: { type: "text", text: `Review ${code} for ${focus}.` } },
          { role: "assistant", content: { type: "text", text: "Gladly." } },
        ];
      },
    });
    const running = startRun(review, { code: "x = 1" });

    expect(await running.next()).toMatchObject({
      done: false,
      round: { "ask-1": { ask: "select", message: "Look at what?" } },
    });
    expect(await running.next({ "ask-1": { action: "accept", value: "speed" } })).toMatchObject({
      done: true,
      value: [
        { role: "user", content: { type: "text", text: "Review x = 1 for speed." } },
        { role: "assistant", content: { type: "text", text: "Gladly." } },
      ],
    });
  });

  it("has no arguments where it names none", () => {
    const hello = prompt({
      async *run() {
        return "Hello.";
      },
    });

    expect(hello.arguments).toEqual({});
    expect(hello.name).toBeUndefined();
  });

  it("refuses a name that clients do not take", () => {
    expect(() =>
      prompt({
        name: "code review",
        async *run() {
          return "";
        },
      }),
    ).toThrow('A prompt cannot be called the string "code review"');
  });

  it("refuses an argument that is not described in an object", () => {
    const args = { code: "What to review" as unknown as PromptArgument };
    const define = (): unknown =>
      prompt({
        arguments: args,
        async *run() {
          return "";
        },
      });

    expect(define).toThrow(InvalidDefinition);
    expect(define).toThrow(/The argument code .* must be an object, not the string "What to review"/);
  });

  it("refuses a completion that is not a function, naming the argument", () => {
    const args = { code: { complete: ["a", "b"] as unknown as NonNullable<PromptArgument["complete"]> } };
    const define = (): unknown =>
      prompt({
        arguments: args,
        async *run() {
          return "";
        },
      });

    expect(define).toThrow(InvalidDefinition);
    expect(define).toThrow("code");
  });

  it("refuses a run that is not a function", () => {
    expect(() => prompt({ name: "review", run: "Review it." as unknown as Prompt["run"] })).toThrow(
      /The run of the prompt review .*, not the string "Review it\."/,
    );
  });
});
