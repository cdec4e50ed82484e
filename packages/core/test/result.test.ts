import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  ask,
  AskCancelled,
  AskDeclined,
  AskTimedOut,
  AskUnsupported,
  emit,
  errorResult,
  InvalidAnswer,
  InvalidOutput,
  resultOf,
  startRun,
  tool,
  UrlRequired,
  type Body,
  type Content,
  type Result,
  type SchemaLike,
  type Tool,
} from "@photon/core";
import { acceptEmpty, cancel, decline, script, timeout, unsupported } from "@photon/core/testing";
import { verifies } from "../../../test/requirements.ts";

/** The result of a tool that asks nothing. */
async function resultFrom<Returned>(made: Tool<never, Returned>): Promise<Result> {
  const turn = await startRun(made as Tool<object, Returned>, {}).next();
  if (!turn.done) throw new Error("It asked something.");
  return resultOf(made, turn);
}

/** The result of a tool that returns this. */
function resultOfReturning(returned: unknown, output?: SchemaLike): Promise<Result> {
  return resultFrom(
    tool({
      name: "make",
      ...(output === undefined ? {} : { output }),
      async *run() {
        return returned;
      },
    }),
  );
}

const text = (words: string): Content => ({ type: "text", text: words });
const image: Content = { type: "image", data: "aGk=", mimeType: "image/png" };

describe("resultOf", () => {
  it(verifies("A8", "gives a text as a text"), async () => {
    expect(await resultOfReturning("Booked.")).toEqual({ content: [text("Booked.")], isError: false });
  });

  it.each([
    ["an object", { ref: "R1", nights: 2 }],
    ["a list", [1, 2]],
    ["an empty list", []],
    ["a number", 42],
    ["a boolean", false],
    ["null", null],
  ])(verifies("A8", "gives %s as JSON, and as text beside it"), async (_, value) => {
    expect(await resultOfReturning(value)).toEqual({
      content: [text(JSON.stringify(value))],
      structured: value,
      isError: false,
    });
  });

  it(verifies("A8", "gives one block of content as it is"), async () => {
    expect(await resultOfReturning(image)).toEqual({ content: [image], isError: false });
  });

  it(verifies("A8", "gives a list of blocks as they are, of every kind"), async () => {
    const blocks: Content[] = [
      text("Here:"),
      image,
      { type: "audio", data: new Uint8Array([1, 2]), mimeType: "audio/wav" },
      { type: "resource", uri: "notes://today", text: "# Today", mimeType: "text/markdown" },
      { type: "link", uri: "https://example.com", name: "Example" },
    ];

    expect(await resultOfReturning(blocks)).toEqual({ content: blocks, isError: false });
  });

  it(verifies("A8", "understands resources and links as MCP spells them"), async () => {
    const blocks = [
      { type: "resource", resource: { uri: "notes://today", blob: "aGk=", mimeType: "text/plain" } },
      { type: "resource_link", uri: "https://example.com", title: "Example" },
    ];

    expect(await resultOfReturning(blocks)).toEqual({
      content: [
        { type: "resource", uri: "notes://today", data: "aGk=", mimeType: "text/plain" },
        { type: "link", uri: "https://example.com", name: "https://example.com", title: "Example" },
      ],
      isError: false,
    });
  });

  it(verifies("A8", "understands the envelope that MCP gives a result"), async () => {
    const envelope = { content: [text("No room.")], structuredContent: { free: 0 }, isError: true };

    expect(await resultOfReturning(envelope)).toEqual({
      content: [text("No room.")],
      structured: { free: 0 },
      isError: true,
    });
  });

  it(verifies("A8", "understands an envelope whose content is empty"), async () => {
    expect(await resultOfReturning({ content: [], structuredContent: { free: 0 }, isError: true })).toEqual({
      content: [],
      structured: { free: 0 },
      isError: true,
    });
  });

  it(verifies("A8", "refuses an envelope whose structured content is not JSON, with the place"), async () => {
    const envelope = { content: [text("Born.")], structuredContent: { born: new Date(0) } };

    await expect(resultOfReturning(envelope)).rejects.toThrow(
      "a Date at .structuredContent.born, which is not JSON",
    );
  });

  it("takes JSON with a list called content for JSON", async () => {
    const page = { content: ["first", "second"] };

    expect(await resultOfReturning(page)).toMatchObject({ structured: page });
  });

  it(verifies("A8", "gives nothing for nothing"), async () => {
    expect(await resultOfReturning(undefined)).toEqual({ content: [], isError: false });
  });

  it(verifies("A8", "gives what was streamed where nothing is returned"), async () => {
    const tell = tool({
      async *run() {
        yield emit.stream("Once upon ");
        yield emit.stream("a time.");
      },
    });

    expect(await resultFrom(tell)).toEqual({ content: [text("Once upon a time.")], isError: false });
  });

  it(verifies("A8", "leaves out what was streamed where something is returned"), async () => {
    const tell = tool({
      async *run() {
        yield emit.stream("thinking…");
        return "Done.";
      },
    });

    expect(await resultFrom(tell)).toEqual({ content: [text("Done.")], isError: false });
  });

  it(verifies("A8", "puts artifacts first, in the order they were emitted"), async () => {
    const draw = tool({
      async *run() {
        yield emit.text("one");
        yield emit.status("drawing");
        yield emit.image("aGk=", "image/png");
        yield { emit: "artifact", type: "text", text: "three" };
        return { drawn: 3 };
      },
    });

    expect(await resultFrom(draw)).toEqual({
      content: [text("one"), image, text("three"), text('{"drawn":3}')],
      structured: { drawn: 3 },
      isError: false,
    });
  });

  it("puts artifacts before what was streamed", async () => {
    const tell = tool({
      async *run() {
        yield emit.stream("The end.");
        yield emit.image("aGk=", "image/png");
      },
    });

    expect((await resultFrom(tell)).content).toEqual([image, text("The end.")]);
  });

  it("copies the returned value, so that it cannot change afterwards", async () => {
    const returned = { rooms: [1] };
    const result = await resultOfReturning(returned);

    returned.rooms.push(2);

    expect(result.structured).toEqual({ rooms: [1] });
    expectTypeOf(result).toEqualTypeOf<Result>();
  });

  it.each([
    ["a Date at .born", { born: new Date(0) }],
    ["a Map", new Map()],
    ["NaN at .sizes[1]", { sizes: [1, Number.NaN] }],
    ["a function at .rooms[0].open", { rooms: [{ open: () => {} }] }],
    ["a bigint at .id", { id: 1n }],
    ["undefined at [1]", [1, undefined]],
  ])(verifies("A8", "refuses %s, which is not JSON"), async (place, returned) => {
    const making = resultOfReturning(returned);

    await expect(making).rejects.toThrow(InvalidOutput);
    await expect(making).rejects.toThrow(`${place}, which is not JSON`);
  });

  it("refuses what refers to itself", async () => {
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;

    await expect(resultOfReturning(loop)).rejects.toThrow(
      "a reference to itself at .self, which is not JSON",
    );
  });

  it(verifies("D5", "speaks of no output schema where the tool has none"), async () => {
    await expect(resultOfReturning({ born: new Date(0) })).rejects.not.toThrow("output schema");
  });
});

