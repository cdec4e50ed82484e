/** What the compiler checks of a tool: what its body returns, and the input that a test gives it. */
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  ask,
  type Body,
  type Context,
  InvalidOutput,
  type JsonSchema,
  type SchemaLike,
  tool,
} from "@photon/core";
import { everyBranch, restartEverywhere, script } from "@photon/core/testing";
import { z } from "zod";
import { verifies } from "../../../test/requirements.ts";

/** The types are checked by `npm run types`; the tools are defined here, never run. */
function assertTyped(definitions: () => unknown): void {
  expect(definitions).toBeTypeOf("function");
}

const outputs = {
  zod: z.object({ total: z.number() }),
  valibot: toStandardJsonSchema(v.object({ total: v.number() })),
  arktype: type({ total: "number" }),
  json: { type: "object", properties: { total: { type: "number" } }, required: ["total"] },
} as const;

describe("what a body returns", () => {
  it(verifies(["A7", "A8"], "must fit the output schema, however that is written"), () => {
    const { zod, valibot, arktype, json } = outputs;
    async function* asText() {
      return { total: "3" };
    }
    async function* asNumber() {
      return { total: 3 };
    }
    assertTyped(() => [
      tool({ output: zod, run: asNumber }),
      tool({ output: valibot, run: asNumber }),
      tool({ output: arktype, run: asNumber }),
      tool({ output: json, run: asNumber }),
      // @ts-expect-error the total is a number
      tool({ output: zod, run: asText }),
      // @ts-expect-error the total is a number
      tool({ output: valibot, run: asText }),
      // @ts-expect-error the total is a number
      tool({ output: arktype, run: asText }),
      // @ts-expect-error the total is a number
      tool({ output: json, run: asText }),
      tool({
        output: { type: "object", properties: { total: { type: "number" } }, required: ["total"] },
        // @ts-expect-error the total is a number
        async *run() {
          return { total: "3" };
        },
      }),
    ]);
  });

  it(verifies("A8", "must be something where there is an output schema"), () => {
    assertTyped(() =>
      tool({
        output: outputs.zod,
        // @ts-expect-error the schema requires an object
        async *run() {},
      }),
    );
  });

  it("may be a literal of an enum, a tuple, read-only, or have further properties", () => {
    const output = z.object({
      state: z.enum(["open", "closed"]),
      at: z.tuple([z.string(), z.number()]),
      names: z.array(z.string()),
      extra: z.unknown(),
    });
    const names: readonly string[] = ["Ada"];
    assertTyped(() => {
      const report = tool({
        output,
        async *run() {
          return { state: "open", at: ["Rome", 1], names, extra: 1, more: true };
        },
      });
      expectTypeOf(report.run).returns.toEqualTypeOf<
        Body<{
          state: string;
          at: (string | number)[];
          names: readonly string[];
          extra: number;
          more: boolean;
        }>
      >();
    });
  });

  it("must fit a list, a union, a record and a schema that refers to itself", () => {
    const tree = z.object({
      name: z.string(),
      get children() {
        return z.array(tree);
      },
    });
    const shape = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("circle"), radius: z.number() }),
      z.object({ kind: z.literal("text"), text: z.string().nullable() }),
    ]);
    assertTyped(() => [
      tool({
        output: tree,
        async *run() {
          return { name: "root", children: [{ name: "leaf", children: [] }] };
        },
      }),
      tool({
        output: tree,
        // @ts-expect-error the name of a child is a string
        async *run() {
          return { name: "root", children: [{ name: 1, children: [] }] };
        },
      }),
      tool({
        output: shape,
        async *run() {
          return { kind: "text", text: null };
        },
      }),
      tool({
        output: shape,
        // @ts-expect-error a circle has a radius, a text a text
        async *run() {
          return { kind: "circle" };
        },
      }),
      tool({
        output: z.array(z.record(z.string(), z.number())),
        async *run() {
          return [{ a: 1 }];
        },
      }),
      tool({
        output: { type: "array", items: { type: "string" } },
        // @ts-expect-error the items are strings
        async *run() {
          return [1];
        },
      }),
    ]);
  });

  it("may leave out what the schema fills in or does not require", () => {
    assertTyped(() => [
      tool({
        output: z.object({ ref: z.string(), note: z.string().optional() }),
        async *run() {
          return { ref: "R1" };
        },
      }),
      tool({
        output: {
          type: "object",
          properties: { ref: { type: "string" }, nights: { type: "integer", default: 1 } },
          required: ["ref"],
        },
        async *run() {
          return { ref: "R1" };
        },
      }),
    ]);
  });

  it(verifies("A8", "may be a result as MCP spells it, whose structured content must fit as well"), () => {
    const output = outputs.zod;
    const content = [{ type: "text", text: "three" }];
    assertTyped(() => [
      tool({
        output,
        async *run() {
          return { content, structuredContent: { total: 3 } };
        },
      }),
      tool({
        output,
        async *run() {
          return { content, isError: true };
        },
      }),
      tool({
        output,
        // @ts-expect-error the total is a number
        async *run() {
          return { content, structuredContent: { total: "3" } };
        },
      }),
      tool({
        output,
        // @ts-expect-error the structured content is missing
        async *run() {
          return { content };
        },
      }),
    ]);
  });

  it("may be an error that is thrown on every path", () => {
    assertTyped(() => {
      const broken = tool({
        output: outputs.zod,
        async *run() {
          throw new Error("There is no total.");
        },
      });
      expectTypeOf(broken.run).returns.toEqualTypeOf<Body<never>>();
    });
  });

  it("is checked when it runs, where the compiler knows nothing about the schema", async () => {
    const fromElsewhere: JsonSchema = outputs.json;
    const sum = tool({
      output: fromElsewhere,
      async *run() {
        return { total: "3" };
      },
    });
    const sumWith = (output: SchemaLike) =>
      tool({
        output,
        async *run() {
          return { total: "3" };
        },
      });

    await expect(script().run(sum)).rejects.toThrow(InvalidOutput);
    await expect(script().run(sumWith(outputs.zod))).rejects.toThrow(InvalidOutput);
  });

  it("is typed by the body where there is no output schema", () => {
    assertTyped(() => {
      const free = tool({
        async *run() {
          const room = yield* ask.select("Room?", ["single", "double"]);
          return { room, state: "open" };
        },
      });
      expectTypeOf(free.run).returns.toEqualTypeOf<Body<{ room: "single" | "double"; state: string }>>();
    });
  });
});

