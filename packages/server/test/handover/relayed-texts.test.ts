/** What a model passes on as text, by the kind of the question (docs/serving.md). */
import { ask, tool, type Tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { listening } from "../wire/servers.ts";
import { overStatelessHttp } from "../../../../test/clients/carriers.ts";
import type { Message } from "../../../../test/clients/messages.ts";
import { StatelessClient } from "../../../../test/clients/raw-client.ts";
import { eras, runIn, type Model, type Said } from "./model.ts";

const telling = (question: () => Iterable<unknown>): Tool<never> =>
  tool({
    name: "it",
    async *run() {
      // The question's own iterator: what it gives is what was answered.
      return JSON.stringify({ answer: yield* question() as Iterable<never> });
    },
  });

const rooms = { s: "Single room", d: "Double room" };
const form = () =>
  ask.form("Book", {
    nights: ask.number("Nights", { integer: true }),
    room: ask.select("Room", rooms),
    late: ask.confirm("Late?"),
  });

describe.each(Object.entries(eras))("in %s, what a model passes on as text", (_, meet) => {
  const called = async (question: () => Iterable<unknown>): Promise<{ model: Model; asked: Said }> => {
    const meeting = await meet({ tools: [telling(question)], whenUnsupported: "relay" });
    const model = await meeting.model();
    return { model, asked: await model.call("it") };
  };

  it.each<[string, () => Iterable<unknown>, unknown, unknown]>([
    ["a number", () => ask.number("Nights?", { integer: true }), " 3 ", 3],
    ["stars", () => ask.rating("How good?"), "4", 4],
    ["a yes", () => ask.confirm("Breakfast?"), "Yes", true],
    ["a no", () => ask.confirm("Breakfast?"), "no", false],
    ["the title of a choice", () => ask.select("Room?", rooms), "double room", "d"],
    ["titles with commas", () => ask.multiselect("Rooms?", rooms), "Single room, d", ["s", "d"]],
    ["a list as JSON", () => ask.multiselect("Rooms?", rooms), '["d"]', ["d"]],
    ["a list of titles", () => ask.multiselect("Rooms?", rooms), ["Double room"], ["d"]],
    ["a day", () => ask.date("When?"), " 2026-08-01 ", "2026-08-01"],
    ["a form as JSON", form, '{"nights":2,"room":"d","late":true}', { nights: 2, room: "d", late: true }],
    [
      "the fields of a form",
      form,
      { nights: "2", room: "Single room", late: "no" },
      { nights: 2, room: "s", late: false },
    ],
    [
      "several answers as JSON",
      () => ask.all({ name: ask.text("Name?"), nights: ask.number("Nights?") }),
      '{"name":"7","nights":"7"}',
      { name: "7", nights: 7 },
    ],
  ])(
    verifies(["B3", "B4"], "is read by the kind of the question: %s"),
    async (__, question, text, answer) => {
      const { model, asked } = await called(question);

      const done = await model.call("photon_answer", { run: runIn(asked), answer: text });

      expect(JSON.parse(done.text)).toEqual({ answer });
    },
  );

  it.each<[string, () => Iterable<unknown>, unknown]>([
    ["words for a number", () => ask.number("Nights?"), "three"],
    ["an empty text for a number", () => ask.number("Nights?"), ""],
    ["what is neither yes nor no", () => ask.confirm("Breakfast?"), "perhaps"],
    ["an empty text for a yes or no", () => ask.confirm("Breakfast?"), ""],
    ["what is no choice", () => ask.select("Room?", rooms), "suite"],
    ["whether they went there", () => ask.url("Pay here.", "https://pay.example"), "they will"],
  ])(verifies("B1", "is no answer where it does not fit: %s"), async (__, question, text) => {
    const { model, asked } = await called(question);

    const unfit = await model.call("photon_answer", { run: runIn(asked), answer: text });

    expect(unfit.text).toMatch(/^That answer does not fit/);
  });

  it(verifies("B1", "never says yes to what is dangerous"), async () => {
    const { model, asked } = await called(() => ask.confirm("Delete it?", { dangerous: true }));

    expect(asked.isError || asked.wire.error !== undefined).toBe(true);
    expect(asked.text).not.toContain("photon_answer");
    const answered = await model.call("photon_answer", { run: "1", answer: "yes" });
    expect(answered.isError).toBe(true);
  });

  it(verifies("B4", "has a form that the words for the model show, by kind"), async () => {
    const { asked } = await called(form);

    expect(asked.text).toContain(
      '"answer":{"nights":<whole number>,"room":"<value>","late":<true or false>}',
    );
  });
});

it(verifies("B4", "photon_answer says of what types an answer may be"), async () => {
  const { url } = await listening({ tools: [telling(form)], whenUnsupported: "relay" });
  const { answer } = await new StatelessClient(overStatelessHttp(url)).request("tools/list");

  // The result of tools/list.
  const tools = answer.result?.["tools"] as readonly { name: string; inputSchema: Message }[];
  const listed = tools.find(({ name }) => name === "photon_answer");
  expect(listed?.inputSchema).toMatchObject({
    properties: {
      answer: {
        anyOf: ["string", "number", "boolean", "array", "object", "null"].map((type) => ({ type })),
      },
    },
  });
});