describe("the output schema of a tool", () => {
  const output = z.object({ ref: z.string(), rooms: z.array(z.object({ nights: z.number().max(30) })) });

  it(verifies("A8", "lets through what it promises"), async () => {
    const booked = { ref: "R1", rooms: [{ nights: 2 }] };

    expect(await resultOfReturning(booked, output)).toEqual({
      content: [text(JSON.stringify(booked))],
      structured: booked,
      isError: false,
    });
  });

  it.each([
    ["ref is required", { rooms: [] }],
    ["ref must be text", { ref: 5, rooms: [] }],
    ["rooms.0.nights must be at most 30", { ref: "R1", rooms: [{ nights: 31 }] }],
    ["it must be an object", "R1"],
  ])(verifies(["A7", "A8"], "refuses another return, for %j"), async (problem, returned) => {
    const making = resultOfReturning(returned, output);

    await expect(making).rejects.toThrow(InvalidOutput);
    await expect(making).rejects.toThrow(
      `make returned something other than its output schema allows: ${problem}.`,
    );
  });

  it(verifies("A8", "is not kept by returning nothing"), async () => {
    await expect(resultOfReturning(undefined, output)).rejects.toThrow(
      "make returned undefined, which is not JSON",
    );
  });

  it(verifies("A7", "is also asked what only its Standard Schema knows"), async () => {
    const span = z
      .object({ from: z.number(), to: z.number() })
      .refine(({ from, to }) => from <= to, { message: "ends before it begins", path: ["to"] });

    await expect(resultOfReturning({ from: 2, to: 1 }, span)).rejects.toThrow("to: ends before it begins");
  });

  it("is JSON Schema as well", async () => {
    const schema = { type: "object", properties: { ref: { type: "string" } }, required: ["ref"] };

    await expect(resultOfReturning({}, schema)).rejects.toThrow("ref is required");
  });

  it("may promise a text", async () => {
    expect(await resultOfReturning("R1", z.string())).toEqual({
      content: [text("R1")],
      structured: "R1",
      isError: false,
    });
  });

  it("is held by what an envelope has as structured content", async () => {
    const fits = { content: [text("Booked.")], structuredContent: { ref: "R1", rooms: [] } };
    const fails = { content: [text("Booked.")], structuredContent: { rooms: [] } };

    expect(await resultOfReturning(fits, output)).toEqual({
      content: [text("Booked.")],
      structured: { ref: "R1", rooms: [] },
      isError: false,
    });
    await expect(resultOfReturning(fails, output)).rejects.toThrow("ref is required");
  });

  it("promises nothing about an envelope that is an error", async () => {
    const failed = { content: [text("No room.")], isError: true };

    expect(await resultOfReturning(failed, output)).toEqual(failed);
  });
});

