/** Formats and patterns reach people in words, whichever library describes them. */
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ask, checkAnswer, parseInput, tool, type Ask, type SchemaLike } from "../src/index.ts";

/** What is said of an answer to a form, or of an input, with this schema. */
async function problemsOf(input: SchemaLike, value: object): Promise<readonly string[]> {
  const taker = tool({ name: "taker", input, async *run() {} });
  const refused = await parseInput(taker, value).then(
    () => "nothing",
    (error: unknown) => String(error),
  );
  // What was given is the schema of an object: `tool` has found it to be one.
  const form = ask.form("Who?", input as z.ZodObject) as Ask;
  const verdict = await checkAnswer(form, value);
  return [refused, "problem" in verdict ? verdict.problem : "nothing"];
}

it.each<[string, SchemaLike, RegExp]>([
  ["z.email()", z.object({ it: z.email() }), /it must be an email address/],
  ["z.iso.date()", z.object({ it: z.iso.date() }), /it must be a date like 2026-07-28/],
  ["z.uuid()", z.object({ it: z.uuid() }), /it must be a valid uuid/],
])("%s is a format in the schema that is sent, and in the problem", async (_, schema, said) => {
  const taker = tool({ name: "taker", input: schema, async *run() {} });
  for (const problem of await problemsOf(schema, { it: "nonsense" })) expect(problem).toMatch(said);
  expect(taker.input.json.properties?.["it"]).toHaveProperty("format");
  expect(taker.input.json.properties?.["it"]).not.toHaveProperty("pattern");
});

it("an address that only the library refuses has the library's message", async () => {
  for (const problem of await problemsOf(z.object({ it: z.email() }), { it: "a&b@example.org" }))
    expect(problem).toMatch(/Invalid email address/);
});

describe("the problem of a pattern is", () => {
  const CODE = "^[A-Z]{3}-\\d+$";
  const json = (words: object): SchemaLike => ({
    type: "object",
    properties: { it: { type: "string", pattern: CODE, ...words } },
  });

  it.each<[string, SchemaLike, RegExp]>([
    [
      "by its patternMessage",
      json({ patternMessage: "must be a code like ABC-12" }),
      /it must be a code like ABC-12/,
    ],
    [
      "by a patternMessage in zod",
      z.object({
        it: z
          .string()
          .regex(/^[A-Z]{3}-\d+$/)
          .meta({ patternMessage: "must be like ABC-12" }),
      }),
      /it must be like ABC-12/,
    ],
    [
      "by its description",
      z.object({
        it: z
          .string()
          .regex(/^[A-Z]{3}-\d+$/)
          .meta({ description: "A code like ABC-12." }),
      }),
      /it does not have the expected form \(A code like ABC-12\)/,
    ],
    ["in general, of JSON Schema", json({}), /it does not have the expected form/],
    [
      "in general, of zod, with flags",
      z.object({ it: z.string().regex(/^[A-Z]{3}-\d+$/i) }),
      /it does not have the expected form/,
    ],
    [
      "in general, of zod, where JSON Schema cannot say it",
      z.object({
        it: z
          .string()
          .refine((text) => text !== "x")
          .regex(/^[a-z]{3}-\d+$/i),
      }),
      /it does not have the expected form/,
    ],
    [
      "in general, of valibot",
      toStandardJsonSchema(v.object({ it: v.pipe(v.string(), v.regex(/^[A-Z]{3}-\d+$/)) })),
      /it does not have the expected form/,
    ],
    ["in general, of arktype", type({ it: /^[A-Z]{3}-\d+$/ }), /it does not have the expected form/],
  ])("%s", async (_, schema, said) => {
    for (const problem of await problemsOf(schema, { it: "nonsense" })) {
      expect(problem).toMatch(said);
      expect(problem).not.toContain("[");
    }
  });

  it("of what only the library checks, without the pattern it quotes", async () => {
    const hidden = z.string().check((context) => {
      const { issues = [] } =
        z
          .string()
          .regex(/^[A-Z]+$/)
          .safeParse(context.value).error ?? {};
      // As zod itself makes them.
      for (const issue of issues) context.issues.push({ ...issue, input: context.value } as never);
    });

    for (const problem of await problemsOf(z.object({ it: hidden }), { it: "nonsense" })) {
      expect(problem).toContain("it does not have the expected form");
      expect(problem).not.toContain("[");
    }
  });
});