describe("the input that a test gives a tool", () => {
  const inputs = {
    zod: z.object({ city: z.string(), nights: z.number().default(1) }),
    valibot: toStandardJsonSchema(v.object({ city: v.string(), nights: v.optional(v.number(), 1) })),
    arktype: type({ city: "string", nights: "number = 1" }),
    json: {
      type: "object",
      properties: { city: { type: "string" }, nights: { type: "number", default: 1 } },
      required: ["city"],
    },
  } as const;

  const book = <const Given extends SchemaLike>(input: Given) =>
    tool({
      input,
      async *run(given) {
        return given;
      },
    });

  it(
    verifies(["A7", "A13"], "is typed by the input schema; what has a default may be left out"),
    async () => {
      const filled = { city: "Rome", nights: 1 };
      expect(await script().run(book(inputs.zod), { city: "Rome" })).toEqual(filled);
      expect(await script().run(book(inputs.valibot), { city: "Rome" })).toEqual(filled);
      expect(await script().run(book(inputs.arktype), { city: "Rome" })).toEqual(filled);
      expect(await script().run(book(inputs.json), { city: "Rome" })).toEqual(filled);

      assertTyped(() => [
        // @ts-expect-error the city is a string
        script().run(book(inputs.zod), { city: 3 }),
        // @ts-expect-error the city is a string
        script().run(book(inputs.valibot), { city: 3 }),
        // @ts-expect-error the city is a string
        script().run(book(inputs.arktype), { city: 3 }),
        // @ts-expect-error the city is a string
        script().run(book(inputs.json), { city: 3 }),
        // @ts-expect-error there is no country
        script().run(book(inputs.zod), { city: "Rome", country: "Italy" }),
        // @ts-expect-error the city is required
        script().run(book(inputs.json)),
      ]);
    },
  );

  it(verifies(["A7", "A13"], "is typed for every path and every restart as well"), () => {
    const rome = book(inputs.json);
    assertTyped(() => [
      everyBranch(rome, { city: "Rome" }, {}),
      restartEverywhere(rome, { input: { city: "Rome" } }),
      // @ts-expect-error the city is required
      everyBranch(rome, {}, {}),
      // @ts-expect-error the city is a string
      restartEverywhere(rome, { input: { city: 3 } }),
      // @ts-expect-error the city is required
      restartEverywhere(rome, { answers: {} }),
      // @ts-expect-error the city is required
      restartEverywhere(rome),
    ]);
  });

  it(verifies("A13", "is the first argument of a function"), () => {
    async function* greet({ name }: { name: string }, { client }: Context) {
      return `${client.name}: ${name}`;
    }
    async function* add(a: number, b: number) {
      return a + b;
    }
    assertTyped(() => {
      expectTypeOf(script().run(greet, { name: "Ada" })).resolves.toEqualTypeOf<string>();
      expectTypeOf(script().run(() => add(1, 2))).resolves.toEqualTypeOf<number>();
      expectTypeOf(
        script().run((_, context) => greet({ name: context.runId }, context)),
      ).resolves.toEqualTypeOf<string>();
      return [
        // @ts-expect-error the name is required
        script().run(greet),
        // @ts-expect-error the name is a string
        script().run(greet, { name: 3 }),
        // @ts-expect-error the second argument of a function is the context
        script().run(add, 1),
      ];
    });
  });
});
