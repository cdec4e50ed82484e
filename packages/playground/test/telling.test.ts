/** What a run tells comes into its timeline, in order, whichever way it came. */
import { ask, emit, prompt, resource, step, tool } from "@photon/core";
import { expect, it } from "vitest";
import { nameOf } from "../src/desk/offer.ts";
import type { Result } from "../src/desk/run.ts";
import { stage } from "./stage.ts";
import { ended, happened } from "./tab.ts";
import { onEveryWay } from "./ways.ts";

const talkative = tool({
  name: "talkative",
  description: "Tells everything there is to tell",
  async *run() {
    yield emit.status("Looking around");
    yield emit.log("warning", "Found three");
    yield emit.progress(0.5, "Half of it");
    yield* step("reserve", () => "r-1");
    yield emit.artifact({ type: "text", text: "a picture of it" });
    return { rooms: 3 };
  },
});

async function* says(text: string): AsyncGenerator<never, string> {
  return text;
}

onEveryWay((how) => {
  it("shows statuses, logs, steps and the result in the order in which they happened", async () => {
    const { open } = await stage({ tools: [talkative] });
    const tab = open(how);

    const run = await tab.call("talkative");
    expect(await ended(run)).toEqual({ state: "done" });

    expect(happened(run)).toEqual([
      { kind: "status", message: "Looking around" },
      { kind: "log", level: "warning", logger: "talkative", data: "Found three" },
      { kind: "status", message: "Half of it" },
      { kind: "step", step: "reserve", state: "begun" },
      { kind: "step", step: "reserve", state: "done" },
      {
        kind: "result",
        result: expect.objectContaining({ isError: false, structured: { rooms: 3 } }) as unknown,
      },
    ]);
    expect(run.progress.value).toEqual({ part: 0.5, message: "Half of it" });
  });

  it("asks, and goes on with the answer", async () => {
    const greeter = tool({
      name: "greeter",
      description: "Greets",
      async *run() {
        const name = yield* ask.text("Who is there?");
        return `Hello, ${name}.`;
      },
    });
    const { open } = await stage({ tools: [greeter] });
    const tab = open(how);

    const run = await tab.call("greeter");
    const question = await tab.question();
    expect(run.state.value).toEqual({ state: "asking" });
    tab.desk.answer(question, { action: "accept", content: { value: "Ada" } });

    expect(await ended(run)).toEqual({ state: "done" });
    expect(happened(run, "result")).toEqual([
      { kind: "result", result: { isError: false, content: [{ type: "text", text: "Hello, Ada." }] } },
    ]);
    expect(tab.desk.questions.value).toEqual([]);
  });

  it("shows what a tool makes beside its result, of every kind", async () => {
    const maker = tool({
      name: "maker",
      description: "Makes things",
      async *run() {
        yield emit.artifact({ type: "image", data: "aGk=", mimeType: "image/png" });
        yield emit.artifact({ type: "link", uri: "https://example.com/", name: "There" });
        return "Made.";
      },
    });
    const { open } = await stage({ tools: [maker] });

    const run = await open(how).call("maker");
    await ended(run);

    const [{ result }] = happened(run, "result") as [{ readonly result: Result }];
    expect(result.content).toContainEqual({ type: "image", data: "aGk=", mimeType: "image/png" });
    expect(result.content).toContainEqual({ type: "link", uri: "https://example.com/", name: "There" });
    expect(result.content).toContainEqual({ type: "text", text: "Made." });
  });

  it("says that a run failed where its tool says so, and still shows what it said", async () => {
    const failing = tool({
      name: "failing",
      description: "Fails",
      async *run() {
        yield emit.status("Baking");
        throw new Error("The oven is cold.");
      },
    });
    const { open } = await stage({ tools: [failing] });

    const run = await open(how).call("failing");

    expect(await ended(run)).toEqual({ state: "failed", problem: "The oven is cold." });
    expect(happened(run, "result")).toMatchObject([{ result: { isError: true } }]);
  });

  it("says what the protocol said where a call is refused", async () => {
    const { open } = await stage({ tools: [talkative] });
    const tab = open(how);
    await tab.isOpen();

    const offer = { kind: "tool", name: "gone", inputSchema: {}, annotations: {} } as const;
    const run = tab.desk.call(offer, {});

    expect(await ended(run)).toMatchObject({
      state: "failed",
      problem: expect.stringContaining("gone") as unknown,
    });
    expect(happened(run, "error")).toMatchObject([{ code: -32602 }]);
  });

  it("lists tools, prompts and resources, and calls every kind", async () => {
    const { open } = await stage({
      tools: [talkative],
      prompts: [
        prompt({
          name: "letter",
          arguments: { to: { description: "Whom", required: true } },
          run: ({ to }) => says(`Write to ${to}`),
        }),
      ],
      resources: [
        resource({ uri: "note://today", name: "today", run: () => says("Rain") }),
        resource({
          uri: "note://{day}/{hour}",
          name: "hourly",
          run: ({ day, hour }) => says(`${day} at ${hour}`),
        }),
      ],
    });
    const tab = open(how);

    const letter = await tab.call("letter", { to: "Ada" });
    const today = await tab.call("today");
    const hourly = await tab.call("hourly", { day: "Mon day", hour: "9" });
    await Promise.all([letter, today, hourly].map(ended));

    expect(tab.desk.offers.value.map(nameOf)).toEqual([
      "tool/talkative",
      "prompt/letter",
      "resource/note://today",
      "template/note://{day}/{hour}",
    ]);
    expect(happened(letter, "result")).toMatchObject([
      { result: { content: [{ type: "text", text: "Write to Ada", role: "user" }] } },
    ]);
    expect(happened(today, "result")).toMatchObject([
      { result: { content: [{ type: "resource", uri: "note://today", text: "Rain" }] } },
    ]);
    expect(happened(hourly, "result")).toMatchObject([
      { result: { content: [{ uri: "note://Mon%20day/9", text: "Mon day at 9" }] } },
    ]);
  });
});
