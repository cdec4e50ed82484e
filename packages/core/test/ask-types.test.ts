import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  ask,
  roots,
  sample,
  step,
  type Yieldable,
  type AnswerOf,
  type Body,
  type FileAnswer,
  type Outcome,
  type Root,
  type SampleAnswer,
  type Secret,
  type TextAsk,
} from "@photon/core";
import * as z from "zod";
import { verifies } from "../../../test/requirements.ts";

/** The types are checked by `npm run types`; a body is written here, never run. */
function assertTyped(body: () => Body<void>): void {
  expect(body).toBeTypeOf("function");
}

describe("yield*", () => {
  it(verifies("A5", "types the answer to every kind of one value"), () => {
    async function* tool(): Body<void> {
      expectTypeOf(yield* ask.text("Name?")).toEqualTypeOf<string>();
      expectTypeOf(yield* ask.number("Nights?")).toEqualTypeOf<number>();
      expectTypeOf(yield* ask.number("Nights?", { integer: true })).toEqualTypeOf<number>();
      expectTypeOf(yield* ask.confirm("Sure?")).toEqualTypeOf<boolean>();
      expectTypeOf(yield* ask.date("When?")).toEqualTypeOf<string>();
      expectTypeOf(yield* ask.date("When?", { time: true })).toEqualTypeOf<string>();
      expectTypeOf(yield* ask.secret("Key?")).toEqualTypeOf<Secret>();
      expectTypeOf(yield* ask.file("File?")).toEqualTypeOf<FileAnswer>();
      expectTypeOf(yield* ask.url("Sign in", "https://a.example/")).toEqualTypeOf<void>();
    }

    assertTyped(tool);
  });

  it(verifies(["A4", "A5"], "types a choice by the values of its options, however they are given"), () => {
    async function* tool(): Body<void> {
      expectTypeOf(yield* ask.select("Which?", ["a", "b"])).toEqualTypeOf<"a" | "b">();
      expectTypeOf(yield* ask.select("Which?", { a: "A", b: "B" })).toEqualTypeOf<"a" | "b">();
      expectTypeOf(yield* ask.select("Which?", { a: { title: "A" }, b: "B" })).toEqualTypeOf<"a" | "b">();
      expectTypeOf(
        yield* ask.select("Which?", [
          { value: "a", title: "A" },
          { value: "b", title: "B", description: "The second" },
        ]),
      ).toEqualTypeOf<"a" | "b">();
      expectTypeOf(yield* ask.select("Which?", ["a", { value: "b", title: "B" }])).toEqualTypeOf<"a" | "b">();
      const found: string[] = ["a"];
      expectTypeOf(yield* ask.select("Which?", found)).toEqualTypeOf<string>();
    }

    assertTyped(tool);
  });

  it(verifies(["A3", "A5"], "types a rating by its stars, of which there are five unless it says so"), () => {
    async function* tool(): Body<void> {
      expectTypeOf(yield* ask.rating("How good?")).toEqualTypeOf<1 | 2 | 3 | 4 | 5>();
      expectTypeOf(yield* ask.rating("How good?", { id: "good" })).toEqualTypeOf<1 | 2 | 3 | 4 | 5>();
      expectTypeOf(yield* ask.rating("How good?", { max: 3, default: 2 })).toEqualTypeOf<1 | 2 | 3>();
      const max = Math.random() < 0.5 ? 2 : 3;
      expectTypeOf(yield* ask.rating("How good?", { max })).toEqualTypeOf<1 | 2 | 3>();
      // @ts-expect-error a rating has at most ten stars
      yield* ask.rating("How good?", { max: 11 });
      // @ts-expect-error there is no fourth star
      yield* ask.rating("How good?", { max: 3, default: 4 });
    }

    assertTyped(tool);
  });

  it(verifies(["A4", "A5"], "types several choices as a list of the values"), () => {
    async function* tool(): Body<void> {
      expectTypeOf(yield* ask.multiselect("Which?", ["a", "b"])).toEqualTypeOf<("a" | "b")[]>();
      expectTypeOf(yield* ask.multiselect("Which?", { a: "A", b: "B" })).toEqualTypeOf<("a" | "b")[]>();
      expectTypeOf(
        yield* ask.multiselect("Which?", [{ value: "a", title: "A" }, { value: "b" }]),
      ).toEqualTypeOf<("a" | "b")[]>();
    }

    assertTyped(tool);
  });

  it(verifies("A5", "types a form by its field map; an optional field may be missing"), () => {
    async function* tool(): Body<void> {
      const given = yield* ask.form("Book", {
        name: ask.text("Name"),
        nights: ask.number("Nights"),
        sure: ask.confirm("Sure?"),
        room: ask.select("Room", { s: "Single", d: "Double" }),
        extras: ask.multiselect("Extras", ["bed", "cot"]),
        from: ask.date("From"),
        note: ask.optional(ask.text("Note")),
        floor: ask.optional(ask.select("Floor", ["1", "2"])),
      });
      expectTypeOf(given.name).toEqualTypeOf<string>();
      expectTypeOf(given.nights).toEqualTypeOf<number>();
      expectTypeOf(given.sure).toEqualTypeOf<boolean>();
      expectTypeOf(given.room).toEqualTypeOf<"s" | "d">();
      expectTypeOf(given.extras).toEqualTypeOf<("bed" | "cot")[]>();
      expectTypeOf(given.from).toEqualTypeOf<string>();
      expectTypeOf(given.note).toEqualTypeOf<string | undefined>();
      expectTypeOf(given.floor).toEqualTypeOf<"1" | "2" | undefined>();
    }

    assertTyped(tool);
  });

  it(verifies("A5", "types a form by the output of zod, valibot and arktype"), () => {
    async function* tool(): Body<void> {
      const zod = z.object({
        name: z.string().transform((name) => name.length),
        age: z.number().optional(),
        kind: z.enum(["a", "b"]).default("a"),
      });
      expectTypeOf(yield* ask.form("Who?", zod)).toEqualTypeOf<{
        name: number;
        age?: number | undefined;
        kind: "a" | "b";
      }>();
      const valibot = toStandardJsonSchema(v.object({ name: v.string(), age: v.optional(v.number()) }));
      expectTypeOf(yield* ask.form("Who?", valibot)).toEqualTypeOf<{
        name: string;
        age?: number | undefined;
      }>();
      const arktype = type({ name: "string", "age?": "number", kind: "'a' | 'b'" });
      expectTypeOf(yield* ask.form("Who?", arktype)).toEqualTypeOf<{
        name: string;
        kind: "a" | "b";
        age?: number;
      }>();
    }

    assertTyped(tool);
  });

  it(verifies("A5", "types a form by JSON Schema written in place"), () => {
    async function* tool(): Body<void> {
      const given = yield* ask.form("Who?", {
        type: "object",
        properties: {
          name: { type: "string" },
          age: { type: "integer" },
          sure: { type: "boolean", default: false },
          kind: { type: "string", enum: ["a", "b"] },
        },
        required: ["name", "kind"],
      });
      expectTypeOf(given.name).toEqualTypeOf<string>();
      expectTypeOf(given.age).toEqualTypeOf<number | undefined>();
      expectTypeOf(given.sure).toEqualTypeOf<boolean>();
      expectTypeOf(given.kind).toEqualTypeOf<"a" | "b">();
    }

    assertTyped(tool);
  });

  it(verifies(["A5", "A6"], "types a round as an object of its answers"), () => {
    async function* tool(): Body<void> {
      expectTypeOf(
        yield* ask.all({
          name: ask.text("Name?"),
          sure: ask.confirm("Sure?"),
          room: ask.select("Room?", { s: "Single", d: "Double" }),
          key: ask.secret("Key?"),
          why: ask.outcome(ask.text("Why?")),
          folders: roots(),
        }),
      ).toEqualTypeOf<{
        name: string;
        sure: boolean;
        room: "s" | "d";
        key: Secret;
        why: Outcome<string>;
        folders: readonly Root[];
      }>();
    }

    assertTyped(tool);
  });

  it(verifies(["A5", "A6"], "types an outcome by its question, with a value only where there is one"), () => {
    async function* tool(): Body<void> {
      const outcome = yield* ask.outcome(ask.select("Room?", ["s", "d"]));
      expectTypeOf(outcome).toEqualTypeOf<Outcome<"s" | "d">>();
      if (outcome.action === "accept") expectTypeOf(outcome.value).toEqualTypeOf<"s" | "d">();
      else expectTypeOf(outcome.value).toEqualTypeOf<"s" | "d" | undefined>();
      expectTypeOf(outcome.action).toEqualTypeOf<
        "accept" | "decline" | "cancel" | "timeout" | "unsupported" | "invalid"
      >();
      expectTypeOf(yield* ask.outcome(ask.all({ a: ask.number("A?") }))).toEqualTypeOf<
        Outcome<{ a: number }>
      >();
    }

    assertTyped(tool);
  });

  it(verifies(["A5", "A10"], "types samples and roots"), () => {
    async function* tool(): Body<void> {
      expectTypeOf(yield* sample("Say hi")).toEqualTypeOf<SampleAnswer>();
      expectTypeOf(yield* roots()).toEqualTypeOf<readonly Root[]>();
    }

    assertTyped(tool);
  });

  it(verifies(["A5", "E1"], "types a step by what its function gives"), () => {
    async function* tool(): Body<void> {
      expectTypeOf(yield* step("count", () => 3)).toEqualTypeOf<number>();
      expectTypeOf(yield* step("fetch", () => Promise.resolve({ ref: "a" }))).toEqualTypeOf<{
        ref: string;
      }>();
      expectTypeOf(yield* step("pay", ({ key }) => key)).toEqualTypeOf<string>();
      expectTypeOf(yield* step.now()).toEqualTypeOf<number>();
      expectTypeOf(yield* step.random()).toEqualTypeOf<number>();
      expectTypeOf(yield* step.uuid()).toEqualTypeOf<string>();
    }

    assertTyped(tool);
  });
});

