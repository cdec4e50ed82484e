/** The answers that a retry brings: fitting, missing, surplus and invalid ones (ARCHITECTURE.md §2.2, §2.3). */
import { ask, roots, sample, tool } from "@photon/core";
import { describe, expect, it } from "vitest";
import { verifies } from "../../../../test/requirements.ts";
import { serveStateless } from "../wire/servers.ts";
import type { Fields } from "../../../../test/clients/messages.ts";
import { accepted, codeIn, questionsIn, stateIn, textOf } from "../../../../test/clients/raw-client.ts";
import { greet, Witness, witnessed } from "../wire/tools.ts";

const three = tool({
  name: "three",
  async *run() {
    const { a, b, c } = yield* ask.all({ a: ask.text("A?"), b: ask.text("B?"), c: ask.text("C?") });
    return `${a}${b}${c}`;
  },
});

describe("answers that are missing", () => {
  it(verifies("C6", "are asked for again, and those that were given are kept"), async () => {
    const { client } = await serveStateless({ tools: [three] });

    const asked = await client.call("three");
    const some = await client.accept(asked, { b: "2" });
    const none = await client.retry(some);
    const others = await client.accept(none, { other: "x", b: "overwritten" });
    const more = await client.accept(others, { c: "3" });
    const done = await client.accept(more, { a: "1" });

    expect(Object.keys(questionsIn(asked))).toEqual(["a", "b", "c"]);
    for (const again of [some, none, others]) expect(Object.keys(questionsIn(again))).toEqual(["a", "c"]);
    expect(Object.keys(questionsIn(more))).toEqual(["a"]);
    expect(textOf(done.answer)).toBe("123");
    expect(new Set([asked, some, none, others, more].map(stateIn)).size).toBe(5);
  });

  it("are asked for in the same words, under the same key", async () => {
    const { client } = await serveStateless({ tools: [greet] });

    const asked = await client.call("greet");
    const again = await client.retry(asked, {});

    expect(questionsIn(again)).toEqual(questionsIn(asked));
  });
});

describe("keys that nobody asked for", () => {
  it(verifies("C6", "are ignored, whatever they are called and whatever they hold"), async () => {
    const { client } = await serveStateless({ tools: [greet] });
    const asked = await client.call("greet");
    const odd = JSON.parse(
      '{ "__proto__": { "ask-1": 1 }, "constructor": 1, "ask-2": null, "": [] }',
    ) as Fields;

    const done = await client.retry(asked, { ...accepted({ "ask-1": "Ada" }), ...odd, ["__proto__"]: odd });

    expect(textOf(done.answer)).toBe("Hello, Ada");
  });
});

describe("what is no answer at all", () => {
  it.each([null, [], "Ada", 7, true, [{ "ask-1": { action: "accept" } }]])(
    verifies(["C5", "B3"], "is refused with -32602 where all of it is %j, and the run is untouched"),
    async (inputResponses) => {
      const { client } = await serveStateless({ tools: [greet] });
      const asked = await client.call("greet");

      const refused = await client.retry(asked, inputResponses);
      const done = await client.accept(asked, { "ask-1": "Ada" });

      expect(codeIn(refused)).toBe(-32602);
      expect(textOf(done.answer)).toBe("Hello, Ada");
    },
  );

  it.each<unknown>([
    null,
    12345,
    "Ada",
    [],
    {},
    { action: "perhaps" },
    { action: ["accept"], content: { value: "Ada" } },
    { content: { value: "Ada" } },
    { action: "accept", content: "Ada" },
    { action: "accept", content: ["Ada"] },
    { action: "accept", content: { value: { first: "Ada" } } },
    { action: "accept", content: { value: null } },
    { action: "accept", content: { value: ["a", 1] } },
    { action: "accept", content: { other: {} } },
  ])(
    verifies(
      ["C5", "B3"],
      "is refused with -32602 where it is %j, and the same state works with a right one",
    ),
    async (response) => {
      const witness = new Witness();
      const { client, server } = await serveStateless({ tools: [witnessed(witness)] });
      const asked = await client.call("witnessed");

      const refused = await client.retry(asked, { "ask-1": response });
      const again = await client.retry(asked, { "ask-1": response });

      expect(refused.answer.error).toMatchObject({ code: -32602 });
      expect(refused.answer.error?.message).toMatch(/^The response to "ask-1" is invalid: .+\.$/);
      expect(again.answer.error).toEqual(refused.answer.error);
      expect({ parked: server.parked, ended: witness.ended }).toEqual({ parked: 1, ended: [] });
      const done = await client.accept(asked, { "ask-1": "Ada" });
      expect(textOf(done.answer)).toBe("Hello, Ada");
    },
  );

  it("is refused beside a right one, which is not used up by it", async () => {
    const { client } = await serveStateless({ tools: [three] });
    const asked = await client.call("three");

    const refused = await client.retry(asked, { ...accepted({ a: "1", b: "2" }), c: "3" });
    const done = await client.accept(asked, { a: "4", b: "5", c: "6" });

    expect(codeIn(refused)).toBe(-32602);
    expect(textOf(done.answer)).toBe("456");
  });

  const said = { role: "assistant", model: "m", content: { type: "text", text: "Hi" } };

  it.each<Fields>([
    {},
    { ...said, role: "system" },
    { ...said, model: undefined },
    { ...said, content: "Hi" },
    { ...said, content: [] },
    { ...said, content: [{ type: "text", text: "Hi" }, "Hi"] },
    { action: "accept", content: { value: "Hi" } },
  ])(
    verifies(["C5", "B3"], "is refused with -32602 for a sample, and the run is untouched: %j"),
    async (response) => {
      const thinking = tool({
        name: "thinking",
        async *run() {
          return (yield* sample("Hello?", { maxTokens: 9 })).model;
        },
      });
      const { client } = await serveStateless({ tools: [thinking] });
      const asked = await client.call("thinking");

      const refused = await client.retry(asked, { "sample-1": response });
      const done = await client.retry(asked, { "sample-1": said });

      expect(codeIn(refused)).toBe(-32602);
      expect(textOf(done.answer)).toBe("m");
    },
  );

  it.each<Fields>([
    {},
    { roots: "here" },
    { roots: [7] },
    { roots: [{ name: "home" }] },
    { roots: [{ uri: 7 }] },
  ])(
    verifies(["C5", "B3"], "is refused with -32602 for roots, and the run is untouched: %j"),
    async (response) => {
      const rooted = tool({
        name: "rooted",
        async *run() {
          return (yield* roots()).map(({ uri }) => uri).join();
        },
      });
      const { client } = await serveStateless({ tools: [rooted] });
      const asked = await client.call("rooted");

      const refused = await client.retry(asked, { "roots-1": response });
      const done = await client.retry(asked, { "roots-1": { roots: [{ uri: "file:///home" }] } });

      expect(codeIn(refused)).toBe(-32602);
      expect(textOf(done.answer)).toBe("file:///home");
    },
  );
});

