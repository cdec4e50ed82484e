import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { schemaOfType, signatureOf } from "./signature-of.ts";

const object = (properties: object, required?: readonly string[]): object => ({
  type: "object",
  properties,
  ...(required === undefined ? {} : { required }),
  additionalProperties: false,
});

describe("a type", () => {
  it.each([
    ["string", { type: "string" }],
    ["number", { type: "number" }],
    ["boolean", { type: "boolean" }],
    ["null", { type: "null" }],
    ["object", { type: "object" }],
    ["unknown", {}],
    ["any", {}],
    ["(string)", { type: "string" }],
    ['"a"', { type: "string", const: "a" }],
    ["`a`", { type: "string", const: "a" }],
    ["-1", { type: "number", const: -1 }],
    ["true", { type: "boolean", const: true }],
  ])(verifies("A7", "of one value is its schema: %s"), (type, schema) => {
    expect(schemaOfType(type)).toEqual(schema);
  });

  it.each([
    ['"a" | "b"', { type: "string", enum: ["a", "b"] }],
    ["1 | 2 | 1", { type: "number", enum: [1, 2] }],
    ["true | false", { type: "boolean" }],
    ["string | number", { anyOf: [{ type: "string" }, { type: "number" }] }],
    ["string | null", { anyOf: [{ type: "string" }, { type: "null" }] }],
    [
      '"a" | 1 | null | "b"',
      { anyOf: [{ type: "string", enum: ["a", "b"] }, { type: "number", const: 1 }, { type: "null" }] },
    ],
    ["(string | number) | boolean", { anyOf: [{ type: "string" }, { type: "number" }, { type: "boolean" }] }],
  ])("of several is an enum or a choice: %s", (type, schema) => {
    expect(schemaOfType(type)).toEqual(schema);
  });

  it.each([
    ["string[]", { type: "array", items: { type: "string" } }],
    ["readonly string[]", { type: "array", items: { type: "string" } }],
    ["Array<number>", { type: "array", items: { type: "number" } }],
    ["ReadonlyArray<number>", { type: "array", items: { type: "number" } }],
    ['("a" | "b")[]', { type: "array", items: { type: "string", enum: ["a", "b"] } }],
  ])("of a list has the schema of its items: %s", (type, schema) => {
    expect(schemaOfType(type)).toEqual(schema);
  });

  it.each([
    ["{ a: string; b?: number }", object({ a: { type: "string" }, b: { type: "number" } }, ["a"])],
    ["{ a: string | undefined }", object({ a: { type: "string" } })],
    ['{ "a-b": string }', object({ "a-b": { type: "string" } }, ["a-b"])],
    [
      "{ a: { b: { c: boolean } } }",
      object({ a: object({ b: object({ c: { type: "boolean" } }, ["c"]) }, ["b"]) }, ["a"]),
    ],
    [
      "{ [key: string]: number }",
      { type: "object", properties: {}, additionalProperties: { type: "number" } },
    ],
    ["Record<string, number>", { type: "object", additionalProperties: { type: "number" } }],
    ['Record<"a" | "b", number>', object({ a: { type: "number" }, b: { type: "number" } }, ["a", "b"])],
  ])("of an object has the schemas of its properties: %s", (type, schema) => {
    expect(schemaOfType(type)).toEqual(schema);
  });

  it("may be an alias, or an interface that extends others", () => {
    const declarations = `
      type City = string;
      interface Place { city: City }
      interface Paged { items: ("hotel" | "hostel")[]; next?: number }
      interface Search extends Place, Paged { city: "Rome" }
    `;

    expect(schemaOfType("Search", declarations)).toEqual(
      object(
        {
          items: { type: "array", items: { type: "string", enum: ["hotel", "hostel"] } },
          next: { type: "number" },
          city: { type: "string", const: "Rome" },
        },
        ["items", "city"],
      ),
    );
  });

  it("may be an enum", () => {
    const declarations = 'enum Color { Red = "red", Blue = "blue" } enum Level { Low, High = 5, Higher }';

    expect(schemaOfType("Color", declarations)).toEqual({ type: "string", enum: ["red", "blue"] });
    expect(schemaOfType("Level", declarations)).toEqual({ type: "number", enum: [0, 5, 6] });
  });

  it.each([
    ["by name", 'import type { Room } from "./types.ts";', "Room"],
    ["under another name", 'import { type Room as Bed } from "./types";', "Bed"],
    ["through a file that passes it on", 'import type { Room } from "./index.js";', "Room"],
    ["through a file that passes everything on", 'import type { Room } from "./all.ts";', "Room"],
    ["by default", 'import type Main from "./types.ts";', "Main"],
  ])("may come from another file, %s", (_, declarations, type) => {
    const others = {
      "types.ts": "export interface Room { beds: Beds } type Beds = 1 | 2; export default Room;",
      "index.ts": 'export type { Room } from "./types.ts";',
      "all.ts": 'export * from "./types.ts";',
    };

    expect(schemaOfType(type, declarations, others)).toEqual(
      object({ beds: { type: "number", enum: [1, 2] } }, ["beds"]),
    );
  });

  it.each([
    ["Date", "JSON has no dates; take a string"],
    ["Map<string, number>", "JSON has no maps"],
    ["() => void", "The type () => void cannot be read as JSON"],
    ["bigint", "The type bigint cannot be read as JSON"],
    ["`${number}px`", "cannot be read as JSON"],
    ["T extends string ? 1 : 2", "cannot be read as JSON"],
    ["{ [K in 'a' | 'b']: K }", "cannot be read as JSON"],
    ["{ run(): void }", "run(): void is a function, and JSON has none"],
    ["Nowhere", "The type Nowhere is declared neither in this file nor in one that it imports"],
    ["Elsewhere", 'The type Elsewhere comes from "elsewhere", whose types are not read'],
    ["Gone", 'The type Gone comes from "./gone.ts", where there is no such file; correct the import'],
    ["Tree", "The type Tree refers to itself"],
    ["Thing", "The type Thing is a class, and JSON has no classes"],
    ["{ a: string } & { b: number }", "cannot be read as JSON"],
    ["[string, number]", "The type [string, number] cannot be read as JSON"],
    ['Pick<Plain, "a">', 'The type Pick<Plain, "a"> is computed from another one; write the properties out'],
    ["keyof Plain", "The type keyof Plain cannot be read as JSON"],
    ['Plain["a"]', 'The type Plain["a"] cannot be read as JSON'],
    ["Paged<string>", "The type Paged<string> is generic; write the type out"],
    ["Twice", "The type Twice is declared more than once; declare it once"],
    ["Color.Red", "The type Color.Red is part of a namespace or an enum; name a type"],
    ["core.Context", "The type core.Context is part of a namespace or an enum; name a type"],
    ['import("./round.ts").Round', "cannot be read as JSON"],
    ["Round", "The type Round is declared neither in this file nor"],
    ["(typeof computed)[number]", "The type (typeof computed)[number] cannot be read as JSON"],
  ])(verifies("D5", "that cannot be read is refused, with the way out: %s"), (type, problem) => {
    const declarations = [
      'import type { Elsewhere } from "elsewhere";',
      'import type * as core from "@photon/core";',
      'import type { Gone } from "./gone.ts";',
      "interface Tree { children: Tree[] }",
      "class Thing {}",
      "interface Plain { a: string }",
      "interface Paged<T> { items: T[] }",
      "interface Twice { a: string } interface Twice { b: string }",
      "enum Color { Red }",
      "const computed = [1].map(String);",
      'import type { Round } from "./round.ts";',
    ].join("\n");

    const others = {
      "round.ts": 'export type { Round } from "./trip.ts";',
      "trip.ts": 'export type { Round } from "./round.ts";',
    };

    expect(() => schemaOfType(type, declarations, others)).toThrow(problem);
    expect(() => schemaOfType(type, declarations, others)).toThrow(
      "or give the schema yourself: tool({ input, run }).",
    );
  });

  it("that cannot be read is shown where it stands, also in another file", () => {
    const others = { "types.ts": "// Zeit für Tee 🍵\nexport interface Stay {\n  since: Date;\n}\n" };
    const source =
      'import type { Stay } from "./types.ts";\nexport async function* f(stay: Stay, y: string) {}';

    expect(() => signatureOf(source, others)).toThrow(/\/types\.ts:3:10: JSON has no dates/);
  });
});