describe("the constructors", () => {
  type TextOptions = NonNullable<Parameters<typeof ask.text>[1]>;
  type NumberOptions = NonNullable<Parameters<typeof ask.number>[1]>;
  type ConfirmOptions = NonNullable<Parameters<typeof ask.confirm>[1]>;
  type SecretOptions = NonNullable<Parameters<typeof ask.secret>[1]>;
  type FileOptions = NonNullable<Parameters<typeof ask.file>[1]>;

  it(verifies("A5", "give data that says what it is answered with"), () => {
    expectTypeOf(ask.text("Name?")).toEqualTypeOf<Yieldable<TextAsk, string>>();
    expectTypeOf<AnswerOf<ReturnType<typeof ask.confirm>>>().toEqualTypeOf<boolean>();
  });

  it("take defaults and fallbacks of the answer's type only", () => {
    expectTypeOf<{ default: "Ada"; fallback: { decline: "nobody" } }>().toExtend<TextOptions>();
    expectTypeOf<{ default: 42 }>().not.toExtend<TextOptions>();
    expectTypeOf<{ fallback: { decline: "many" } }>().not.toExtend<NumberOptions>();
    expectTypeOf<{ fallback: { decline: false } }>().toExtend<ConfirmOptions>();
  });

  it("let a confirm fall back to no, never to yes", () => {
    expectTypeOf<{ fallback: { timeout: true } }>().not.toExtend<ConfirmOptions>();
  });

  it("know no default for what cannot be suggested", () => {
    expectTypeOf<SecretOptions>().not.toHaveProperty("default");
    expectTypeOf<FileOptions>().not.toHaveProperty("default");
  });

  it("take the default of a choice from its options", () => {
    const choose = (): unknown =>
      ask.select("Which?", ["a", "b"], { default: "a", fallback: { decline: "b" } });

    expect(choose).not.toThrow();
    expectTypeOf(ask.select<["a", "b"]>)
      .parameter(2)
      .toExtend<{ readonly default?: "a" | "b" } | undefined>();
  });

  it("make a form of fields that a form can carry only", () => {
    type Fields = Parameters<typeof ask.form>[1];

    expectTypeOf<{ name: ReturnType<typeof ask.text> }>().toExtend<Fields>();
    expectTypeOf<{ key: ReturnType<typeof ask.secret> }>().not.toExtend<Fields>();
    expectTypeOf<{ file: ReturnType<typeof ask.file> }>().not.toExtend<Fields>();
    expectTypeOf<{ inner: ReturnType<typeof ask.form> }>().not.toExtend<Fields>();
  });

  it("take a question for an outcome, and no outcome of an outcome", () => {
    type Of = Parameters<typeof ask.outcome>[0];

    expectTypeOf<ReturnType<typeof ask.text>>().toExtend<Of>();
    expectTypeOf<ReturnType<typeof roots>>().toExtend<Of>();
    expectTypeOf<ReturnType<typeof ask.outcome>>().not.toExtend<Of>();
    expectTypeOf<ReturnType<typeof step.now>>().not.toExtend<Of>();
  });
});
