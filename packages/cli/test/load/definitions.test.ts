import { run, type Tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { loadDefinitions, type Loaded } from "../../src/load/load.ts";
import { temporaryProject } from "./temporary-project.ts";

async function load(files: Readonly<Record<string, string>>, ...paths: readonly string[]): Promise<Loaded> {
  const { folder } = temporaryProject(files);
  return loadDefinitions(paths, { cwd: folder });
}

const names = ({ tools }: Loaded): readonly string[] => tools.map(({ name = "" }) => name);

/** Runs a tool that asks nothing. */
async function result({ tools }: Loaded, name: string, input: object = {}): Promise<unknown> {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`There is no ${name}.`);
  // Checked against its schema by the run itself.
  return run(tool as Tool, input, { ask: () => ({ action: "cancel" }) });
}

const core = 'import { prompt, resource, tool } from "@photon/core";\n';

it.each([
  ["a name of its own", 'name: "book",'],
  ["the name of its export", ""],
])("a tool with %s and an invalid JSON Schema is refused, with its name and file", async (_, name) => {
  const source = `${core}
    export const book = tool({ ${name}
      input: { type: "object", properties: { city: { type: "strng" } } },
      async *run() {},
    });`;

  await expect(load({ "web.photon.ts": source })).rejects.toThrow(
    /web\.photon\.ts.*The input of the tool book .*properties\.city\.type/s,
  );
});

describe("a module gives", () => {
  it(verifies("A7", "the tools, prompts and resources it exports, named after their exports"), async () => {
    const loaded = await load({
      "web.photon.ts": `${core}
        export const book = tool({ async *run() { return "booked"; } });
        export const other = tool({ name: "cancel", async *run() {} });
        export const greet = prompt({ async *run() { return "Hello"; } });
        export const notes = resource({ uri: "notes://today", async *run() { return "Tea"; } });
        export const price: number = 3;
        export function helper(): void {}
      `,
    });

    expect(names(loaded)).toEqual(["book", "cancel"]);
    expect(loaded.prompts.map(({ name }) => name)).toEqual(["greet"]);
    expect(loaded.resources.map(({ uri }) => uri)).toEqual(["notes://today"]);
    expect(await result(loaded, "book")).toBe("booked");
  });

  it(
    verifies("A7", "its bare generators, their input checked and filled from their parameters"),
    async () => {
      const loaded = await load({
        "web.photon.ts": `
        /** Books a room. */
        export async function* book(city: string, nights = 1) { return city + nights; }
      `,
      });

      expect(loaded.tools[0]).toMatchObject({ name: "book", description: "Books a room." });
      expect(await result(loaded, "book", { city: "Rome" })).toBe("Rome1");
      await expect(result(loaded, "book", { city: 7 })).rejects.toThrow(
        "Invalid input for book: city must be text.",
      );
      await expect(result(loaded, "book", { city: "Rome", days: 2 })).rejects.toThrow("days");
    },
  );

  it("a bare generator that is known by its own source, not by ours", async () => {
    const loaded = await load({
      "a.photon.ts": "export async function* book(city: string) { return city; }",
      "b.photon.ts": "export default class { async *pay() { return 7; } }",
    });

    expect(loaded.tools.map((tool) => String(tool.run))).toEqual([
      expect.stringMatching(/^async function\* book\(city\) \{\s+return city;\s+\}$/),
      expect.stringMatching(/^async \*pay\(\) \{\s+return 7;\s+\}$/),
    ]);
  });

  it("a bare generator its context", async () => {
    const loaded = await load({
      "web.photon.ts": "export async function* who(context) { return typeof context.runId; }",
    });

    expect(await result(loaded, "who")).toBe("string");
  });

  it(verifies("A7", "the public generator methods of its default class, on one instance"), async () => {
    const loaded = await load({
      "shop.photon.ts": `
        import { Base } from "./base.ts";
        export default class Shop extends Base {
          private count = 0;
          /** Buys a thing. */
          async *buy(thing: string) { this.count += 1; return thing + this.count; }
          async *pay({ sum }: { sum: number }) { yield* this.check(sum); return this.count; }
          async *_hidden() {}
          private async *check(sum: number) { yield { emit: "status", message: String(sum) }; }
          protected async *guard() {}
          async *#secret() {}
          async plain() { return 1; }
          static async *shared() {}
        }
      `,
      "base.ts": `
        export class Base {
          /** Greets. */
          async *hello(name: string) { return "Hello " + name; }
          private async *own() {}
        }
      `,
    });

    expect(names(loaded).toSorted((a, b) => a.localeCompare(b))).toEqual(["buy", "hello", "pay"]);
    expect(await result(loaded, "buy", { thing: "tea" })).toBe("tea1");
    expect(await result(loaded, "buy", { thing: "tea" })).toBe("tea2");
    expect(await result(loaded, "pay", { sum: 1 })).toBe(2);
    expect(await result(loaded, "hello", { name: "Ada" })).toBe("Hello Ada");
    expect(loaded.tools.find(({ name }) => name === "hello")?.description).toBe("Greets.");
  });

  it.each([
    ["after its file", "export default tool({ async *run() {} });", "web"],
    ["by its own name", 'export default tool({ name: "book", async *run() {} });', "book"],
    ["after its file", "export default async function* () {}", "web"],
    ["by its own name", "export default async function* book() {}", "book"],
    [
      "by the name it is also exported by",
      "const book = tool({ async *run() {} });\nexport { book, book as default };",
      "book",
    ],
  ])("its default %s: %s", async (_, source, name) => {
    expect(names(await load({ "web.photon.ts": `${core}${source}` }))).toEqual([name]);
  });

  it("what it passes on from another file, once", async () => {
    const loaded = await load({
      "tools/index.ts": 'export * from "./book.ts";',
      "tools/book.ts": "export async function* book(city: string) {}",
    });

    expect(names(loaded)).toEqual(["book"]);
  });

  it("nothing, where it is a helper of others in its folder", async () => {
    const loaded = await load({
      "tools/book.ts": 'import { one } from "./one.ts";\nexport async function* book() { return one; }',
      "tools/one.ts": "export const one: number = 1;",
    });

    expect(names(loaded)).toEqual(["book"]);
  });

  it("every file it came from, types included and packages left out", async () => {
    const { folder, path } = temporaryProject({
      "web.photon.ts": `
        import { one } from "./lib/one";
        import data from "./data.json";
        import type { City } from "./types.ts";
        import left from "left-pad";
        export async function* book(city: City) { return [one, data, left]; }
      `,
      "lib/one.ts": "export const one: number = 1;",
      "data.json": "{}",
      "types.ts": "export type City = string;",
      "node_modules/left-pad/index.js": "module.exports = 1;",
    });

    const { files } = await loadDefinitions([], { cwd: folder });

    expect(files).toEqual(["data.json", "lib/one.ts", "types.ts", "web.photon.ts"].map(path));
  });
});

