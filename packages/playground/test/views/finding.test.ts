import { expect, it } from "vitest";
import type { Exchange } from "../../src/desk/exchange.ts";
import type { Offer } from "../../src/desk/offer.ts";
import { fileNameFor } from "../../src/views/content/blobs.ts";
import { findOffers } from "../../src/views/offers/find-offers.ts";
import { EVERYTHING, findExchanges } from "../../src/views/wire/find-exchanges.ts";
import { inputSchemaOf } from "../../src/views/call/input-schema.ts";

const tool = (name: string, description: string): Offer => ({
  kind: "tool",
  name,
  description,
  inputSchema: {},
  annotations: {},
});

it("finds offers by all words of a search, those that are named so first", () => {
  const offers = [tool("book", "Sets a date"), tool("set_date", "Of a song"), tool("tune", "A string")];
  expect(findOffers(offers, "SET  date").map(({ name }) => name)).toEqual(["set_date", "book"]);
});

it("finds among fifty thousand offers without comparing each with every other", () => {
  const offers = Array.from({ length: 50_000 }, (_, index) => tool(`tool ${index}`, "Of many"));
  expect(findOffers(offers, "of many")).toHaveLength(50_000);
  expect(findOffers(offers, "")).toHaveLength(50_000);
});

it("finds messages by words, direction and run at once", () => {
  const exchange = (id: number, from: Exchange["from"], runId: string, text: string): Exchange => ({
    id,
    from,
    runId,
    text,
    at: 0,
    size: text.length,
    title: "tools/call",
    kind: "request",
    by: "frame",
  });
  const wire = [
    exchange(1, "page", "a", "Ada"),
    exchange(2, "server", "a", "Ada"),
    exchange(3, "page", "b", "Ada"),
    exchange(4, "page", "a", "Bob"),
  ];
  const ids = (filter: Partial<typeof EVERYTHING>) =>
    findExchanges(wire, { ...EVERYTHING, ...filter }).map(({ id }) => id);
  expect(ids({})).toEqual([1, 2, 3, 4]);
  expect(ids({ text: "ada", from: "page", runId: "a" })).toEqual([1]);
});

it("asks for the variables of a template, and lets those of its query be left out", () => {
  const template: Offer = {
    kind: "template",
    name: "clip",
    uriTemplate: "studio://{+path}/{name}{?format,rate*}",
  };
  expect(inputSchemaOf(template)).toMatchObject({
    properties: { path: {}, name: {}, format: {}, rate: {} },
    required: ["path", "name"],
  });
});

it.each([
  ["../../etc/passwd", "text/plain", "etc-passwd.txt"],
  ["hook.wav", "audio/x-wav", "hook.wav"],
  ["", "image/png", "file.png"],
])("makes of %j a name for a file that is no path", (name, type, file) => {
  expect(fileNameFor(name, type)).toBe(file);
});
