import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { argumentsFor } from "../../src/load/generator-tools.ts";
import { signatureOf, takes } from "./signature-of.ts";

const signal = { aborted: false, reason: undefined, addEventListener() {}, removeEventListener() {} };
const context = { signal, client: {}, runId: "run" } as never;

describe("the parameters of a generator", () => {
  it(verifies("A7", "are the properties of its input, by their names"), async () => {
    const signature = signatureOf(
      "export async function* f(city: string, nights: number, late?: boolean) {}",
    );

    expect(signature.input.required).toEqual(["city", "nights"]);
    expect(await takes(signature, { city: "Rome", nights: 2 })).toBe(true);
    expect(await takes(signature, { city: "Rome" })).toBe(false);
    expect(await takes(signature, { city: "Rome", nights: "2" })).toBe(false);
    expect(await takes(signature, { city: "Rome", nights: 2, days: 1 })).toBe(false);
  });

  it("are given back in their order", () => {
    const signature = signatureOf(
      "export async function* f(city: string, nights?: number, ...names: string[]) {}",
    );

    const given = argumentsFor(signature, { names: ["Ada", "Bob"], city: "Rome" }, context);

    expect(given).toEqual(["Rome", undefined, "Ada", "Bob"]);
  });

  it("may be one object, which is the whole input", async () => {
    const signature = signatureOf(
      "export async function* f({ city, nights = 1 }: { city: string; nights?: number }) {}",
    );

    expect(signature.parameters).toEqual([{ kind: "input" }]);
    expect(signature.input.properties).toEqual({
      city: { type: "string" },
      nights: { type: "number", default: 1 },
    });
    expect(await takes(signature, { city: "Rome" })).toBe(true);
    expect(await takes(signature, { nights: 1 })).toBe(false);
  });

  it("may be one object with a name", () => {
    const signature = signatureOf(
      "interface Booking { city: string }\nexport async function* f(booking: Booking) {}",
    );

    expect(signature.parameters).toEqual([{ kind: "input" }]);
    expect(signature.input.required).toEqual(["city"]);
  });

  it.each(["Record<string, number>", "{ a: string } | { b: string }", "string[]", "string"])(
    "are a property where there is one that is not an object with known properties: %s",
    (type) => {
      const signature = signatureOf(`export async function* f(it: ${type}) {}`);

      expect(signature.parameters).toEqual([{ kind: "property", name: "it" }]);
      expect(signature.input.required).toEqual(["it"]);
    },
  );

  it("may be none", async () => {
    const signature = signatureOf("export async function* f() {}");

    expect(await takes(signature, {})).toBe(true);
    expect(await takes(signature, { a: 1 })).toBe(false);
  });

  it("have the defaults that are written out, and types from them", () => {
    const signature = signatureOf(
      'export async function* f(nights = 1, city = "Rome", late = false, floors = [1, 2], below = -1, sum: number = 1 + 1) {}',
    );

    expect(signature.input).toEqual({
      type: "object",
      properties: {
        nights: { type: "number", default: 1 },
        city: { type: "string", default: "Rome" },
        late: { type: "boolean", default: false },
        floors: { type: "array", items: { type: "number" }, default: [1, 2] },
        below: { type: "number", default: -1 },
        // Worked out by the generator itself, when nothing is given.
        sum: { type: "number" },
      },
      additionalProperties: false,
    });
  });

  it("with defaults may be left out, whatever their type says", () => {
    const signature = signatureOf("export async function* f({ nights = 1 }: { nights: number }) {}");

    expect(signature.input.required).toBeUndefined();
  });

  it("have types from the defaults of a pattern that has no type", () => {
    const signature = signatureOf('export async function* f({ city = "Rome", nights = 1 }) {}');

    expect(signature.input.properties).toEqual({
      city: { type: "string", default: "Rome" },
      nights: { type: "number", default: 1 },
    });
  });

  it.each([
    ["by its name", "", "context"],
    ["by its name alone", "", "context: any"],
    ["by its type", 'import type { Context } from "@photon/core";', "run: Context"],
    ["by its type under another name", 'import type { Context as Run } from "@photon/core";', "run: Run"],
    ["taken apart", 'import type { Context } from "@photon/core";', "{ signal }: Context"],
    ["by what is taken out of it", "", "{ signal, client }"],
    ["by an inline import", "", 'run: import("@photon/core").Context'],
  ])("leave out the context of the run, known %s", (_, declarations, parameter) => {
    const signature = signatureOf(`${declarations}\nexport async function* f(city: string, ${parameter}) {}`);

    expect(Object.keys(signature.input.properties ?? {})).toEqual(["city"]);
    expect(argumentsFor(signature, { city: "Rome" }, context)).toEqual(["Rome", context]);
  });

  it("include a parameter whose type is the author's own Context", () => {
    const signature = signatureOf(
      "interface Context { topic: string }\nexport async function* f(city: string, context: Context) {}",
    );

    expect(signature.input.required).toEqual(["city", "context"]);
  });

  it.each([
    ["one without a type", "(city)", "tool.ts:1:26: The parameter city has no type; give it one"],
    [
      "one of a pattern without a type",
      "({ city })",
      "tool.ts:1:28: The property city has no type; give it one",
    ],
    [
      "one taken apart beside others",
      "({ a }: { a: string }, b: string)",
      "is destructured beside other parameters",
    ],
    ["a list taken apart", "([a]: string[])", "is destructured beside other parameters"],
    ["a pattern of a union", "({ a }: { a: 1 } | { a: 2; b: 3 })", "is not an object with known properties"],
  ])(verifies("D5", "are refused where they cannot be read: %s"), (_, parameters, problem) => {
    expect(() => signatureOf(`export async function* f${parameters} {}`)).toThrow(problem);
  });
});

describe("a generator", () => {
  it.each([
    ["a function", "export async function* f(city: string) {}"],
    ["a value", "export const f = async function* (city: string) {};"],
    ["exported below", "async function* f(city: string) {}\nexport { f };"],
    ["exported under another name", "async function* g(city: string) {}\nexport { g as f };"],
    [
      "overloaded",
      "export function f(city: string): AsyncGenerator;\nexport async function* f(city: string) {}",
    ],
    ["passed on", 'export { g as f } from "./other.ts";'],
    ["passed on with everything", 'export * from "./other.ts";'],
    ["imported, and then exported", 'import { g } from "./other.ts";\nexport { g as f };'],
  ])("is found: %s", (_, source) => {
    const others = { "other.ts": "export async function* g(city: string) {}\nexport { g as f };" };

    expect(signatureOf(source, others).input.required).toEqual(["city"]);
  });

  it("that is made by a call is refused where it is", () => {
    expect(() => signatureOf("\nexport const f = wrap(async function* () {});")).toThrow(
      /tool\.ts:2:1: The parameters of the tool f cannot be found/,
    );
  });
});
