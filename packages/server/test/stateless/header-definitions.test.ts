/** `x-mcp-header` in the input of a tool: what clients would leave the tool out for is refused where the server is made. */
import { tool, type JsonSchema, type Tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { createServer } from "../../src/index.ts";

const named = (header: unknown, type = "string"): JsonSchema => ({ type, "x-mcp-header": header });

/** A tool whose input has these properties, and whatever else. */
function having(properties: { readonly [name: string]: JsonSchema }, more: object = {}): Tool<never> {
  return tool({
    name: "routed",
    input: { type: "object", properties, ...more },
    async *run() {
      return "done";
    },
  });
}

describe("a header that is named in the input of a tool", () => {
  it.each<[string, Tool<never>]>([
    ["it is empty", having({ a: named("") })],
    ["it has a blank", having({ a: named("A B") })],
    ["it has a line end", having({ a: named("A\r\nB") })],
    ["it has a colon", having({ a: named("A:") })],
    ["it is not ASCII", having({ a: named("Ä") })],
    ["it is no text", having({ a: named(7) })],
    ["it is null", having({ a: named(null) })],
    ["it is there twice", having({ a: named("Region"), b: named("Region") })],
    ["it is there twice, in another case", having({ a: named("Region"), b: named("REGION") })],
    [
      "it is there twice, once further inside",
      having({ a: named("K"), b: { type: "object", properties: { c: named("k") } } }),
    ],
    ["it is for a number", having({ a: named("A", "number") })],
    ["it is for an object", having({ a: named("A", "object") })],
    ["it is for a list", having({ a: named("A", "array") })],
    ["it is for something without a type", having({ a: { "x-mcp-header": "A" } })],
    ["it is for the items of a list", having({ a: { type: "array", items: named("A") } })],
    ["it is for one of several", having({ a: { anyOf: [named("A"), { type: "null" }] } })],
    ["it is for any other property", having({}, { additionalProperties: named("A") })],
    ["it is in a definition", having({}, { $defs: { a: named("A") } })],
    ["it is for what may be there", having({}, { if: { properties: { a: named("A") } } })],
    ["it is for the whole input", having({}, { "x-mcp-header": "A" })],
  ])(verifies("C5", "is refused with a sentence where %s"), (_, wrong) => {
    expect(() => createServer({ tools: [wrong] })).toThrow(
      /^The input of the tool routed: the x-mcp-header of .+\.$/,
    );
  });

  it("is refused when tools are replaced, and nothing is replaced then", () => {
    const server = createServer({ tools: [having({ a: named("A") })] });

    expect(() => server.replace({ tools: [having({ a: named("") })] })).toThrow("x-mcp-header");
  });

  it("may be any token, at any depth of properties", () => {
    const right = having({
      a: named("Region"),
      b: named("!#$%&'*+-.^_`|~09azAZ", "integer"),
      c: {
        type: "object",
        properties: { d: { type: "object", properties: { e: named("Deep", "boolean") } } },
      },
    });

    expect(() => createServer({ tools: [right] })).not.toThrow();
  });

  it("may be the name of a property, which is none", () => {
    const input = having({ "x-mcp-header": { type: "string" } });

    expect(() => createServer({ tools: [input] })).not.toThrow();
  });
});
