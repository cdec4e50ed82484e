import { describe, expect, expectTypeOf, it } from "vitest";
import { createRegistry, DuplicateTool, UnnamedTool } from "../src/registry.ts";

describe("registry", () => {
  it("finds a tool by its name", () => {
    const greet = { name: "greet" };

    const registry = createRegistry("tool", [{ name: "count" }, greet]);

    expect(registry.find("greet")).toBe(greet);
  });

  it("finds nothing under a name that no tool has", () => {
    const registry = createRegistry("tool", [{ name: "greet" }]);

    expect(registry.find("Greet")).toBeUndefined();
  });

  it("finds nothing under the names every object inherits", () => {
    const registry = createRegistry("tool", [{ name: "greet" }]);

    expect(registry.find("toString")).toBeUndefined();
    expect(registry.find("__proto__")).toBeUndefined();
  });

  it("takes a tool whose name every object inherits", () => {
    const registry = createRegistry("tool", [{ name: "constructor" }, { name: "__proto__" }]);

    expect(registry.find("__proto__")).toEqual({ name: "__proto__" });
  });

  it("lists the tools by the code units of their names, whatever order they came in", () => {
    const names = ["b", "a", "Z", "a-1", "ä", "a_1", "A"];

    const registry = createRegistry(
      "tool",
      names.map((name) => ({ name })),
    );
    const reversed = createRegistry(
      "tool",
      names.toReversed().map((name) => ({ name })),
    );

    expect(registry.list().map((tool) => tool.name)).toEqual(["A", "Z", "a", "a-1", "a_1", "b", "ä"]);
    expect(reversed.list()).toEqual(registry.list());
  });

  it("lists nothing when there are no tools", () => {
    expect(createRegistry("tool", []).list()).toEqual([]);
  });

  it("leaves the given collection as it was", () => {
    const tools = [{ name: "b" }, { name: "a" }];

    createRegistry("tool", tools);

    expect(tools).toEqual([{ name: "b" }, { name: "a" }]);
  });

  it("takes any iterable", () => {
    const registry = createRegistry("tool", new Set([{ name: "greet" }]));

    expect(registry.list()).toHaveLength(1);
  });

  it("refuses two tools of one name and says which name", () => {
    const twice = [{ name: "greet" }, { name: "count" }, { name: "greet" }];

    expect(() => createRegistry("tool", twice)).toThrow(DuplicateTool);
    expect(() => createRegistry("tool", twice)).toThrow('Two tools are named "greet"; rename one of them.');
  });

  it.each([{}, { name: "" }])("refuses a tool without a name and says which one it is: %j", (unnamed) => {
    const tools = [{ name: "greet" }, unnamed];

    expect(() => createRegistry("tool", tools)).toThrow(UnnamedTool);
    expect(() => createRegistry("tool", tools)).toThrow("The tool number 2 has no name");
  });

  it("gives its errors codes for programs", () => {
    expect(new DuplicateTool("tool", "greet")).toMatchObject({
      name: "DuplicateTool",
      code: "DUPLICATE_TOOL",
    });
    expect(new UnnamedTool("tool", 1)).toMatchObject({ name: "UnnamedTool", code: "UNNAMED_TOOL" });
  });

  it("keeps the type of the tools it was given", () => {
    const registry = createRegistry("tool", [{ name: "greet", version: 1 }]);

    expectTypeOf(registry.find("greet")).toEqualTypeOf<{ name: string; version: number } | undefined>();
    expectTypeOf(registry.list()).toEqualTypeOf<readonly { name: string; version: number }[]>();
  });
});
