import { describe, expect, it, onTestFinished } from "vitest";
import { compile } from "./compile.ts";
import { modulesIn, type Module } from "./modules.ts";

/** A page of blocks, each its first line and what is in it. */
const page = (...blocks: readonly (readonly [opening: string, content: string])[]): string =>
  blocks
    .map(([opening, content]) => `${opening}\n${content}\n${opening.startsWith("<!--") ? "-->" : "```"}\n`)
    .join("\n");

const read = (text: string): readonly Module[] => modulesIn("page.md", text);

const codes = (source: string): readonly string[] => source.split("\n").filter((line) => line !== "");

describe("a page", () => {
  it("is one module for each block that goes on with none", () => {
    const modules = read(page(["```ts", "a;"], ["```ts continues", "b;"], ["```ts", "c;"]));

    expect(modules.map(({ source }) => codes(source))).toEqual([["a;", "b;"], ["c;"]]);
  });

  it("has set-ups that belong to the block after them", () => {
    const modules = read(page(["```ts", "a;"], ["<!-- ts", "declare const b: 1;"], ["```ts", "b;"]));

    expect(modules.map(({ source }) => codes(source))).toEqual([["a;"], ["declare const b: 1;", "b;"]]);
  });

  it("has nothing of what is compiled elsewhere", () => {
    const modules = read(page(["```ts elsewhere a.ts", "a;"], ["```ts", "b;"]));

    expect(modules.map(({ source }) => codes(source))).toEqual([["b;"]]);
  });

  it("goes on after what is wrong as if that were not there", () => {
    const text = page(["```ts", "a;"], ["```ts wrong TS2322 continues", "b;"], ["```ts continues", "c;"]);

    expect(read(text).map(({ source, wrong }) => [codes(source), wrong])).toEqual([
      [["a;", "c;"], []],
      [["a;", "b;"], ["TS2322"]],
    ]);
  });

  it.each([
    ["goes on with nothing", page(["```ts continues", "a;"]), "continues nothing"],
    ["does not say why something is wrong", page(["```ts wrong", "a;"]), "why the compiler refuses it"],
    ["does not show what is printed", page(["```ts runnable", "a;"]), "does not show what is printed"],
  ])("that %s is refused", (_, text, why) => {
    expect(() => read(text)).toThrow(why);
  });

  it("is told what does not compile, by its own line", () => {
    const modules = read(page(["```ts", "export const a = 1;"], ["```ts", 'export const b: number = "2";']));
    const compiled = compile(modules);
    onTestFinished(compiled.remove);

    expect(modules.map(compiled.problemsOf)).toEqual([
      [],
      [{ code: "TS2322", said: "line 6: Type 'string' is not assignable to type 'number'." }],
    ]);
  });
});
