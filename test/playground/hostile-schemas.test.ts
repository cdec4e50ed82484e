/** Schemas that no form was thought of for. What cannot be a form is JSON; what is neither does not break the page. */
import { describe, expect, it } from "vitest";
import { usePlayground } from "./browser.ts";
import { framesToChoose, weigh } from "./frames.ts";
import { asks, hostileServer, odd, said } from "./hostile-server.ts";
import { Person } from "./person.ts";

const playground = usePlayground();

type Schema = Readonly<Record<string, unknown>>;

const object = (properties: Schema, more: Schema = {}): Schema => ({ type: "object", properties, ...more });

function nested(depth: number): Schema {
  return depth === 0 ? { type: "string" } : object({ in: nested(depth - 1) });
}

const SCHEMAS: Readonly<Record<string, unknown>> = {
  "has a type nobody knows": object({ it: { type: "quaternion" }, other: { type: ["string", 7] } }),
  "refers to itself": object({ self: { $ref: "#" } }),
  "goes round in references": {
    ...object({ it: { $ref: "#/$defs/a" } }),
    $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } },
  },
  "is a tree": {
    ...object({ root: { $ref: "#/$defs/node" } }),
    $defs: { node: object({ children: { type: "array", items: { $ref: "#/$defs/node" } } }) },
  },
  "refers to nothing": object({ it: { $ref: "#/$defs/none" } }),
  "refers to another host": object({ it: { $ref: "http://evil.example/schema.json" } }),
  "is made of things that are no schemas": object({ a: null, b: 7, c: "text", d: [], e: true, f: false }),
  "has no end of alternatives": object({
    it: { anyOf: Array.from({ length: 100 }, (_, index) => object({ [`at${index}`]: { const: index } })) },
  }),
  "has 200 fields": object(
    Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`field-${index}`, { type: "string" }])),
  ),
  "has 10,000 choices": object({
    it: { enum: Array.from({ length: 10_000 }, (_, index) => `choice ${index}`) },
  }),
  "is nested 60 deep": nested(60),
  "has a pattern that takes for ever": object({
    it: { type: "string", pattern: "^(a+)+$", default: `${"a".repeat(40)}!` },
  }),
  "has a pattern that takes as long": object({
    it: { type: "string", pattern: "a*a*a*a*a*a*a*a*b", default: "a".repeat(2000) },
  }),
  "has names that take for ever": {
    ...object({ ["a".repeat(40)]: { type: "string", default: "it" } }),
    patternProperties: { "^(a|a)*!$": { type: "string" } },
  },
  "has a pattern that is none": object({ it: { type: "string", pattern: "(" } }),
  "has the names of every object": object({
    ["__proto__"]: { type: "string" },
    constructor: { type: "string" },
  }),
  "is an array": { type: "array", items: { type: "string" } },
  "is nothing": null,
};

const schemas = Object.entries(SCHEMAS);

describe("the playground", () => {
  it("shows, calls and leaves tools with schemas that no form was thought of for", async () => {
    const { url } = await hostileServer({
      tools: [odd({ name: "plain" }), ...schemas.map(([name, inputSchema]) => odd({ name, inputSchema }))],
      call: () => [said("called")],
    });
    const person = new Person(await playground.visit(url));
    const heavy: (readonly [string, number])[] = [];
    for (const [name] of schemas) {
      const frames = await framesToChoose(person.tab, name);
      await person.tab.getByRole("main").getByRole("button", { name: "Run", exact: true }).first().click();
      const { elements } = await weigh(person.tab);
      if (frames > 10 || elements > 30_000) heavy.push([name, elements]);
    }
    expect(heavy).toEqual([]);

    await person.choose("plain");
    await person.runIt();

    expect(await person.ending()).toMatchObject({ state: "done" });
  });

  it("asks what has such a schema, and it can be declined", async () => {
    const { url } = await hostileServer({
      tools: schemas.map(([name]) => odd({ name })),
      call: ({ params }) => [
        "inputResponses" in params
          ? said("declined")
          : asks(
              { mode: "form", message: "What?", requestedSchema: SCHEMAS[String(params["name"])] },
              { ask: "form" },
            ),
      ],
    });
    const person = new Person(await playground.visit(url));
    const ends: (readonly [string, string, boolean])[] = [];
    for (const [name] of schemas) {
      await person.choose(name);
      await person.runIt();
      await person.asked("What?");
      const { elements } = await weigh(person.tab);
      await person.press("Decline");
      ends.push([name, (await person.ending()).state, elements < 30_000]);
    }

    expect(ends).toEqual(schemas.map(([name]) => [name, "done", true]));
  });
});