describe("errorResult", () => {
  /** What a person reads after a tool that asked and did not catch what came. */
  async function sentenceAfter(answer: unknown, body: () => Body<unknown>): Promise<unknown> {
    const failure: unknown = await script([answer])
      .run(tool({ name: "book", run: body }))
      .catch((error: unknown) => error);
    const { content, isError } = errorResult(failure);
    expect(isError).toBe(true);
    return content;
  }

  async function* asksForNights(): Body<unknown> {
    return yield* ask.number("How many nights?", { id: "nights", max: 30 });
  }

  it.each([
    ["declined", AskDeclined, decline(), 'The person declined to answer "How many nights?" (nights).'],
    ["cancelled", AskCancelled, cancel(), 'The question "How many nights?" (nights) was cancelled.'],
    ["timed out", AskTimedOut, timeout(), 'No answer to "How many nights?" (nights) arrived in time.'],
    [
      "unsupported",
      AskUnsupported,
      unsupported(),
      '"How many nights?" (nights) cannot be asked here: the client has no way to show it.',
    ],
    ["unfit", InvalidAnswer, 31, 'The answer to "How many nights?" (nights) must be at most 30.'],
    ["empty", InvalidAnswer, acceptEmpty(), 'The answer to "How many nights?" (nights) needs a value.'],
  ])(
    verifies(["A8", "B1"], "says what happened to a question that was %s (§2.2)"),
    async (_, kind, answer, sentence) => {
      expect(await sentenceAfter(answer, asksForNights)).toEqual([text(sentence)]);
      await expect(script([answer]).run(tool({ run: asksForNights }))).rejects.toThrow(kind);
    },
  );

  it("says what any other error says", () => {
    expect(errorResult(new Error("No room."))).toEqual({ content: [text("No room.")], isError: true });
    const blank = Object.assign(new TypeError("blank"), { message: "" });
    expect(errorResult(blank)).toEqual({ content: [text("TypeError")], isError: true });
  });

  it("says where to go first", () => {
    const required = new UrlRequired([{ message: "Sign in", url: "https://example.com/in" }]);

    expect(errorResult(required).content).toEqual([text("Sign in: https://example.com/in")]);
  });

  it.each([
    ["a text", "No room.", "No room."],
    ["nothing", undefined, "The tool threw undefined."],
    ["a number", 7, "The tool threw the number 7."],
  ])("says %s that was thrown", (_, thrown, sentence) => {
    expect(errorResult(thrown).content).toEqual([text(sentence)]);
  });

  it.each([
    ["an object", { message: "No room." }],
    ["an object without a prototype", Object.create(null) as object],
    [
      "an object that cannot be printed",
      {
        toString() {
          throw new Error("no");
        },
      },
    ],
  ])("says something of %s that was thrown", (_, thrown) => {
    const [block] = errorResult(thrown).content;

    expect(block).toMatchObject({ type: "text", text: expect.stringMatching(/\S/) });
    expect(block).not.toEqual(text("[object Object]"));
  });
});