describe("what cannot be loaded is told in a sentence", () => {
  it.each([
    [
      "a file that exports nothing usable",
      { "web.photon.ts": "export const one: number = 1;" },
      "web.photon.ts: It exports no tool, prompt or resource; export tool({ … }), an async function*, or a default class with async generator methods.",
    ],
    [
      "two tools of one name in two files",
      {
        "a.photon.ts": "export async function* book() {}",
        "b.photon.js": "export default class { async *book() {} }",
      },
      /^Two tools are called "book": book in a\.photon\.ts, and \S*\.book in b\.photon\.js; rename one\.$/,
    ],
    [
      "two resources of one address",
      {
        "a.photon.ts": `${core}
          export const a = resource({ uri: "x://y", async *run() { return ""; } });
          export const b = resource({ uri: "x://y", async *run() { return ""; } });`,
      },
      'Two resources are called "x://y": a in a.photon.ts, and b in a.photon.ts; rename one.',
    ],
    [
      "a name that clients do not take",
      { "a.photon.ts": `${core}export const $book = tool({ async *run() {} });` },
      /^a\.photon\.ts: A tool cannot be called the string "\$book": .* Export it under another name, or give it one\.$/,
    ],
    [
      "a definition that is wrong, where it is written",
      { "a.photon.ts": `${core}\n\nexport const book = tool({ rum: 1, async *run() {} });` },
      /^a\.photon\.ts:4:21: A tool has no option "rum"/,
    ],
    [
      "a type that cannot be read",
      { "a.photon.ts": "export async function* book(when: Date) {}" },
      "a.photon.ts:1:35: JSON has no dates; take a string, with @format date or date-time; or give the schema yourself: tool({ input, run }).",
    ],
    [
      "a class whose constructor takes an argument",
      {
        "a.photon.ts":
          "export default class Shop {\n  constructor(private till: object) {}\n  async *buy() {}\n}",
      },
      "a.photon.ts:2:15: The class Shop is constructed without arguments; give this parameter a default, or read it inside; or give the schema yourself",
    ],
    [
      "a class whose base takes an argument",
      {
        "a.photon.ts": 'import { Base } from "./base.ts";\nexport default class Shop extends Base {}',
        "base.ts": "export class Base {\n  constructor(till: object) { void till; }\n  async *buy() {}\n}",
      },
      "base.ts:2:15: The class Shop is constructed without arguments",
    ],
    [
      "a class that cannot be constructed",
      {
        "a.photon.ts":
          'export default class Shop { constructor(a = 1) { throw new Error("no till"); } async *buy() {} }',
      },
      "a.photon.ts: new Shop() failed: no till.",
    ],
    [
      "a method whose source was not found",
      {
        "a.photon.ts": 'import { Base } from "base";\nexport default class Shop extends Base {}',
        "node_modules/base/index.mjs": "export class Base { async *buy(thing) {} }",
        "node_modules/base/package.json": '{ "main": "index.mjs" }',
      },
      "a.photon.ts:2:16: The method buy is inherited from a class whose source was not found; write it here; or give the schema yourself: tool({ input, run }).",
    ],
  ])(verifies("D5", "%s"), async (_, files, sentence) => {
    const failed = load(files);

    await expect(failed).rejects.toMatchObject({ code: "CANNOT_LOAD" });
    await expect(failed).rejects.toThrow(sentence);
  });
});
