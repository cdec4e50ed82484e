import { prompt, resource, type Resource } from "@photon/core";
import { describe, expect, expectTypeOf, it } from "vitest";
import { createServer, DuplicateUri } from "../src/index.ts";
import { createRegistry, DuplicateName, MissingName } from "../src/catalog.ts";

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

    expect(() => createRegistry("tool", twice)).toThrow(DuplicateName);
    expect(() => createRegistry("tool", twice)).toThrow('Two tools are named "greet"; rename one of them.');
  });

  it.each([{}, { name: "" }])("refuses a tool without a name and says which one it is: %j", (unnamed) => {
    const tools = [{ name: "greet" }, unnamed];

    expect(() => createRegistry("tool", tools)).toThrow(MissingName);
    expect(() => createRegistry("tool", tools)).toThrow("The tool number 2 has no name");
  });

  it("gives its errors codes for programs", () => {
    expect(new DuplicateName("tool", "greet")).toMatchObject({
      name: "DuplicateName",
      code: "DUPLICATE_NAME",
    });
    expect(new MissingName("tool", 1)).toMatchObject({ name: "MissingName", code: "MISSING_NAME" });
  });

  it("keeps the type of the tools it was given", () => {
    const registry = createRegistry("tool", [{ name: "greet", version: 1 }]);

    expectTypeOf(registry.find("greet")).toEqualTypeOf<{ name: string; version: number } | undefined>();
    expectTypeOf(registry.list()).toEqualTypeOf<readonly { name: string; version: number }[]>();
  });
});

describe("a server", () => {
  const page = (uri: string): Resource<never> =>
    resource({
      uri,
      async *run() {
        return uri;
      },
    });
  const letter = (): ReturnType<typeof prompt> =>
    prompt({
      name: "letter",
      async *run() {
        return "Dear";
      },
    });

  it("refuses two prompts of one name, and calls them prompts", () => {
    const prompts = [letter(), letter()];

    expect(() => createServer({ prompts })).toThrow(DuplicateName);
    expect(() => createServer({ prompts })).toThrow('Two prompts are named "letter"; rename one of them.');
  });

  it("refuses two resources at one address", () => {
    const resources = [page("notes://today"), page("notes://all"), page("notes://today")];

    expect(() => createServer({ resources })).toThrow(DuplicateUri);
    expect(() => createServer({ resources })).toThrow("Two resources are at notes://today");
  });

  it("refuses two templates that differ in the names of their variables only", () => {
    const resources = [page("notes://{day}/all"), page("notes://{date}/all")];

    expect(() => createServer({ resources })).toThrow(
      "notes://{day}/all and notes://{date}/all match the same URIs; change one of them.",
    );
  });

  it("takes an address that a template stands for as well", () => {
    const resources = [page("notes://{day}"), page("notes://today"), page("notes://{day}/all")];

    expect(() => createServer({ resources })).not.toThrow();
  });

  it("keeps what it has where two resources in its place are at one address", () => {
    const server = createServer({ resources: [page("notes://today")] });
    const received: unknown[] = [];
    const line = server.open({
      mayMergeReads: false,
      send: (message) => void received.push(message),
      close() {},
    });
    line.receive({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {} },
    });

    expect(() => server.replace({ tools: [], resources: [page("a://b"), page("a://b")] })).toThrow(
      DuplicateUri,
    );

    expect(received).not.toContainEqual(expect.objectContaining({ method: expect.anything() }));
  });
});