describe("an answer that does not fit", () => {
  const nights = (retries?: number): ReturnType<typeof tool> =>
    tool({
      name: "nights",
      async *run() {
        const count = yield* ask.number("Nights?", {
          min: 1,
          max: 30,
          integer: true,
          ...(retries === undefined ? {} : { retries }),
        });
        return `${count} nights`;
      },
    });

  it(verifies("B3", "is the end of the question, where there are no retries"), async () => {
    const { client } = await serveStateless({ tools: [nights()] });

    const done = await client.accept(await client.call("nights"), { "ask-1": "many" });

    expect(done.answer.result).toMatchObject({ resultType: "complete", isError: true });
    expect(textOf(done.answer)).toBe('The answer to "Nights?" (ask-1) must be a whole number.');
  });

  it(
    verifies("B3", "is asked for again while there are retries, with a hint and the last answer as default"),
    async () => {
      const { client } = await serveStateless({ tools: [nights(2)] });

      const asked = await client.call("nights");
      const again = await client.accept(asked, { "ask-1": 31 });
      const oncemore = await client.accept(again, { "ask-1": 0 });
      const done = await client.accept(oncemore, { "ask-1": 2 });

      expect(questionsIn(again)["ask-1"]?.params).toMatchObject({
        message: "Nights? (The last answer must be at most 30.)",
        requestedSchema: { properties: { value: { type: "integer", minimum: 1, maximum: 30 } } },
      });
      expect(questionsIn(oncemore)["ask-1"]?.params?.["message"]).toContain("must be at least 1");
      expect(textOf(done.answer)).toBe("2 nights");
      expect(codeIn(await client.accept(asked, { "ask-1": 5 }))).toBe(-32602);
    },
  );

  it(verifies("B3", "is the end of the question after the last retry"), async () => {
    const { client } = await serveStateless({ tools: [nights(1)] });

    const again = await client.accept(await client.call("nights"), { "ask-1": 31 });
    const done = await client.accept(again, { "ask-1": 1.5 });

    expect(done.answer.result).toMatchObject({ isError: true });
  });

  it("is a yes without a value, too: nothing was said", async () => {
    const { client } = await serveStateless({ tools: [greet] });
    const asked = await client.call("greet");

    const done = await client.retry(asked, { "ask-1": { action: "accept" } });

    expect(textOf(done.answer)).toBe('The answer to "Name?" (ask-1) needs a value.');
  });
});

describe("a person who does not answer", () => {
  const ways = tool({
    name: "ways",
    async *run() {
      const sure = yield* ask.confirm("Sure?");
      const { action } = yield* ask.outcome(ask.text("Name?"));
      const soft = yield* ask.text("Mood?", { fallback: { cancel: "calm" } });
      return `${sure} ${action} ${soft}`;
    },
  });

  it.each(["decline", "cancel"])(
    verifies("B1", "has not answered by %s: the result says which it was"),
    async (action) => {
      const { client } = await serveStateless({ tools: [greet] });

      const done = await client.retry(await client.call("greet"), {
        "ask-1": { action, content: { value: "Ada" } },
      });

      expect(done.answer.result).toMatchObject({ resultType: "complete", isError: true });
      expect(textOf(done.answer)).toMatch(action === "decline" ? /declined/ : /cancelled/);
    },
  );

  it(
    verifies(
      "B1",
      "is a no to yes or no, an outcome where one is wanted, and what the author said otherwise",
    ),
    async () => {
      const { client } = await serveStateless({ tools: [ways] });

      const name = await client.retry(await client.call("ways"), { "ask-1": { action: "decline" } });
      const mood = await client.retry(name, { "ask-2": { action: "cancel" } });
      const done = await client.retry(mood, { "ask-3": { action: "cancel" } });

      expect(textOf(done.answer)).toBe("false cancel calm");
    },
  );
});
